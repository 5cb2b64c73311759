"""What every baseline asks of the rows it is trained on."""

from __future__ import annotations

from collections.abc import Sequence

from models.errors import DataError
from models.labels import Labels


def check_rows(titles: Sequence[str], label_ids: Sequence[int], labels: Labels) -> None:
    """Refuse rows that no classifier can be trained on.

    Raises:
        DataError: not one label id a title, an id that is no class, or fewer than two classes.
    """
    if len(titles) != len(label_ids):
        raise DataError(
            f"{len(titles)} titles but {len(label_ids)} label ids; give one label a title"
        )
    for row, label_id in enumerate(label_ids):
        if not 0 <= label_id < len(labels):
            raise DataError(
                f"title {row} (counted from 0) has label id {label_id}, but there are "
                f"{len(labels)} classes; fix the row or pass the right class names"
            )
    present = len(set(label_ids))
    if present < 2:
        raise DataError(
            f"the training titles are of {present} class(es); a classifier needs titles of at "
            "least two"
        )
