from pathlib import Path

import pytest

from cli import main
from models import artifact
from models.encoder import EncoderClassifier
from models.errors import FileError
from training.loop import TrainingLoop

SAMPLES = Path(__file__).parents[2] / "samples"


def test_an_encoder_is_trained_saved_and_used(
    titles: Path, tiny_encoder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    output = tmp_path / "encoder"
    data = ["--train", str(titles), "--dev", str(titles), "--output", str(output)]
    arguments = ["train", "encoder", *data, "--encoder", str(tiny_encoder), "--epochs", "2"]

    assert main([*arguments, "--max-length", "32", "--learning-rate", "1e-3"]) == 0

    manifest = artifact.load(output).manifest
    assert manifest.route == "encoder"
    assert manifest.max_length == 32
    assert manifest.provenance.hyperparameters["encoder"] == str(tiny_encoder)
    assert manifest.provenance.hyperparameters["learning_rate"] == 1e-3
    assert manifest.provenance.trained_on["sha256"]
    assert "dev_accuracy" in manifest.provenance.metrics
    assert (tmp_path / "encoder.run" / "curves.png").exists()


def test_a_model_whose_save_failed_is_saved_by_the_same_command_without_training(
    titles: Path, tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    output, run = tmp_path / "encoder", tmp_path / "encoder.run"
    data = ["--train", str(titles), "--dev", str(titles), "--output", str(output)]
    arguments = ["train", "encoder", *data, "--encoder", str(tiny_encoder), "--epochs", "1"]

    def fail(*_: object, **__: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as full_disk:
        full_disk.setattr(EncoderClassifier, "save_files", fail)
        assert main(arguments) == FileError.exit_code
    assert (run / "checkpoint.pt").exists()
    monkeypatch.setattr(TrainingLoop, "_train_step", fail)

    assert main(arguments) == 0
    assert artifact.load(output).manifest.route == "encoder"
    assert not (run / "checkpoint.pt").exists()
    assert not (run / "best.pt").exists()


@pytest.mark.parametrize("route", ["linear", "nearest", "width", "forest", "fasttext"])
def test_a_baseline_is_trained_on_the_samples(route: str, tmp_path: Path):
    data = ["--train", str(SAMPLES / "train.txt"), "--dev", str(SAMPLES / "dev.txt")]
    quick = ["--trees", "50"] if route == "forest" else []

    assert main(["train", route, *data, "--output", str(tmp_path / route), *quick]) == 0

    manifest = artifact.load(tmp_path / route).manifest
    assert manifest.route == route
    chance = 0.1  # the samples' width, unlike that of real titles, tells nothing
    least = {"width": chance, "fasttext": 0.6}.get(route, 0.3)
    assert manifest.provenance.metrics["dev_accuracy"] > least
