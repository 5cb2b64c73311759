from collections.abc import Sequence

import numpy as np

from models.classifier import Scores, predict
from models.labels import Labels


class Fixed:
    """Scores titles by a table."""

    labels = Labels.of(["finance", "sports", "other"])

    def score(self, titles: Sequence[str]) -> Scores:
        table = {"a": [0.2, 0.7, 0.1], "b": [0.4, 0.4, 0.2]}
        probabilities = np.array([table[title] for title in titles], dtype=np.float32)
        return Scores(probabilities, np.array([title == "b" for title in titles]))


def test_predict_ranks_the_classes_and_keeps_the_order_of_titles():
    first, second = predict(Fixed(), ["b", "a"], top_k=2)

    assert (first.title, first.truncated) == ("b", True)
    assert [r.label for r in first.ranking] == ["finance", "sports"]  # a tie: the labels' order
    assert (second.best.label, second.best.display_name) == ("sports", "体育")
    assert round(second.best.score, 6) == 0.7


def test_without_top_k_the_best_class_alone_is_given():
    (prediction,) = predict(Fixed(), ["a"])

    assert [r.label for r in prediction.ranking] == ["sports"]


def test_top_k_beyond_the_classes_gives_them_all():
    (prediction,) = predict(Fixed(), ["a"], top_k=9)

    assert [r.label for r in prediction.ranking] == ["sports", "finance", "other"]


def test_what_is_less_sure_than_the_threshold_is_unknown_and_so_is_what_cannot_be_read():
    class Readable(Fixed):
        def score(self, titles: Sequence[str]) -> Scores:
            return super().score(["a", "b", "a"])

    found = predict(Readable(), ["股市", "球队", "????????"], threshold=0.7 - 1e-6)

    assert [each.unknown for each in found] == [False, True, True]
    assert [each.readable for each in found] == [True, True, False]
    unsure = predict(Readable(), ["股市", "球队", "高考"])
    assert not any(each.unknown for each in unsure)
    exactly = float(np.float32(0.7))
    assert not predict(Readable(), ["股市", "球队", "高考"], threshold=exactly)[0].unknown
