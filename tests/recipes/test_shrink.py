import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from cli import main
from models import artifact
from models.student import StudentClassifier
from titles import LabelledTitles
from training.compression.distillation import DistillationLoss
from training.compression.magnitude import sparsity


@pytest.fixture
def student(tmp_path: Path, make_student: Callable[..., StudentClassifier]) -> Path:
    artifact.save(make_student(), tmp_path / "student")
    return tmp_path / "student"


@pytest.fixture
def data(tmp_path: Path, titles: Path) -> list[str]:
    quick = ["--epochs", "3", "--learning-rate", "3e-3", "--batch-size", "2", "--alpha", "0.1"]
    quick += ["--evaluations-per-epoch", "1"]
    files = ["--train", str(titles), "--dev", str(titles), "--cache", str(tmp_path / "scores")]
    return [*files, *quick]


def test_prune_then_factorize_then_quantize(
    tmp_path: Path, student: Path, data: list[str], titles: Path, three_topics: LabelledTitles
):
    pruned, factorized, int8 = (str(tmp_path / name) for name in ("pruned", "factorized", "int8"))

    cut = ["--layers", "2", "--heads", "3", "--d-ff", "32"]
    assert main(["prune", str(student), *cut, *data, "--output", pruned]) == 0
    assert main(["factorize", pruned, "--budget", "0.7", *data, "--output", factorized]) == 0
    quantize = ["quantize", factorized, "--method", "onnx", "--dev", str(titles), "--force"]
    assert main([*quantize, "--output", int8]) == 0

    first, second, third = map(artifact.load, (pruned, factorized, int8))
    config = second.uncalibrated.config
    assert [(layer.num_heads, layer.d_ff) for layer in config.layers] == [(3, 32)] * 2
    assert config.ranks
    assert second.manifest.provenance.hyperparameters["source"]["name"] == "pruned"
    expected = second.uncalibrated.predict_proba(three_topics.titles)
    found = third.uncalibrated.predict_proba(three_topics.titles)
    assert found == pytest.approx(expected, abs=0.1)
    metrics = first.manifest.provenance.metrics
    assert metrics["dev_accuracy"] > 0.8 > metrics["dev_accuracy_unrecovered"]
    assert first.manifest.provenance.trained_on["sha256"]


def test_magnitude_pruning_recovers_with_its_zeros(tmp_path: Path, student: Path, data: list[str]):
    output, longer = str(tmp_path / "sparse"), [*data, "--epochs", "8"]

    assert main(["prune", str(student), "--magnitude", "0.5", *longer, "--output", output]) == 0

    model = artifact.load(output)
    assert sparsity(model.uncalibrated.network) == pytest.approx(0.5, abs=1e-3)
    assert model.manifest.provenance.metrics["dev_accuracy"] > 0.8
    assert model.manifest.provenance.hyperparameters["magnitude"] == 0.5


def test_without_recovery_nothing_is_trained(tmp_path: Path, student: Path, data: list[str]):
    output = tmp_path / "model"
    arguments = ["factorize", str(student), "--energy", "0.8", "--no-recovery", *data]

    assert main([*arguments, "--output", str(output)]) == 0

    provenance = artifact.load(output).manifest.provenance
    metrics = provenance.metrics
    assert metrics["dev_accuracy"] == metrics["dev_accuracy_unrecovered"]
    assert provenance.hyperparameters["energy"] == 0.8
    assert "epochs" not in provenance.hyperparameters
    assert not (tmp_path / "model.run").exists()


def test_a_finished_run_leaves_its_history_and_no_checkpoint(
    tmp_path: Path, student: Path, data: list[str]
):
    output = str(tmp_path / "model")

    main(["factorize", str(student), "--energy", "0.8", *data, "--output", output])

    history = json.loads((tmp_path / "model.run" / "history.json").read_text())
    assert len(history["evaluations"]) == 3
    assert not (tmp_path / "model.run" / "checkpoint.pt").exists()


def test_an_interrupted_run_goes_on_and_ends_as_an_unbroken_one(
    tmp_path: Path, student: Path, data: list[str], monkeypatch: pytest.MonkeyPatch
):
    command = ["prune", str(student), "--layers", "2", "--heads", "2", *data]
    command += ["--checkpoint-seconds", "0", "--output"]
    steps = []

    def interrupt(loss: DistillationLoss, *arguments: object) -> torch.Tensor:
        steps.append(1)
        if len(steps) == 9:
            raise KeyboardInterrupt
        return original(loss, *arguments)

    original = DistillationLoss.__call__
    monkeypatch.setattr(DistillationLoss, "__call__", interrupt)

    assert main([*command, str(tmp_path / "broken")]) == 130
    assert not (tmp_path / "broken").exists()
    assert main([*command, str(tmp_path / "broken")]) == 0
    assert len(steps) == 9 + 46  # 18 steps an epoch, 8 of them done before
    assert main([*command, str(tmp_path / "unbroken")]) == 0

    broken, unbroken = (artifact.load(tmp_path / name) for name in ("broken", "unbroken"))
    assert broken.manifest.version == unbroken.manifest.version


@pytest.mark.parametrize("cut", [[], ["--magnitude", "0.5", "--heads", "2"]])
def test_prune_wants_parts_or_a_magnitude(
    tmp_path: Path,
    student: Path,
    data: list[str],
    cut: list[str],
    capsys: pytest.CaptureFixture[str],
):
    assert main(["prune", str(student), *cut, *data, "--output", str(tmp_path / "m")]) == 2
    assert "or else --magnitude" in capsys.readouterr().err


def test_data_of_other_classes_is_refused(
    tmp_path: Path, student: Path, data: list[str], capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "class.txt").write_text("stocks\nmusic\nsports\n")

    refused = ["prune", str(student), "--heads", "2", *data, "--output", str(tmp_path / "m")]

    assert main(refused) == 3
    assert "label 1 is 'music', not one of the 3 labels" in capsys.readouterr().err


def test_recovery_learns_from_unlabelled_titles_and_from_scores_in_files(
    tmp_path: Path, student: Path, data: list[str], three_topics: LabelledTitles
):
    more = tmp_path / "more.txt"
    more.write_text("大学生球队\n股市球队\n股市球队\n", encoding="utf-8")
    scored = str(tmp_path / "scored.csv")
    evaluate = ["evaluate", str(student), str(more), "--unlabelled", "--predictions", scored]
    assert main(evaluate) == 0
    prune = ["prune", str(student), "--heads", "2", *data, "--unlabelled", str(more)]

    assert main([*prune, "--scores", scored, "--output", str(tmp_path / "pruned")]) == 0

    provenance = artifact.load(tmp_path / "pruned").manifest.provenance
    (named,) = provenance.trained_on["unlabelled"]
    assert named["name"] == "more.txt"
    assert provenance.hyperparameters["scores"] == ["scored.csv"]
    history = json.loads((tmp_path / "pruned.run" / "history.json").read_text())
    titles = len(three_topics.titles) + 2
    assert history["evaluations"][-1]["step"] == 3 * math.ceil(titles / 2)
