import pytest

from baselines.training_rows import check_rows
from models.errors import DataError
from models.labels import Labels

LABELS = Labels.of(["stocks", "sports"])


def test_rows_of_two_classes_pass():
    check_rows(["a", "b"], [0, 1], LABELS)


@pytest.mark.parametrize(
    ("titles", "label_ids", "message"),
    [
        (["a"], [0, 1], "1 titles but 2 label ids; give one label a title"),
        (["a", "b"], [0, 2], r"title 1 \(counted from 0\) has label id 2, but there are 2 classes"),
        (["a", "b"], [-1, 0], "has label id -1"),
        (["a", "b"], [1, 1], r"the training titles are of 1 class\(es\)"),
        ([], [], r"the training titles are of 0 class\(es\)"),
    ],
)
def test_rows_that_cannot_be_learned_from_are_refused(titles, label_ids, message):
    with pytest.raises(DataError, match=message):
        check_rows(titles, label_ids, LABELS)
