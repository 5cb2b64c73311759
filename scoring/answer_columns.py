"""What is said of a title, as columns beside it in a table."""

from __future__ import annotations

from models.classifier import Prediction

NAMES = ("class", "class_name", "confidence", "unknown", "problem")
"""Of the columns: the best class, what people call it, how sure the model is of it, whether that
is too little to be an answer, and why a row has none of these."""
_DECIMALS = 4


def of_prediction(prediction: Prediction) -> tuple[str | float | bool | None, ...]:
    """The cells of a title that was scored."""
    best = prediction.best
    confidence = round(best.score, _DECIMALS)
    return best.label, best.display_name, confidence, prediction.unknown, None


def of_problem(reason: str) -> tuple[str | None, ...]:
    """The cells of a row that has no title, or none that can be scored."""
    return None, None, None, None, reason
