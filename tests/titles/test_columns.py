"""Which column of a table is the title's, and which the label's."""

import pytest

from models.errors import DataError
from titles import Source
from titles.columns import label_place, title_place

COLUMNS = ["id", "text", "label", "label_desc", "title"]


def test_the_usual_names_are_tried_in_their_order():
    assert title_place(Source("a.csv"), COLUMNS) == 4
    assert label_place(Source("a.csv"), COLUMNS, labelled=True) == 3


def test_a_name_that_is_given_is_the_only_one_tried():
    assert title_place(Source("a.csv", title_column="text"), COLUMNS) == 1
    with pytest.raises(DataError) as caught:
        label_place(Source("a.csv", label_column="类"), COLUMNS, labelled=True)

    assert str(caught.value) == (
        "a.csv: no column 类 among id, text, label, label_desc, title; name it with --label-column"
    )


def test_a_label_column_may_lack_where_labels_are_not_read():
    assert label_place(Source("a.csv"), ["title"], labelled=False) is None
