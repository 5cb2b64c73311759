from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

from evaluation.candidates import PIPELINE_ROUTE, parse_candidates
from evaluation.compare import compare, require_models_classes, result_of
from evaluation.comparison import Comparison
from evaluation.significance import mcnemar
from models import artifact
from models.classifier import Scores
from models.errors import DataError, UsageError
from models.labels import Labels
from scoring.store import ScoreStore
from titles import LabelledTitles, Source, leaked, read

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture(scope="module")
def compared(
    sample_models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Comparison:
    data = read(Source(SAMPLES / "test.txt"))
    leaks = leaked(data.titles, data.titles[:30])
    candidates = parse_candidates([str(folder) for folder in sample_models.values()])
    store = ScoreStore(tmp_path_factory.mktemp("scores"))
    return compare(candidates, data, store, show_progress=False, leaks=leaks)


def test_every_models_metrics_are_scikit_learns(compared: Comparison):
    gold = compared.data.label_ids
    for model in compared.models:
        loaded = artifact.load(model.candidate.folder)
        scores = loaded.predict_proba(compared.data.titles)
        predicted = scores.argmax(axis=1)
        assert model.score == pytest.approx(sklearn_metrics.accuracy_score(gold, predicted))
        macro_f1 = sklearn_metrics.f1_score(gold, predicted, average="macro")
        assert model.metrics["macro_f1"] == pytest.approx(macro_f1)
        confusion = sklearn_metrics.confusion_matrix(gold, predicted)
        assert model.metrics["confusion_matrix"] == confusion.tolist()
        np.testing.assert_allclose(model.calibrated, scores, atol=1e-6)
        clean = model.metrics["without_leaks"]
        assert clean["leaked_titles"] == 30
        assert clean["accuracy"] == pytest.approx((gold == predicted)[30:].mean())


def test_pairs_are_tested_on_the_same_titles(compared: Comparison):
    gold = compared.data.label_ids
    linear, fasttext = ([*(model.predicted == gold)] for model in compared.models)
    one = sum(a and not b for a, b in zip(linear, fasttext, strict=True))
    other = sum(b and not a for a, b in zip(linear, fasttext, strict=True))

    pair = compared.pair(*compared.models)

    assert (pair.only_first, pair.only_second) == (one, other)
    assert (pair.p_value, pair.method) == mcnemar(one, other)
    assert compared.pair(*reversed(compared.models)) is pair


def test_the_best_is_the_most_accurate_and_then_the_smallest(make_comparison):
    comparison = make_comparison({"a": 8, "b": 9, "c": 9}, of=10, sizes=[1, 30, 20])

    assert comparison.best.name == "c"


def test_fronts_weigh_accuracy_against_each_cost(make_comparison):
    comparison = make_comparison(
        {"large": 90, "small": 85, "slow": 81},
        of=100,
        sizes=[400, 14, 20],
        speeds=[(15.0, 100, 900), (1.1, 2500, 200), (40.0, 3000, 300)],
    )

    assert comparison.fronts == {
        "size": [True, True, False],
        "latency": [True, True, False],
        "throughput": [True, True, True],
    }


def test_a_reference_is_neither_chosen_nor_tested_nor_on_a_front(make_comparison):
    comparison = make_comparison(
        {"encoder": 90, "pipeline": 90, "small": 85},
        of=100,
        sizes=[5, 5, 1],
        routes={"pipeline": PIPELINE_ROUTE},
    )

    assert comparison.best.name == "encoder"
    assert [(pair.first, pair.second) for pair in comparison.pairs] == [("encoder", "small")]
    assert comparison.fronts == {"size": [True, False, True]}


def test_titles_of_other_classes_or_of_none_are_refused(make_candidate):
    ours = Labels.of(["weather", "stocks"])
    model = make_candidate("tiny", Labels.of(["stocks", "weather"]))

    with pytest.raises(UsageError) as caught:
        require_models_classes(LabelledTitles.of(["雨"], [0], ours, "x.txt"), model)
    assert str(caught.value) == (
        "x.txt has the classes weather, stocks, but 'tiny' has stocks, weather; read the titles "
        "with the model's classes"
    )

    outside = LabelledTitles.of(["雨"], [-1], Labels.of(["stocks", "weather"]), "x.txt")
    with pytest.raises(DataError, match="no title is known to be of one class"):
        require_models_classes(outside, model)


def test_of_newsrooms_the_mean_macro_recall_decides(make_comparison):
    """Newsroom one has the first 20 titles, two the last 20; their classes have 7, 7 and 6 each."""
    hits = np.arange(40) % 3 != 0  # class 0 is never right
    comparison = make_comparison({"a": hits.tolist(), "b": 30}, of=40, newsrooms=["one", "two"])
    a, b = comparison.models

    assert comparison.metric == "macro recall"
    assert a.newsrooms == {"one": pytest.approx(2 / 3), "two": pytest.approx(2 / 3)}
    assert a.score == pytest.approx(2 / 3)
    assert b.newsrooms["two"] == 1
    assert comparison.best is b
    low, high = b.interval
    assert low < b.score < high < 1
    assert {pair.method for pair in comparison.pairs} <= {"normal", "sign flips"}


def test_an_ablation_is_tested_but_neither_chosen_nor_on_a_front(make_comparison):
    comparison = make_comparison({"no-teacher": 950, "student": 940})

    assert comparison.best.name == "student"
    assert comparison.fronts == {"size": [False, False]}
    assert len(comparison.pairs) == 1
    assert set(comparison.letters) == {"no-teacher", "student"}
    assert make_comparison({"no-teacher": 950}).best.name == "no-teacher"


def test_a_million_titles_cost_core_hours(make_comparison):
    """At 1,000 titles a second on two cores: 1,000 s of both."""
    (timed,) = make_comparison({"a": 900}, speeds=[(1.0, 1000, 200)]).models

    comparison = make_comparison({"a": 900}, speeds=[(1.0, 1000, 200)])
    assert comparison.core_hours(timed) == pytest.approx(2000 / 3600)
    untimed = make_comparison({"a": 900})
    assert untimed.core_hours(untimed.models[0]) is None


def test_the_recommended_model_is_given_titles_in_other_forms(compared: Comparison):
    forms = {each.form: each for each in compared.forms}

    assert forms["flash"].titles == 200
    assert 0 < forms["clickbait tail"].flipped < 1


def test_a_front_has_a_floor(make_comparison):
    """Ten points behind is just not too far."""
    comparison = make_comparison({"best": 900, "low": 800, "far": 799}, sizes=[9, 8, 7])

    assert comparison.fronts == {"size": [True, True, False]}


def test_a_model_that_has_learned_nothing_is_on_no_front_however_small(make_comparison):
    comparison = make_comparison({"good": 950, "guesses": 350}, sizes=[9_000_000, 1_000])

    assert [model.has_learned for model in comparison.models] == [True, False]
    assert comparison.fronts == {"size": [True, False]}


def test_titles_that_leak_and_models_made_from_them_are_remarkable(
    compared: Comparison, make_comparison
):
    assert [remark.code for remark in compared.remarks] == ["leak"]
    assert compared.remarks[0].message.startswith(
        "30 of the 200 titles of test.txt stand in the training data, too"
    )
    assert make_comparison({"good": 950}).remarks == []


def test_titles_that_are_cut_off_and_titles_that_cannot_be_read(make_candidate):
    """The one is said of each model that cuts; the other counts for no confidence."""
    labels = Labels.of(["stocks", "sports"])
    data = LabelledTitles.of(["股市", "????????"] * 5, [0, 1] * 5, labels, "test.txt")
    raw = np.tile(np.float32([0.9, 0.1]), (10, 1))
    cuts = {"short": np.arange(10) < 6, "long": np.zeros(10, bool)}

    models = tuple(
        result_of(make_candidate(name, labels), data, Scores(raw, cut), None)
        for name, cut in cuts.items()
    )

    found = Comparison(data, models, (), {}, None).remarks
    assert [each.message.split(" tokens")[0] for each in found if each.code == "truncated"] == [
        "6 of the 10 titles of test.txt are longer than the"
    ]
    np.testing.assert_allclose(models[0].calibrated[:2], [[0.9, 0.1], [0.5, 0.5]], rtol=1e-6)
    assert models[0].metrics["brier_after"] < models[0].metrics["brier_before"]
