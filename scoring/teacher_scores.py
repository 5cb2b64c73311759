"""What a student learns from: a teacher's scores, and for some titles those given as files."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.artifact import LoadedModel
from models.calibration import log_probabilities
from scoring.given_scores import Predictions, merge_predictions
from scoring.store import ScoreStore


def teacher_scores(
    store: ScoreStore,
    teacher: LoadedModel,
    titles: Sequence[str],
    files: Sequence[Predictions] = (),
    show_progress: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Calibrated log-probabilities of each title: a file's where one has it, else the teacher's.

    Returns:
        (scores, given): (n, classes) float32, and (n,) bool, True where a file has the title.
    Raises:
        DataError: the files contradict one another, or one has none of the titles.
    """
    probabilities = np.empty((len(titles), len(teacher.labels)), np.float32)
    given = np.zeros(len(titles), bool)
    if files:
        probabilities, given = merge_predictions(files, titles)
    asked = np.flatnonzero(~given).tolist()
    probabilities[asked] = store.calibrated(teacher, [titles[i] for i in asked], show_progress)
    return log_probabilities(probabilities).astype(np.float32), given
