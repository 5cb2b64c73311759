import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.report.label_placement import place_labels

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


def test_a_lone_label_stands_to_the_right_of_its_point():
    corners = place_labels(np.array([[100.0, 100.0]]), np.array([[40.0, 12.0]]), BOUNDS)

    assert corners.tolist() == [[108.0, 94.0]]


def test_at_the_right_edge_it_stands_to_the_left():
    (corner,) = place_labels(np.array([[370.0, 100.0]]), np.array([[40.0, 12.0]]), BOUNDS)

    assert corner.tolist() == [370.0 - 8 - 40, 94.0]
