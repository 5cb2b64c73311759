from pathlib import Path

import pytest

from cli import main
from models import artifact
from models.encoder import EncoderClassifier


@pytest.fixture
def model(tmp_path: Path, tiny_classifier: EncoderClassifier) -> Path:
    artifact.save(tiny_classifier, tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def titles(tmp_path: Path) -> Path:
    (tmp_path / "class.txt").write_text("stocks\nsports\neducation\n")
    path = tmp_path / "titles.txt"
    path.write_text("股市今日涨\t0\n球队比赛\t1\n高考分数\t2\n", encoding="utf-8")
    return path


def verbs(model: Path, titles: Path) -> list[list[str]]:
    return [
        ["data", "check", str(titles)],
        ["evaluate", str(model), str(titles)],
        ["verify", str(model), "--among", str(titles.parent)],
        ["classify", "--model", str(model), "股市", "长" * 300],
    ]


def test_a_result_is_replaced_by_a_result_alone(
    model: Path, titles: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    for words in verbs(model, titles):
        for form in ([], ["--json"]):
            result = tmp_path / "result"
            assert main([*words, *form, "--output", str(result)]) == 0
            assert main([*words, *form, "--output", str(result)]) == 0, words
            assert main([*words, *form, "--output", str(notes)]) == 2
    assert notes.read_text() == "mine"
    said = capsys.readouterr().err
    start = f"{notes} is there already and is not a result that biaoti printed: it begins otherwise"
    assert f"{start}; choose another output, or insist with --force" in said
    assert f"{start}; choose another output, or remove it" in said
    assert main(["evaluate", str(model), str(titles), "--force", "--output", str(notes)]) == 0


def test_a_result_never_takes_the_place_of_what_the_verb_reads(
    model: Path, titles: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    for words in verbs(model, titles):
        for output in (titles, model / "config.json", model / "new.json", tmp_path, model):
            assert main([*words, "--output", str(output)]) == 2, (words, output)
    predictions = tmp_path / "scores.csv"
    words = ["evaluate", str(model), str(titles), "--predictions", str(predictions)]
    assert main([*words, "--output", str(predictions)]) == 2

    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert f"{titles} is read from; choose another output" in capsys.readouterr().err
