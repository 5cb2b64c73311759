"""Put a label beside each point of a picture so that no two cover each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

_DISTANCES = (8, 13, 20, 30, 42, 56, 72, 90, 110, 135, 165, 200)
_ANGLES = np.radians([0, 180, 90, 270, 45, 315, 135, 225, 22, 338, 158, 202, 67, 293, 113, 247])
_MARKER = 5.0
"""Half the width of a point, which no label covers."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""


def place_labels(points: np.ndarray, sizes: np.ndarray, bounds: Box) -> np.ndarray:
    """The left bottom corner of each label, (n, 2), as near to its point as there is room.

    Where there is no room at all, a label lies on others, beside its point.

    Args:
        points: (n, 2) places, in the unit of `sizes`.
        sizes: (n, 2) widths and heights of the labels.
        bounds: labels stay within.
    """
    taken: list[Box] = [
        (x - _MARKER, y - _MARKER, x + _MARKER, y + _MARKER) for x, y in points.tolist()
    ]
    corners = np.empty_like(points, dtype=float)
    for i, (point, size) in enumerate(zip(points, sizes, strict=True)):
        candidates = list(_boxes_around(point, size))
        free = (
            box
            for box in candidates
            if _is_inside(box, bounds) and not any(_overlap(box, other) for other in taken)
        )
        chosen = next(free, candidates[0])
        taken.append(chosen)
        corners[i] = chosen[:2]
    return corners


def _boxes_around(point: np.ndarray, size: np.ndarray) -> Iterator[Box]:
    """Boxes of one size around a point, from the nearest to the farthest."""
    (x, y), (width, height) = point, size
    for distance in _DISTANCES:
        for angle in _ANGLES:
            left = x + np.cos(angle) * (distance + width / 2) - width / 2
            bottom = y + np.sin(angle) * (distance + height / 2) - height / 2
            yield left, bottom, left + width, bottom + height


def _is_inside(box: Box, bounds: Box) -> bool:
    return (
        box[0] >= bounds[0] and box[1] >= bounds[1] and box[2] <= bounds[2] and box[3] <= bounds[3]
    )


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
