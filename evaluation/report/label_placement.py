"""Put a label beside each point of a picture so that it touches nothing and is plainly its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

_DISTANCES = (8, 11, 15, 20, 26, 33, 42, 52, 64, 78, 94, 112, 135, 165, 200, 240, 280)
_ANGLES = np.radians([0, 180, 90, 270, 45, 315, 135, 225, 22, 338, 158, 202, 67, 293, 113, 247])
"""Of the directions in which a label may lie, the preferred first."""
_MARKER = 5.0
"""Half the width of a point, which no label covers."""
LEADER = 14.0
"""From this distance on, a line has to lead from a label to its point."""
_MARGIN = 4.0
"""By how much a label is nearer to its own point than to any other."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""


def place_labels(
    points: np.ndarray, sizes: np.ndarray, bounds: Box, obstacles: Sequence[Box] = ()
) -> np.ndarray:
    """The left bottom corner of each label, (n, 2), as near to its point as there is room.

    A label is nearer to its own point than to the others, or, where a line leads to it, at least as
    far from them. Where there is no such room, any free place serves; where there is none at all, a
    label lies on others, beside its point.

    Args:
        points: (n, 2) places, in the unit of `sizes`.
        sizes: (n, 2) widths and heights of the labels.
        bounds: labels stay within.
        obstacles: what else they may not touch.
    """
    taken: list[Box] = [
        (x - _MARKER, y - _MARKER, x + _MARKER, y + _MARKER) for x, y in points.tolist()
    ]
    taken += obstacles
    corners = np.empty_like(points, dtype=float)
    for i, (point, size) in enumerate(zip(points, sizes, strict=True)):
        candidates = list(_boxes_around(point, size))
        free = [
            box
            for box in candidates
            if _is_inside(box, bounds) and not any(_overlap(box, other) for other in taken)
        ]
        others = np.delete(points, i, axis=0)
        own = (box for box in free if _is_plainly_of(box, point, others))
        chosen = next(own, next(iter(free), candidates[0]))
        taken.append(chosen)
        corners[i] = chosen[:2]
    return corners


def distance(box: Box, points: np.ndarray) -> np.ndarray:
    """How far each of (n, 2) points is from a box."""
    nearest = np.clip(points, box[:2], box[2:])
    apart: np.ndarray = np.hypot(*(points - nearest).T)
    return apart


def _is_plainly_of(box: Box, point: np.ndarray, others: np.ndarray) -> bool:
    needed = min(float(distance(box, point[None])[0]), LEADER) + _MARGIN
    return bool((distance(box, others) >= needed).all())


def _boxes_around(point: np.ndarray, size: np.ndarray) -> Iterator[Box]:
    """Boxes of one size around a point, from the nearest to the farthest."""
    (x, y), (width, height) = point, size
    for away in _DISTANCES:
        for angle in _ANGLES:
            left = x + np.cos(angle) * (away + width / 2) - width / 2
            bottom = y + np.sin(angle) * (away + height / 2) - height / 2
            yield left, bottom, left + width, bottom + height


def _is_inside(box: Box, bounds: Box) -> bool:
    return (
        box[0] >= bounds[0] and box[1] >= bounds[1] and box[2] <= bounds[2] and box[3] <= bounds[3]
    )


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
