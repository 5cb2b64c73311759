import numpy as np
import pytest
from scipy.stats import binomtest

from evaluation.slices import LENGTHS, lengths_of, months_of, slices, wilson
from models.labels import Labels
from titles import LabelledTitles
from titles.newsroom_labels import NewsroomLabel, NewsroomLabels

LABELS = Labels.of(["stocks", "sports"])
KINDS = (
    NewsroomLabel("wire", "stocks", (0,)),
    NewsroomLabel("wire", "cars", ()),
    NewsroomLabel("blog", "sports", (1,)),
)


@pytest.mark.parametrize(
    ("characters", "bin_"),
    [(1, 0), (11, 0), (12, 1), (24, 1), (25, 2), (29, 2), (30, 3), (99, 3)],
)
def test_a_title_is_in_the_bin_of_its_length(characters: int, bin_: int):
    assert lengths_of(["题" * characters]) == [LENGTHS[bin_]]


def test_slices_are_of_each_newsroom_and_of_all_without_titles_of_no_class():
    labels = NewsroomLabels(KINDS, np.array([0, 0, 1, 2]))
    dates = ["2026-07-01", "2026-06-30", "2026-06", None]
    data = LabelledTitles.of(["a", "b", "c", "d"], [0, 0, -1, 1], LABELS, "x", labels, dates)

    months = months_of(data)
    found = slices(np.array([True, False, True, True]), months, ["2026-06", "2026-07"], data)

    assert months == ["2026-07", "2026-06", "2026-06", None]
    assert [(each.part, each.newsroom, each.titles, each.right) for each in found] == [
        ("2026-06", "all", 1, 0.0),
        ("2026-06", "wire", 1, 0.0),
        ("2026-07", "all", 1, 1.0),
        ("2026-07", "wire", 1, 1.0),
    ]


@pytest.mark.parametrize(("hits", "titles"), [(0, 7), (3, 10), (60, 100), (100, 100)])
def test_intervals_are_scipys(hits: int, titles: int):
    expected = binomtest(hits, titles).proportion_ci(method="wilson")

    assert wilson(hits / titles, titles) == pytest.approx((expected.low, expected.high), abs=1e-6)
