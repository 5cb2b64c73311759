"""What is said of a title, as columns beside it in a table."""

from __future__ import annotations

from models.classifier import Prediction
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
