"""Other forms of a title: what each does to an example, and that all keep something of it."""

from random import Random

import pytest
from hypothesis import given

from models.title_text import is_blank
from titles import forms
from titles.forms import FORMS, PROBES, changed

from .strategies import titles

TITLE = "国足客场一球小胜 小组赛取得开门红"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("flash", lambda other: other.endswith(TITLE) and other != TITLE),
        ("picture", lambda other: other.startswith(TITLE) and other != TITLE),
        ("hashtag", lambda other: other == f"#{TITLE}#"),
        ("tail", lambda other: other.startswith(TITLE) and len(other) > len(TITLE) + 2),
        ("opening", lambda other: other.endswith(TITLE) and other != TITLE),
        ("emoji", lambda other: TITLE in other and other != TITLE),
        ("end", lambda other: other.startswith(TITLE) and len(other) <= len(TITLE) + 2),
        ("source", lambda other: other.startswith(TITLE) and other != TITLE),
        ("names", lambda other: other == TITLE),
        (
            "pauses",
            lambda other: other in (TITLE, TITLE.replace(" ", "，"), TITLE.replace(" ", "")),
        ),
        ("half", lambda other: other in TITLE.split(" ")),
    ],
)
def test_a_form_changes_what_stands_around_the_title(form: str, expected):
    others = {FORMS[form](TITLE, Random(seed)) for seed in range(40)}

    assert all(map(expected, others))
    assert len(others) == {"hashtag": 1, "names": 1, "half": 2, "pauses": 3}.get(form, len(others))


def test_names_are_written_in_latin_script():
    assert forms.names("马斯克谈特斯拉", Random(0)) == "Musk谈Tesla"


def test_a_half_says_enough_or_is_not_taken():
    assert forms.half("股市大涨，基金回暖", Random(0)) == "股市大涨，基金回暖"
    assert PROBES["first half"]("股市大涨，基金回暖") == "股市大涨，基金回暖"
    assert PROBES["first half"](TITLE) == "国足客场一球小胜"


@given(title=titles)
def test_every_form_of_any_title_is_one(title: str):
    for form in FORMS.values():
        other = form(title, Random(1))
        assert is_blank(title) or not is_blank(other)


def test_forms_are_drawn_for_each_title_and_are_the_same_for_a_seed():
    many = [TITLE] * 200

    first = changed(many, list(FORMS), 3)

    assert first == changed(many, list(FORMS), 3) != changed(many, list(FORMS), 4)
    assert len(set(first)) > 30
    assert set(changed(many, ["hashtag"], 0)) == {f"#{TITLE}#"}


def test_training_never_sees_the_words_that_are_measured():
    """Else a model that has learned the words by heart would seem to care for none."""
    seen = {form(TITLE, Random(seed)) for form in FORMS.values() for seed in range(500)}

    for name in ("flash", "picture", "clickbait tail", "clickbait opening", "emoji", "full stop"):
        assert PROBES[name](TITLE) not in seen
