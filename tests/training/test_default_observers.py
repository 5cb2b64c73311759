from pathlib import Path

from training.curves import CurvesPicture
from training.default_observers import default_observers
from training.events import EventsWriter
from training.progress import ProgressBar


def test_events_and_curves_go_to_the_runs_folder_and_the_bar_can_be_left_out(tmp_path: Path):
    events, curves, *rest = default_observers(tmp_path, show_progress=False)

    assert isinstance(events, EventsWriter)
    assert events.folder == tmp_path / "events"
    assert isinstance(curves, CurvesPicture)
    assert curves.path == tmp_path / "curves.png"
    assert rest == []
    assert isinstance(default_observers(tmp_path)[2], ProgressBar)
