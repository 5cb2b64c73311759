import pytest

from baselines.training_rows import require_two_classes
from models.errors import DataError
from models.labels import Labels
from titles import NO_LABEL, LabelledTitles

LABELS = Labels.of(["stocks", "sports", "education"])


def _refusal(label_ids: list[int]) -> str | None:
    titles = LabelledTitles.of([f"title {i}" for i in range(len(label_ids))], label_ids, LABELS)
    try:
        require_two_classes(titles)
    except DataError as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    ("label_ids", "classes"),
    [([], 0), ([1], 1), ([1, 1], 1), ([0, 1], None), ([2, 0, 2], None), ([0, 1, 2], None)],
)
def test_titles_of_two_classes_or_more_are_learned_from(label_ids: list[int], classes: int | None):
    assert _refusal(label_ids) == (
        None
        if classes is None
        else f"the training titles are of {classes} class(es); a classifier needs titles of at "
        "least two"
    )


def test_a_title_without_a_label_is_named():
    assert (_refusal([0, NO_LABEL, 1]) or "").startswith(
        "titles: title 1 (counted from 0) has no label"
    )
