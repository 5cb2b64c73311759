import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss

from evaluation.evaluate import evaluate
from evaluation.table import format_evaluation
from models import artifact
from models.artifact import LoadedModel
from models.encoder import EncoderClassifier
from models.errors import DataError, UsageError
from scoring.given_scores import read_predictions
from scoring.predictions import Origin
from scoring.store import ScoreStore
from titles import NO_LABEL, LabelledTitles
from titles.newsroom_labels import NewsroomLabel, NewsroomLabels


@pytest.fixture(scope="module")
def data(three_topics: LabelledTitles) -> LabelledTitles:
    return three_topics


@pytest.fixture
def store(tmp_path: Path) -> ScoreStore:
    return ScoreStore(tmp_path / "scores")


@pytest.fixture
def model(tmp_path: Path, tiny_classifier: EncoderClassifier) -> LoadedModel:
    artifact.save(tiny_classifier, tmp_path / "model", temperature=2.0)
    return artifact.load(tmp_path / "model")


def test_the_metrics_are_those_of_the_models_own_scores(
    model: LoadedModel, data: LabelledTitles, store: ScoreStore
):
    report = evaluate(model, data, store, show_progress=False)

    scores, gold = model.predict_proba(data.titles), data.label_ids
    assert report["rows"] == report["labelled_rows"] == len(data)
    assert report["accuracy"] == pytest.approx((gold == scores.argmax(axis=1)).mean())
    assert np.array(report["confusion_matrix"]).sum() == len(data)
    low, high = report["interval_95"]["accuracy"]
    assert low <= report["accuracy"] <= high
    assert report["peak_memory_mb"] > 50
    assert report["ece_before"] != report["ece_after"]
    assert report["brier_after"] == pytest.approx(brier_score_loss(gold, scores), abs=1e-6)
    raw = model.uncalibrated.predict_proba(data.titles)
    assert report["brier_before"] == pytest.approx(brier_score_loss(gold, raw), abs=1e-6)


def test_only_titles_that_are_not_known_are_scored_and_timed(
    model: LoadedModel, data: LabelledTitles, store: ScoreStore
):
    store.raw(model, data.titles[:10], show_progress=False)

    first = evaluate(model, data, store, show_progress=False)
    second = evaluate(model, data, store, show_progress=False)

    assert (first["known_rows"], second["known_rows"]) == (10, len(data))
    assert first["titles_per_s"] > 0
    assert second["titles_per_s"] is None
    assert first["accuracy"] == second["accuracy"]


def test_leaked_titles_are_left_out_of_a_second_score(
    model: LoadedModel, data: LabelledTitles, store: ScoreStore
):
    wrong = data.label_ids != model.predict_proba(data.titles).argmax(axis=1)
    training = [title for title, is_wrong in zip(data.titles, wrong, strict=True) if is_wrong]

    report = evaluate(model, data, store, training_titles=training, show_progress=False)

    assert report["without_leaks"]["leaked_titles"] == len(training)
    assert report["without_leaks"]["accuracy"] == 1.0
    assert report["accuracy"] < 1.0


def test_titles_that_the_model_does_not_read_to_their_end_are_remarkable(
    tmp_path: Path, tiny_classifier: EncoderClassifier, data: LabelledTitles, store: ScoreStore
):
    tiny_classifier.max_length = 4
    artifact.save(tiny_classifier, tmp_path / "short")
    model = artifact.load(tmp_path / "short")

    reports = [evaluate(model, data, store, show_progress=False) for _ in range(2)]

    for report in reports:  # the second time, no title is scored anew
        told = {remark["code"]: remark["message"] for remark in report["remarks"]}
        assert f"{len(data)} of the {len(data)} titles" in told["truncated"]
        assert "the 4 tokens that short reads" in told["truncated"]


def test_a_title_that_nobody_can_read_is_given_no_confidence(
    tmp_path: Path, model: LoadedModel, data: LabelledTitles, store: ScoreStore
):
    titles = LabelledTitles.of(["????????", data.titles[0]], [0, 1], data.labels, "t.txt")

    evaluate(model, titles, store, tmp_path / "scored.jsonl", show_progress=False)

    scores = read_predictions(tmp_path / "scored.jsonl", model.labels).scores
    np.testing.assert_allclose(scores[0], 1 / len(data.labels), rtol=1e-6)
    assert scores[1].max() > 1.05 / len(data.labels)


@pytest.mark.parametrize("name", ["scored.csv", "scored.jsonl"])
def test_predictions_hold_every_title_and_score_and_say_whose(
    tmp_path: Path, model: LoadedModel, data: LabelledTitles, store: ScoreStore, name: str
):
    evaluate(model, data, store, tmp_path / name, show_progress=False)

    found = read_predictions(tmp_path / name, model.labels)
    assert found.titles == data.titles
    assert found.label_ids.tolist() == data.label_ids.tolist()
    assert (found.scores == store.calibrated(model, data.titles)).all()
    assert found.origin == Origin(
        "model", model.manifest.version, "titles", data.fingerprint.sha256
    )


