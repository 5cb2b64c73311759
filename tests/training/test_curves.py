from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from training.curves import CurvesPicture
from training.history import History


def test_the_picture_is_drawn_anew_at_each_evaluation(tmp_path: Path):
    picture = CurvesPicture(tmp_path / "curves.png")
    history = History(
        steps=[{"step": step, "loss": 1 / step} for step in (20, 40, 60)],
        evaluations=[{"step": 60, "score": 0.5, "accuracy": 0.5, "loss": 0.7}],
    )
    pictures = []
    for _ in range(2):
        picture.evaluated(history)
        pictures.append(plt.imread(tmp_path / "curves.png"))
        history.evaluations.append({"step": 80, "score": 0.9, "accuracy": 0.9, "loss": 0.1})

    assert pictures[0].shape == (720, 960, 4)
    assert not np.array_equal(pictures[0], pictures[1])
    assert [path.name for path in tmp_path.iterdir()] == ["curves.png"]
