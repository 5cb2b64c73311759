import csv
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from evaluation.evaluate import evaluate
from evaluation.table import format_evaluation
from models import artifact
from models.artifact import LoadedModel
from models.encoder import EncoderClassifier
from models.errors import UsageError
from titles import LabelledTitles


@pytest.fixture
def model(tmp_path: Path, tiny_classifier: EncoderClassifier) -> LoadedModel:
    artifact.save(tiny_classifier, tmp_path / "model", temperature=2.0)
    return artifact.load(tmp_path / "model")


def test_the_metrics_are_those_of_the_models_own_scores(
    model: LoadedModel, three_topics: LabelledTitles
):
    report = evaluate(model, three_topics, show_progress=False)

    gold = three_topics.label_ids
    predicted = model.predict_proba(three_topics.titles).argmax(axis=1)
    assert report["rows"] == report["labelled_rows"] == len(three_topics)
    assert report["accuracy"] == pytest.approx((gold == predicted).mean())
    assert np.array(report["confusion_matrix"]).sum() == len(three_topics)
    low, high = report["interval_95"]["accuracy"]
    assert low <= report["accuracy"] <= high
    assert report["titles_per_s"] > 0
    assert report["peak_memory_mb"] > 50
    assert report["ece_before"] != report["ece_after"]


def test_leaked_titles_are_left_out_of_a_second_score(
    model: LoadedModel, three_topics: LabelledTitles
):
    predicted = model.predict_proba(three_topics.titles).argmax(axis=1)
    training = three_topics.take(np.flatnonzero(predicted != three_topics.label_ids)).titles

    report = evaluate(model, three_topics, training_titles=training, show_progress=False)

    assert report["without_leaks"]["leaked_titles"] == len(training)
    assert report["without_leaks"]["accuracy"] == 1.0
    assert report["accuracy"] < 1.0


def test_predictions_hold_every_title_and_score(
    tmp_path: Path, model: LoadedModel, three_topics: LabelledTitles
):
    evaluate(model, three_topics, tmp_path / "scored.csv", show_progress=False)
    evaluate(model, three_topics, tmp_path / "scored.jsonl", show_progress=False)

    with (tmp_path / "scored.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    lines = (tmp_path / "scored.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    scores = model.predict_proba(three_topics.titles)
    rows = zip(three_topics.titles, three_topics.label_ids, table, records, scores, strict=True)
    for title, label_id, cells, record, expected in rows:
        best = model.labels.names[int(expected.argmax())]
        assert cells["title"] == record["title"] == title
        assert cells["gold"] == record["gold"] == model.labels.names[label_id]
        assert cells["predicted"] == record["predicted"] == best
        assert (
            float(cells["confidence"])
            == record["confidence"]
            == pytest.approx(expected.max(), abs=1e-6)
        )
        assert [float(cells[n]) for n in model.labels.names] == pytest.approx(
            expected.tolist(), abs=1e-6
        )
        assert [*record["scores"].values()] == pytest.approx(expected.tolist(), abs=1e-6)


def test_unlabelled_titles_are_scored_without_metrics(
    tmp_path: Path, model: LoadedModel, three_topics: LabelledTitles
):
    report = evaluate(
        model, iter(three_topics.titles), tmp_path / "scored.jsonl", show_progress=False
    )

    assert report["rows"] == len(three_topics)
    assert "accuracy" not in report
    first = json.loads((tmp_path / "scored.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first["gold"] is None


def test_another_suffix_is_refused_before_anything_is_scored(model: LoadedModel, tmp_path: Path):
    with pytest.raises(UsageError, match=r"written as \.csv or \.jsonl; change the suffix"):
        evaluate(model, iter(["股市"]), tmp_path / "scored.xlsx", show_progress=False)


def test_an_interrupted_evaluation_leaves_no_predictions(tmp_path: Path, model: LoadedModel):
    def broken() -> Iterator[str]:
        yield from ["股市"] * 3000
        raise RuntimeError

    with pytest.raises(RuntimeError):
        evaluate(model, broken(), tmp_path / "scored.csv", show_progress=False)

    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_the_table_shows_the_scores(model: LoadedModel, three_topics: LabelledTitles):
    report = evaluate(
        model, three_topics, training_titles=three_topics.titles[:1], show_progress=False
    )

    text = format_evaluation(report)

    assert f"accuracy   {report['accuracy']:.2%}  (95 % interval" in text
    assert "without 1 titles that occur in the training data" in text
    for label in ("stocks", "sports", "education"):
        assert f"\n{label}" in text
