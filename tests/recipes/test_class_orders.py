"""Each file's ids are places in its own list of classes; models and data are matched by name."""

from pathlib import Path

import pytest

from cli import main
from models import artifact
from models.student import StudentClassifier
from titles import LabelledTitles


@pytest.fixture
def student(tmp_path: Path, tiny_student: StudentClassifier) -> Path:
    artifact.save(tiny_student, tmp_path / "student", temperature=5.0)
    return tmp_path / "student"


@pytest.fixture
def backwards(tmp_path: Path, three_topics: LabelledTitles) -> Path:
    """The titles of `titles`, beside a list that is the other way round."""
    folder = tmp_path / "backwards"
    folder.mkdir()
    (folder / "class.txt").write_text("education\nsports\nstocks\n")
    rows = zip(three_topics.titles, three_topics.label_ids, strict=True)
    text = "".join(f"{title}\t{2 - label}\n" for title, label in rows)
    (folder / "titles.txt").write_text(text, encoding="utf-8")
    return folder / "titles.txt"


def metrics_of(output: Path) -> dict[str, float]:
    metrics = dict(artifact.load(output).manifest.provenance.metrics)
    metrics.pop("training_seconds", None)
    return metrics


@pytest.mark.parametrize(
    "verb",
    [
        ["quantize", "STUDENT", "--method", "torch", "--max-drop", "100"],
        ["ensemble", "STUDENT", "STUDENT"],
        ["average", "STUDENT", "STUDENT"],
    ],
)
def test_a_dev_file_may_count_its_classes_otherwise(
    verb: list[str], tmp_path: Path, student: Path, titles: Path, backwards: Path
):
    verb = [str(student) if word == "STUDENT" else word for word in verb]

    for dev, name in ((titles, "one"), (backwards, "other")):
        assert main([*verb, "--dev", str(dev), "--output", str(tmp_path / name)]) == 0

    assert metrics_of(tmp_path / "one") == metrics_of(tmp_path / "other")


@pytest.mark.parametrize("verb", ["train width", "distill"])
def test_what_is_learned_from_may_count_its_classes_otherwise(
    verb: str, tmp_path: Path, student: Path, titles: Path, backwards: Path
):
    own = {
        "train width": ["--trees", "2"],
        "distill": ["--teacher", str(student), "--epochs", "1", "--layers", "1"],
    }[verb]
    verb_words = [*verb.split(), *own]

    for train, dev, name in ((titles, titles, "one"), (titles, backwards, "other")):
        files = ["--train", str(train), "--dev", str(dev), "--output", str(tmp_path / name)]
        assert main([*verb_words, *files]) == 0
    if verb == "distill":  # into the classes of its teacher
        files = ["--train", str(backwards), "--dev", str(titles)]
        assert main([*verb_words, *files, "--output", str(tmp_path / "third")]) == 0
        assert artifact.load(tmp_path / "third").labels.names == ("stocks", "sports", "education")
        assert metrics_of(tmp_path / "third") == metrics_of(tmp_path / "one")

    assert metrics_of(tmp_path / "other") == metrics_of(tmp_path / "one")


@pytest.mark.parametrize("verb", ["train encoder", "distill", "train width"])
def test_titles_of_one_class_are_refused(
    verb: str,
    tmp_path: Path,
    tiny_encoder: Path,
    student: Path,
    titles: Path,
    capsys: pytest.CaptureFixture[str],
):
    titles.write_text("股市涨\t0\n股市跌\t0\n", encoding="utf-8")
    own = {
        "train encoder": ["--encoder", str(tiny_encoder)],
        "distill": ["--teacher", str(student)],
        "train width": [],
    }[verb]
    files = ["--train", str(titles), "--dev", str(titles), "--output", str(tmp_path / "out")]

    assert main([*verb.split(), *own, *files]) == 3

    assert "titles.txt: the training titles are of 1 class(es)" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
