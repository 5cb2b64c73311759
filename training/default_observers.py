"""Who watches a run unless its caller says otherwise."""

from __future__ import annotations

from pathlib import Path

from training.curves import CurvesPicture
from training.events import EventsWriter
from training.observer import Observer
from training.progress import ProgressBar


def default_observers(run_folder: Path, show_progress: bool = True) -> list[Observer]:
    """Events for TensorBoard and a picture of the curves in the run's folder, and a bar."""
    observers: list[Observer] = [
        EventsWriter(run_folder / "events"),
        CurvesPicture(run_folder / "curves.png"),
    ]
    return [*observers, ProgressBar()] if show_progress else observers
