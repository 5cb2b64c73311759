"""What is said of a title, as columns beside it in a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from models.artifact import LoadedModel
from models.classifier import Prediction, Scores
from scoring.drift import UNKNOWN
from titles.record import Cell, Fault, Record
from titles.rows import judge

COLUMNS: dict[str, type] = {
    "class": str,
    "class_name": str,
    "confidence": float,
    "unknown": bool,
    "problem": str,
}
"""The best class, what people call it, how sure the model is of it, whether that is too little to
be an answer, and why a row has none of these; each with the type of its values."""
NAMES = tuple(COLUMNS)
_DECIMALS = 4


def of_prediction(prediction: Prediction) -> tuple[Cell, ...]:
    """The cells of a title that was scored."""
    best = prediction.best
    confidence = round(best.score, _DECIMALS)
    return best.label, best.display_name, confidence, prediction.unknown, None


def of_problem(reason: str) -> tuple[Cell, ...]:
    """The cells of a row that has no title, or none that can be scored."""
    return None, None, None, None, reason


def of_faulty(record: Record) -> tuple[Cell, ...] | None:
    """The cells of a row whose title cannot be scored; None where it can."""
    fault = judge(record, None)
    return of_problem(fault.detail) if isinstance(fault, Fault) else None


def of_records(
    records: Sequence[Record], model: LoadedModel, score: Callable[[list[str]], Scores]
) -> tuple[list[tuple[Cell, ...]], Counter[str]]:
    """The cells of rows, in their order, and how often each class is the answer.

    Args:
        score: gives titles their scores before calibration; may be given none.
    """
    faults = [of_faulty(record) for record in records]
    pairs = zip(records, faults, strict=True)
    titles = [record.title or "" for record, fault in pairs if fault is None]
    said = model.predictions(titles, score(titles)) if titles else []
    classes = Counter(UNKNOWN if each.unknown else each.best.label for each in said)
    answers = map(of_prediction, said)
    return [fault or next(answers) for fault in faults], classes
