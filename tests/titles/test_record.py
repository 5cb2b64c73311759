"""What the values of typed formats become."""

from datetime import date

import pytest

from titles.record import Fault, Record, label_text, title_record


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (3.0, "3"),
        ("3 ", "3"),
        (["3"], "3"),
        ("", None),
        (None, None),
        (float("nan"), None),
        ("体育\u200b ", "体育"),
    ],
)
def test_a_label_is_a_text_whatever_its_type(value: object, text: str | None):
    assert label_text(value) == text


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (True, "bool: True"),
        (2.5, "float: 2.5"),
        (["体育", "财经"], "list of 2: ['体育', '财经']"),
        ([], "list of 0: []"),
        ({"id": 1}, "dict: {'id': 1}"),
        (date(2024, 5, 1), "date: 2024-05-01"),
    ],
)
def test_a_value_that_is_neither_a_name_nor_an_id_is_no_label(value: object, told: str):
    fault = Fault("unknown-label", f"the label is neither a name nor an id ({told})")

    assert title_record(7, "甲", value, labelled=True) == Record(7, "甲", None, fault)
    assert title_record(7, "甲", value, labelled=False) == Record(7, "甲", None)


def test_a_title_has_to_be_text():
    assert title_record(7, "甲", 1.0, True) == Record(7, "甲", "1")
    assert title_record(7, None, 1, True).fault == Fault("missing-title", "no title (null)")
    assert title_record(7, 3, 1, True).fault == Fault(
        "missing-title", "the title is not text (int)"
    )
