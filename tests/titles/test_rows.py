"""Which records can be used, and by what name the others are called."""

import pytest

from models.labels import Labels
from titles import NO_LABEL
from titles.label_ids import KnownLabels
from titles.record import Fault, Record
from titles.rows import judge

CLASSES = Labels.of(["财经", "体育"])
LABELS = KnownLabels(CLASSES, CLASSES)


def test_a_usable_record_has_the_id_of_its_label():
    assert judge(Record(1, "股市大涨", "体育"), LABELS) == 1
    assert judge(Record(1, "股市大涨", "0"), LABELS) == 0
    assert judge(Record(1, "股市大涨", "体育"), None) == NO_LABEL


@pytest.mark.parametrize(
    ("record", "code", "detail"),
    [
        (Record(1, None, None, Fault("malformed-record", "CSV")), "malformed-record", "CSV"),
        (Record(1, "", "0"), "empty-title", "the title is empty"),
        (Record(1, "  ", "0"), "empty-title", "the title is blank"),
        (
            Record(1, "\u3000\u200b", "9"),
            "empty-title",
            "the title holds only spaces or control characters",
        ),
        (Record(1, "甲\udcff", "0"), "broken-encoding", "the title holds bytes that are not UTF-8"),
        (Record(1, "甲", None), "unknown-label", "the label is missing"),
        (
            Record(1, "甲", "9" * 50),
            "unknown-label",
            f"label '{'9' * 40}' is not one of the 2 labels",
        ),
    ],
)
def test_the_first_fault_of_a_record_is_named(record: Record, code: str, detail: str):
    assert judge(record, LABELS) == Fault(code, detail)
