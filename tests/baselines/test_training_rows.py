import pytest

from baselines.training_rows import require_two_classes
from models.errors import DataError
from models.labels import Labels
from titles import NO_LABEL, LabelledTitles

LABELS = Labels.of(["stocks", "sports"])


def test_titles_of_two_classes_pass():
    require_two_classes(LabelledTitles.of(["a", "b"], [0, 1], LABELS))


@pytest.mark.parametrize(
    ("titles", "label_ids", "message"),
    [
        (["a", "b"], [0, NO_LABEL], r"titles: title 1 \(counted from 0\) has no label"),
        (["a", "b"], [1, 1], r"the training titles are of 1 class\(es\)"),
        ([], [], r"the training titles are of 0 class\(es\)"),
    ],
)
def test_titles_that_cannot_be_learned_from_are_refused(titles, label_ids, message):
    with pytest.raises(DataError, match=message):
        require_two_classes(LabelledTitles.of(titles, label_ids, LABELS))
