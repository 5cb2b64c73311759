import pytest

from training.history import History
from training.progress import ProgressBar


def test_the_bar_tells_place_loss_speed_and_dev_scores_on_standard_error(
    capsys: pytest.CaptureFixture[str],
):
    bar = ProgressBar()
    bar.run_started(step=3, total_steps=5)
    bar.step_done(4)
    bar.step_measured({"step": 4, "loss": 1.2345, "learning_rate": 0.1, "titles_per_s": 78.9})
    bar.step_done(5)
    bar.evaluated(History(evaluations=[{"step": 5, "score": 0.5, "accuracy": 0.75}]))
    bar.run_ended()

    captured = capsys.readouterr()
    assert captured.out == ""
    assert "step 5/5  dev score 0.5000  accuracy 0.7500" in captured.err
    assert "5/5 [" in captured.err
    assert "loss=1.234, titles_per_s=79" in captured.err
