"""Scores read back from predictions files, and what is refused."""

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from models.artifact import Manifest
from models.errors import DataError
from models.labels import Labels
from models.manifest import Ingredient
from scoring.given_scores import Predictions, merge_predictions, read_predictions
from scoring.predictions import COLUMNS, Origin, write_predictions
from titles import NO_LABEL, LabelledTitles

LABELS = Labels.of(["stocks", "sports"])
SCORES = np.array([[0.75, 0.25], [0.0, 1.0]], np.float32)
HEADER = ",".join([*COLUMNS, *LABELS.names])
ROW = "a,,stocks,1,teacher,1a,train.txt,ff"

Written = Callable[..., Predictions]


@pytest.fixture
def written(tmp_path: Path, make_manifest: Callable[..., Manifest]) -> Written:
    """Writes scores of titles without labels by a model called teacher, and reads them back."""

    def write(
        name: str, titles: Sequence[str], scores: np.ndarray = SCORES, version: str = "1a"
    ) -> Predictions:
        data = LabelledTitles.of(titles, [NO_LABEL] * len(titles), LABELS)
        manifest = make_manifest("teacher", LABELS, version)
        write_predictions(tmp_path / name, manifest, data, scores)
        return read_predictions(tmp_path / name, LABELS)

    return write


@pytest.mark.parametrize("name", ["scored.csv", "scored.jsonl"])
def test_what_was_written_is_read_in_the_labels_order(
    tmp_path: Path, name: str, make_manifest: Callable[..., Manifest]
):
    titles = ['他说：“涨”, "really"', "换行\n标题"]
    data = LabelledTitles.of(titles, [0, NO_LABEL], LABELS, "train.txt")
    write_predictions(tmp_path / name, make_manifest("teacher", LABELS), data, SCORES)

    found = read_predictions(tmp_path / name, Labels.of(["sports", "stocks"]))

    assert found.titles == titles
    assert found.label_ids.tolist() == [1, NO_LABEL]
    origin = Origin("teacher", "0123456789ab", "train.txt", data.fingerprint.sha256)
    assert found.origin == origin
    digest = sha256((tmp_path / name).read_bytes()).hexdigest()
    assert found.ingredient == Ingredient("scores", "scores", name, digest)
    assert found.scores.tolist() == SCORES[:, ::-1].tolist()
    assert found.lines == ([2, 3] if name == "scored.csv" else [1, 2])


@pytest.mark.parametrize("name", ["scored.csv", "scored.jsonl"])
def test_every_float32_survives_the_round_trip(name: str, written: Written):
    scores = np.random.default_rng(0).dirichlet([0.05, 0.05], size=500).astype(np.float32)
    scores[0] = [np.finfo(np.float32).smallest_subnormal, 1.0]

    found = written(name, [f"title {i}" for i in range(500)], scores)

    assert found.scores.tobytes() == scores.tobytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{','.join(COLUMNS)},stocks\n{ROW},1\n", "2: scores for stocks, but the model's classes"),
        (f"{HEADER}\n{ROW},1,none\n", "2: a score is no number"),
        (f"{HEADER}\n{ROW},1\n", "2: 9 columns, not 10"),
        (f"{HEADER}\n", "no predictions; write it with"),
        ("text,stocks,sports\na,1,0\n", "1: not a predictions file: no title, gold, predicted"),
        (f"{HEADER}\n{ROW},1,nan\n", r"2: scores must lie from 0 to 1 and sum to 1, not \[1.0, n"),
        (f"{HEADER}\n{ROW},-0.5,1.5\n", "2: scores must lie from 0 to 1"),
        (f"{HEADER}\n{ROW},0.5,0.501\n", "2: scores must lie from 0 to 1 and sum to 1"),
        (f"{HEADER}\n{ROW},0.5,0.5\n{ROW},0.6,0.4\n", "3: 'a' is scored by teacher 1a here, and "),
        (f"{HEADER}\n{ROW.replace('1a', '')},1,0\n", "2: no model's version or data's SHA-256"),
        (f"{HEADER}\n{ROW},1,0\n{ROW.replace('1a', '2b')},1,0\n", "3: scores of teacher 2b for "),
        (f"{HEADER}\n{ROW.replace(',,', ',weather,')},1,0\n", "2: gold label 'weather' is not one"),
        (f'{HEADER}\n"a', "not a predictions file"),
    ],
)
def test_a_file_that_cannot_stand_for_a_models_scores_is_refused(
    tmp_path: Path, text: str, message: str
):
    (tmp_path / "table.csv").write_text(text, encoding="utf-8")

    with pytest.raises(DataError, match=rf"table\.csv:.*{message}"):
        read_predictions(tmp_path / "table.csv", LABELS)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("old.csv", "title,gold,predicted,confidence,stocks,sports\na,,stocks,1.0,1.0,0.0\n"),
        (
            "old.jsonl",
            json.dumps(
                {"title": "a", "gold": None, "predicted": "stocks", "confidence": 1.0}
                | {"scores": {"stocks": 1.0, "sports": 0.0}}
            ),
        ),
    ],
)
def test_an_older_export_is_refused_with_how_to_write_it_again(
    tmp_path: Path, name: str, text: str
):
    (tmp_path / name).write_text(text)

    with pytest.raises(DataError) as caught:
        read_predictions(tmp_path / name, LABELS)

    assert str(caught.value) == (
        f"{tmp_path / name}:1: no model, model_version, data, data_sha256: files of earlier "
        "revisions say neither which version of a model gave the scores nor of which data; write "
        "it again with 'biaoti evaluate FOLDER FILE --predictions'"
    )


