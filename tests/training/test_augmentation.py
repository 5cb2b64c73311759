"""Rows of tokens, some of them of the title in another form."""

from collections import Counter

import numpy as np
import pytest

from training.augmentation import TitleRows
from training.batches import LengthBucketedBatches

TITLES = ["国足客场一球小胜 小组赛取得开门红", "股市午后拉升 券商板块涨逾3%"] * 50


def tokens(titles: list[str]) -> list[list[int]]:
    return [[ord(character) for character in title] for title in titles]


def test_without_other_forms_every_title_is_a_row():
    rows = TitleRows(TITLES, tokens, False, seed=1)

    assert rows([3, 0]) == tokens([TITLES[3], TITLES[0]])
    assert rows.lengths == [len(title) for title in TITLES]
    assert rows.titles_of([3, 0]) == [3, 0]


def test_with_other_forms_every_title_is_two_rows():
    rows, plain = TitleRows(TITLES, tokens, True, seed=1), tokens(TITLES)

    assert rows(range(100)) == plain
    others = rows(range(100, 200))
    assert rows.lengths == [*map(len, plain), *map(len, others)]
    assert rows.titles_of([3, 103, 199]) == [3, 3, 99]
    assert sum(other != row for other, row in zip(others, plain, strict=True)) > 60


def test_the_other_forms_are_of_the_seed():
    first, second, third = (TitleRows(TITLES, tokens, True, seed).rows for seed in (2, 2, 3))

    assert first == second != third


@pytest.mark.parametrize("weights", [None, np.linspace(0, 2, 1000)])
def test_a_share_of_the_readings_is_of_the_other_rows(weights: np.ndarray | None):
    batches = LengthBucketedBatches([5] * 2000, 32, 3, weights, other_share=0.3)

    readings = [row for number in range(5) for batch in batches.epoch(number) for row in batch]

    assert len(readings) == 5 * 1000
    other = sum(row >= 1000 for row in readings) / len(readings)
    assert other == pytest.approx(0.3, abs=0.03)
    read = Counter(row % 1000 for row in readings)
    if weights is None:
        assert set(read.values()) == {5}
    else:
        assert sum(read[i] for i in range(500)) == pytest.approx(5 * weights[:500].sum(), rel=0.02)


def test_a_batch_is_of_one_length_whichever_the_form():
    """Else a few long forms would have all others padded."""
    lengths = [10] * 3200 + [30] * 3200
    batches = LengthBucketedBatches(lengths, 32, 3, other_share=0.3).epoch(0)

    mixed = sum(len({lengths[row] for row in batch}) > 1 for batch in batches)
    assert mixed <= len(batches) // 50 + 1
