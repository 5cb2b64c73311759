"""What the values of typed formats become."""

import pytest

from titles.record import Fault, Record, label_text, title_record


@pytest.mark.parametrize(
    ("value", "text"),
    [(3, "3"), (3.0, "3"), ("3 ", "3"), (2.5, "2.5"), ("", None), (None, None), (True, "True")],
)
def test_a_label_is_a_text_whatever_its_type(value: object, text: str | None):
    assert label_text(value) == text


def test_a_title_has_to_be_text():
    assert title_record(7, "甲", 1.0) == Record(7, "甲", "1")
    assert title_record(7, None, 1).fault == Fault("missing-title", "no title (null)")
    assert title_record(7, 3, 1).fault == Fault("missing-title", "the title is not text (int)")