def test_a_file_that_is_not_there_or_not_json_is_refused(tmp_path: Path):
    (tmp_path / "bad.jsonl").write_text("{\n")

    with pytest.raises(DataError, match="not a predictions file"):
        read_predictions(tmp_path / "none.csv", LABELS)
    with pytest.raises(DataError, match=r"bad\.jsonl:1: not JSON"):
        read_predictions(tmp_path / "bad.jsonl", LABELS)


@pytest.mark.parametrize("changed", [{"title": None}, {"gold": ["stocks"]}])
def test_a_title_or_a_label_that_is_not_text_is_refused(
    tmp_path: Path, written: Written, changed: dict[str, object]
):
    written("scored.jsonl", ["a", "b"])
    path = tmp_path / "scored.jsonl"
    first = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    path.write_text(json.dumps(first | changed))

    with pytest.raises(DataError, match=r"scored\.jsonl:1: title or gold is not text"):
        read_predictions(path, LABELS)


def test_titles_are_looked_up_in_all_files(written: Written):
    one = written("one.csv", ["a", "b"])
    other = written("other.csv", ["c", "d"], SCORES[::-1])

    scores, given = merge_predictions([one, other], ["d", "new", "b"])

    assert given.tolist() == [True, False, True]
    assert scores[given].tolist() == [SCORES[0].tolist(), SCORES[1].tolist()]


def test_a_title_scored_by_two_models_is_refused_with_both_places(tmp_path: Path, written: Written):
    one = written("one.csv", ["a", "b"])
    other = written("other.csv", ["b", "c"], SCORES[::-1], version="2b")

    with pytest.raises(DataError) as caught:
        merge_predictions([one, other], ["a", "b"])

    assert str(caught.value) == (
        f"{tmp_path / 'other.csv'}:2: 'b' is scored by teacher 2b here, and otherwise by teacher "
        f"1a in {tmp_path / 'one.csv'}:3; leave one of them out"
    )


def test_two_models_may_score_a_title_that_is_not_asked_for(written: Written):
    one = written("one.csv", ["a", "b"])
    other = written("other.csv", ["b", "c"], version="2b")

    scores, given = merge_predictions([one, other], ["a", "c"])

    assert given.all()
    assert scores.tolist() == SCORES.tolist()


def test_the_same_scores_of_one_model_may_stand_in_two_files(written: Written):
    one = written("one.csv", ["a", "b"])
    other = written("other.jsonl", ["b", "a"], SCORES[::-1])

    scores, _ = merge_predictions([one, other], ["a", "b"])

    assert scores.tolist() == SCORES.tolist()


def test_a_file_without_any_of_the_titles_is_refused(written: Written):
    one = written("one.csv", ["a", "b"])

    with pytest.raises(
        DataError, match=r"one\.csv:2: none of its 2 titles is among those to learn"
    ):
        merge_predictions([one], ["c"])
