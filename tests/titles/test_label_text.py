"""What is part of a label's name, and what is no name."""

import pytest

from titles.label_text import as_id, differs_in_looks_only, is_missing, label_name, nameless


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("体育", "体育"),
        (" 体育\u3000", "体育"),
        ("体\u200b育\ufeff", "体育"),
        ("a b", "a b"),
        (" ", None),
    ],
)
def test_blanks_at_the_ends_and_invisible_characters_are_no_part(text: str, name: str | None):
    assert label_name(text) == name


@pytest.mark.parametrize(
    ("label", "expected"), [("1.0", "1"), ("12.", "12"), ("1.5", "1.5"), ("v1.0", "v1.0")]
)
def test_a_decimal_without_a_part_is_an_id(label: str, expected: str):
    assert as_id(label) == expected


def test_what_stands_for_no_value_is_no_label():
    assert all(map(is_missing, ["NaN", "null", "None", "N/A", "<NA>"]))
    assert not any(map(is_missing, ["nano", "none of these", "体育"]))


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("7", "number"),
        ("-1", "number"),
        ("1e5", "number"),
        ("2024-05-01", "date"),
        ("2024年5月1日", "date"),
        ("2024/5/1 10:30", "date"),
        ("TRUE", "truth value"),
        ("3C数码", None),
        ("2024奥运", None),
        ("体育", None),
    ],
)
def test_numbers_dates_and_truth_values_name_nothing(label: str, kind: str | None):
    assert nameless(label) == kind


def test_labels_differ_in_looks_by_case_width_blanks_and_hyphens():
    assert differs_in_looks_only("Science-Tech", "ｓｃｉｅｎｃｅ tech")
    assert not differs_in_looks_only("体育", "体彩")
    assert not differs_in_looks_only("-", ".")
