import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.report.label_placement import LEADER, distance, place_labels

BOUNDS = (0.0, 0.0, 374.0, 317.0)
places = st.lists(
    st.tuples(st.floats(20, 350), st.floats(20, 300), st.integers(20, 90)), min_size=1, max_size=14
)


@settings(max_examples=50, deadline=None)
@given(places)
def test_no_label_covers_another_or_a_point(rows: list[tuple[float, float, int]]):
    points = np.array([row[:2] for row in rows])
    sizes = np.array([[row[2], 12.0] for row in rows])

    corners = place_labels(points, sizes, BOUNDS)

    ends = corners + sizes
    assert (corners >= 0).all()
    assert (ends <= BOUNDS[2:]).all()
    for i, j in itertools.combinations(range(len(rows)), 2):
        assert (ends[i] <= corners[j]).any() or (ends[j] <= corners[i]).any()
    for i, point in itertools.product(range(len(rows)), points):
        assert ((point <= corners[i]) | (point >= ends[i])).any()


def test_no_label_is_as_near_to_another_point_as_to_its_own():
    """A row of points 24 apart: beside one a label would stand beside the next, too."""
    points = np.array([[60.0 + 24 * i, 150.0] for i in range(6)])
    sizes = np.array([[50.0, 12.0]] * 6)

    corners = place_labels(points, sizes, BOUNDS)

    for i, (left, bottom) in enumerate(corners):
        apart = distance((left, bottom, left + 50, bottom + 12), points)
        assert (np.delete(apart, i) > min(apart[i], LEADER)).all()


def test_labels_touch_no_line():
    line = (100.0, 0.0, 300.0, 200.0)

    ((left, bottom),) = place_labels(
        np.array([[95.0, 100.0]]), np.array([[40.0, 12.0]]), BOUNDS, [line]
    )

    assert left + 40 <= line[0] or bottom >= line[3]


def test_a_lone_label_stands_to_the_right_of_its_point():
    corners = place_labels(np.array([[100.0, 100.0]]), np.array([[40.0, 12.0]]), BOUNDS)

    assert corners.tolist() == [[108.0, 94.0]]


def test_at_the_right_edge_it_stands_to_the_left():
    (corner,) = place_labels(np.array([[370.0, 100.0]]), np.array([[40.0, 12.0]]), BOUNDS)

    assert corner.tolist() == [370.0 - 8 - 40, 94.0]
