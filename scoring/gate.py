"""The accuracy gate: a compressed model that has lost too much is not written."""

from __future__ import annotations

from models.errors import GateFailed


def gate(before: float, after: float, max_drop: float) -> float:
    """Let a model pass that has lost no more than `max_drop`.

    Args:
        before, after: accuracy on dev, as shares.
        max_drop: in points, hundredths of `before` and `after`.
    Returns:
        the points lost; below 0 where the model gained.
    Raises:
        GateFailed: it has lost more, or what it has lost is not known (NaN).
    """
    drop = 100 * (before - after)
    if not drop <= max_drop + 1e-9:  # what binary fractions add is no loss; NaN does not pass
        raise GateFailed(
            f"accuracy on dev fell from {100 * before:.2f} % to {100 * after:.2f} %, by "
            f"{drop:.2f} points where {max_drop:.2f} are allowed; nothing was written. Allow more "
            "with --max-drop, or write it all the same with --force"
        )
    return drop
