"""How often a change of form changes a class: of a model that looks at nothing but the form."""

from collections.abc import Sequence

import numpy as np
import pytest

from scoring.robustness import form_flips
from titles.forms import PROBES

TITLES = ["国足客场一球小胜 小组赛取得开门红", "股市午后拉升"]


def by_length(titles: Sequence[str]) -> np.ndarray:
    return np.array([[len(title) > 12, len(title) <= 12] for title in titles], np.float32)


def by_words(titles: Sequence[str]) -> np.ndarray:
    return np.array([["国足" in title, "国足" not in title] for title in titles], np.float32)


def test_a_model_that_reads_the_words_never_changes_its_mind():
    assert {row.flipped for row in form_flips(by_words, TITLES)} == {0.0}


def test_a_model_that_counts_characters_does():
    found = {row.form: row for row in form_flips(by_length, TITLES)}

    assert found["clickbait tail"].titles == 2
    assert found["clickbait tail"].flipped == pytest.approx(0.5)
    assert found["full stop"].flipped == 0.0
    assert found["first half"].titles == 1
    assert found["first half"].flipped == 1.0


def test_a_change_that_no_title_can_undergo_has_no_row():
    rows = form_flips(by_words, ["股市午后拉升"])

    assert {"first half", "names in Latin script"}.isdisjoint(row.form for row in rows)
    assert len(rows) == len(PROBES) - 3
