from pathlib import Path

import numpy as np
import pytest

from cli import main
from models import artifact
from models.encoder import EncoderClassifier
from titles import LabelledTitles


@pytest.fixture
def encoder(tmp_path: Path, tiny_classifier: EncoderClassifier) -> Path:
    provenance = artifact.Provenance({"name": "titles"})
    artifact.save(tiny_classifier, tmp_path / "enc", temperature=2.0, provenance=provenance)
    return tmp_path / "enc"


@pytest.mark.parametrize(("method", "route"), [("onnx", "onnx"), ("torch", "student-int8")])
def test_an_encoder_becomes_int8(
    method: str,
    route: str,
    tmp_path: Path,
    encoder: Path,
    titles: Path,
    three_topics: LabelledTitles,
):
    arguments = ["quantize", str(encoder), "--method", method, "--dev", str(titles)]

    assert main([*arguments, "--max-drop", "10", "--output", str(tmp_path / "int8")]) == 0

    model, source = artifact.load(tmp_path / "int8"), artifact.load(encoder)
    expected = source.uncalibrated.predict_proba(three_topics.titles)
    found = model.uncalibrated.predict_proba(three_topics.titles)
    assert found == pytest.approx(expected, abs=0.05)
    assert model.manifest.route == route
    assert model.manifest.temperature not in (1.0, 2.0)
    provenance = model.manifest.provenance
    assert provenance.hyperparameters["source"]["version"] == source.manifest.version
    assert provenance.hyperparameters["method"] == method
    assert provenance.trained_on == {"name": "titles"}
    gold = three_topics.label_ids
    assert provenance.metrics["dev_accuracy"] == (found.argmax(axis=1) == gold).mean()
    assert provenance.metrics["dev_accuracy_before"] == (expected.argmax(axis=1) == gold).mean()


def test_a_model_that_lost_too_much_is_written_only_by_force(
    tmp_path: Path, encoder: Path, titles: Path, capsys: pytest.CaptureFixture[str]
):
    output = tmp_path / "int8"
    arguments = ["quantize", str(encoder), "--method", "torch", "--dev", str(titles)]
    arguments += ["--output", str(output), "--max-drop", "-100"]  # no model gains so much

    assert main(arguments) == 7
    assert "points where -100.00 are allowed; nothing was written" in capsys.readouterr().err
    assert not output.exists()

    assert main([*arguments, "--force"]) == 0
    assert artifact.load(output).manifest.route == "student-int8"


def test_ranges_are_measured_on_the_calibration_titles(tmp_path: Path, encoder: Path, titles: Path):
    (tmp_path / "few.txt").write_text("股市\n", encoding="utf-8")
    arguments = ["quantize", str(encoder), "--method", "onnx", "--dev", str(titles), "--force"]
    few = ["--calibration", str(tmp_path / "few.txt")]

    main([*arguments, "--output", str(tmp_path / "a")])
    main([*arguments, "--output", str(tmp_path / "b"), *few])
    main([*arguments, "--output", str(tmp_path / "c"), *few, "--coverage", "0.5"])

    versions = {artifact.load(tmp_path / name).manifest.version for name in ("a", "b", "c")}
    assert len(versions) == 2  # one title is covered whole or not at all
    again = main([*arguments, "--output", str(tmp_path / "a2")])
    assert again == 0
    assert artifact.load(tmp_path / "a2").manifest.version in versions


def test_an_encoder_is_exported_with_its_temperature(
    tmp_path: Path, encoder: Path, three_topics: LabelledTitles
):
    assert main(["export", str(encoder), "--output", str(tmp_path / "fp32")]) == 0

    model = artifact.load(tmp_path / "fp32")
    expected = artifact.load(encoder).predict_proba(three_topics.titles)
    assert model.predict_proba(three_topics.titles) == pytest.approx(expected, abs=1e-5)
    assert (model.manifest.route, model.manifest.temperature) == ("onnx", 2.0)
    assert model.manifest.provenance.metrics["probe_difference"] < 1e-5


def test_a_graph_that_scores_otherwise_is_not_written(
    tmp_path: Path,
    encoder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("models.onnx.softmax", lambda logits: np.full(logits.shape, 1 / 3))

    assert main(["export", str(encoder), "--output", str(tmp_path / "fp32")]) == 4

    assert "(at most 0.0001 is allowed); it was not written" in capsys.readouterr().err
    assert not (tmp_path / "fp32").exists()


def test_int8_cannot_be_quantised_again(
    tmp_path: Path, encoder: Path, titles: Path, capsys: pytest.CaptureFixture[str]
):
    arguments = ["--method", "onnx", "--dev", str(titles), "--force", "--output"]
    main(["quantize", str(encoder), *arguments, str(tmp_path / "once")])

    assert main(["quantize", str(tmp_path / "once"), *arguments, str(tmp_path / "twice")]) == 2
    assert "is a model of the route 'onnx'; only 'encoder'" in capsys.readouterr().err