def test_titles_without_a_label_are_scored_without_metrics(
    tmp_path: Path, model: LoadedModel, data: LabelledTitles, store: ScoreStore
):
    unlabelled = replace(data, label_ids=np.full(len(data), NO_LABEL))

    report = evaluate(model, unlabelled, store, tmp_path / "scored.jsonl", show_progress=False)

    assert report["rows"] == len(data)
    assert "accuracy" not in report
    first = json.loads((tmp_path / "scored.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first["gold"] is None


def test_the_metrics_are_of_the_labelled_titles_alone(
    model: LoadedModel, data: LabelledTitles, store: ScoreStore
):
    mixed = data.take(range(9)).with_unlabelled(data.titles[9:])

    report = evaluate(model, mixed, store, show_progress=False)

    assert (report["rows"], report["labelled_rows"]) == (len(data), 9)
    expected = evaluate(model, data.take(range(9)), store, show_progress=False)
    assert report["confusion_matrix"] == expected["confusion_matrix"]


def test_another_suffix_is_refused_before_anything_is_scored(
    model: LoadedModel, data: LabelledTitles, store: ScoreStore, tmp_path: Path
):
    with pytest.raises(UsageError, match=r"written as \.csv or \.jsonl; change the suffix"):
        evaluate(model, data, store, tmp_path / "scored.xlsx", show_progress=False)

    assert not store.folder.exists()


def test_an_interrupted_evaluation_leaves_no_predictions(
    model: LoadedModel, data: LabelledTitles, store: ScoreStore, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    monkeypatch.setattr(EncoderClassifier, "score", lambda *_: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        evaluate(model, data, store, tmp_path / "scored.csv", show_progress=False)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "scores"]


def test_the_table_shows_the_scores(model: LoadedModel, data: LabelledTitles, store: ScoreStore):
    training = [data.titles[0]]
    report = evaluate(model, data, store, training_titles=training, show_progress=False)

    text = format_evaluation(report)

    assert f"accuracy   {report['accuracy']:.2%}  (95 % interval" in text
    assert "without 1 titles that occur in the training data" in text
    assert f"Brier      {report['brier_before']:.4f} before" in text
    assert f"speed      {report['titles_per_s']:,.0f} titles/s\n" in text
    for label in ("stocks", "sports", "education"):
        assert f"\n{label}" in text


def test_the_table_says_how_many_scores_were_known(
    model: LoadedModel, data: LabelledTitles, store: ScoreStore
):
    store.raw(model, data.titles[:10], show_progress=False)

    some, none = (evaluate(model, data, store, show_progress=False) for _ in range(2))

    assert "titles/s; the scores of 10 titles were known\n" in format_evaluation(some)
    assert (
        f"speed      not measured: the scores of {len(data)} titles were known\n"
        in format_evaluation(none)
    )


def test_that_every_title_leaks_is_said_where_no_second_score_is_left(
    model: LoadedModel, data: LabelledTitles, store: ScoreStore, caplog: pytest.LogCaptureFixture
):
    report = evaluate(model, data, store, training_titles=data.titles, show_progress=False)

    told = f"all {len(data)} titles of titles stand in the training data, too: a score on them"
    assert [remark["code"] for remark in report["remarks"]][:2] == ["few-titles", "leak"]
    assert report["remarks"][1]["message"].startswith(told)
    assert f"warning: leak: {told}" in caplog.text
    assert report["without_leaks"] == {
        "leaked_titles": len(data),
        "accuracy": None,
        "macro_f1": None,
    }
    text = format_evaluation(report)
    assert "no leaks   not known: every title occurs in the training data\n" in text
    assert f"warning    leak: {told}" in text


def test_a_model_that_answers_at_random_is_said_to_be_no_better_than_the_majority(
    model: LoadedModel, data: LabelledTitles, store: ScoreStore
):
    report = evaluate(model, data, store, show_progress=False)

    codes = [remark["code"] for remark in report["remarks"]]
    assert "no-better-than-majority" in codes
    assert report["accuracy"] < 0.5


def test_titles_that_are_not_there_are_no_result(
    model: LoadedModel, data: LabelledTitles, store: ScoreStore
):
    with pytest.raises(DataError, match="no titles; give a file that has some"):
        evaluate(model, data.take([]), store, show_progress=False)


@pytest.mark.parametrize(
    ("meanings", "told", "not_told"),
    [
        (((0, 1), (), (1, 2)), ["right", "recall", "ECE"], ["macro-F1", "Brier"]),
        (((), ()), ["titles"], ["right", "recall", "macro-F1", "ECE", "Brier"]),
    ],
    ids=["none of exactly one class", "none of any"],
)
def test_of_newsrooms_labels_is_told_what_they_can_tell(
    model: LoadedModel, data: LabelledTitles, store: ScoreStore,
    meanings: tuple[tuple[int, ...], ...], told: list[str], not_told: list[str],
):  # fmt: skip
    kinds = tuple(NewsroomLabel("desk", f"label {i}", of) for i, of in enumerate(meanings))
    labels = NewsroomLabels(kinds, np.arange(len(data)) % len(kinds))
    titles = LabelledTitles.of(data.titles, labels.class_ids(), data.labels, "desk", labels)

    report = evaluate(model, titles, store, show_progress=False)

    (row,) = report["newsrooms"]
    assert row["outside"] == sum(not meanings[kind] for kind in labels.ids)
    assert row["titles"] == len(data) - row["outside"]
    lines = [line.split()[0] for line in format_evaluation(report).splitlines() if line]
    assert [word for word in told if word not in lines] == []
    assert [word for word in not_told if word in lines] == []
    json.dumps(report, allow_nan=False)
