from pathlib import Path

import pytest

from evaluation.candidates import parse_candidate, parse_candidates
from models import artifact
from models.encoder import EncoderClassifier
from models.errors import ArtifactError, UsageError
from models.labels import Labels


@pytest.fixture
def folder(tmp_path: Path, tiny_classifier: EncoderClassifier) -> Path:
    artifact.save(tiny_classifier, tmp_path / "tiny")
    return tmp_path / "tiny"


def test_a_folder_is_called_as_it_was_saved(folder: Path):
    found = parse_candidate(str(folder))

    assert (found.name, found.folder, found.through_pipeline) == ("tiny", folder, False)
    assert found.manifest.route == "encoder"
    assert found.size_bytes == sum(path.stat().st_size for path in folder.iterdir())


def test_a_name_and_the_pipeline_can_be_asked_for(folder: Path):
    assert parse_candidate(f"教师={folder}").name == "教师"
    reference = parse_candidate(f"pipeline:{folder}")
    assert (reference.name, reference.manifest.route) == (
        "tiny (pipeline)",
        "transformers.pipeline",
    )
    assert parse_candidate(f"hf=pipeline:{folder}").name == "hf"


def test_an_equals_sign_may_be_part_of_a_folder(tmp_path: Path, tiny_classifier: EncoderClassifier):
    artifact.save(tiny_classifier, tmp_path / "rate=2e-5")

    found = parse_candidate(f"pipeline:{tmp_path / 'rate=2e-5'}")

    assert found.folder.name == "rate=2e-5"
    assert parse_candidate(found.specification).folder == found.folder


@pytest.mark.parametrize("text", ["=folder", "name="])
def test_half_of_a_name_is_refused(text: str):
    with pytest.raises(UsageError, match="is not NAME=FOLDER; pass both, or the folder alone"):
        parse_candidate(text)


def test_what_is_no_model_is_refused(tmp_path: Path):
    with pytest.raises(ArtifactError, match=r"it has no artifact\.json"):
        parse_candidate(str(tmp_path))


def test_one_name_for_two_models_is_refused(folder: Path):
    with pytest.raises(UsageError, match="two models are called 'tiny'; tell them apart with NAME"):
        parse_candidates([str(folder), str(folder)])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["sports", "stocks", "education"], "it has the same labels in another order"),
        (["stocks", "sports", "game"], "it has other labels: education, game are not in both"),
    ],
)
def test_models_with_other_labels_are_refused(
    folder: Path, tiny_classifier: EncoderClassifier, tmp_path: Path, names, message: str
):
    tiny_classifier.labels = Labels.of(names)
    artifact.save(tiny_classifier, tmp_path / "other")

    with pytest.raises(UsageError, match="'other' cannot be compared with 'tiny': " + message):
        parse_candidates([str(folder), str(tmp_path / "other")])
