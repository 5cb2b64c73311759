from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from training.events import EventsWriter
from training.history import History


def test_what_is_measured_can_be_read_by_tensorboard(tmp_path: Path):
    writer = EventsWriter(tmp_path)
    writer.run_started(step=0, total_steps=40)
    writer.step_measured({"step": 20, "loss": 0.5, "learning_rate": 0.25})
    writer.step_measured({"step": 40, "loss": 0.125, "learning_rate": 0.0})
    writer.evaluated(History(evaluations=[{"step": 40, "score": 0.75}]))
    writer.run_ended()

    events = EventAccumulator(str(tmp_path)).Reload()
    read = {
        name: [(event.step, event.value) for event in events.Scalars(name)]
        for name in events.Tags()["scalars"]
    }
    assert read == {
        "loss": [(20, 0.5), (40, 0.125)],
        "learning_rate": [(20, 0.25), (40, 0.0)],
        "dev/score": [(40, 0.75)],
    }


def test_a_resumed_run_overwrites_what_it_repeats(tmp_path: Path):
    for start in (0, 10):
        writer = EventsWriter(tmp_path)
        writer.run_started(step=start, total_steps=40)
        for step in range(start + 5, 21, 5):
            writer.step_measured({"step": step, "loss": float(start)})
        writer.run_ended()

    events = EventAccumulator(str(tmp_path)).Reload()
    assert [(event.step, event.value) for event in events.Scalars("loss")] == [
        (5, 0.0), (15, 10.0), (20, 10.0),
    ]  # fmt: skip
