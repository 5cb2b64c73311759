"""What every baseline asks of the titles it is trained on."""

from __future__ import annotations

import numpy as np

from models.errors import DataError
from titles import LabelledTitles


def require_two_classes(titles: LabelledTitles) -> None:
    """Refuse titles that no classifier can be trained on.

    Raises:
        DataError: a title without a label, or fewer than two classes.
    """
    titles.require_labels()
    present = len(np.unique(titles.label_ids))
    if present < 2:
        raise DataError(
            f"the training titles are of {present} class(es); a classifier needs titles of at "
            "least two"
        )
