import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.pareto import pareto_front

small = st.integers(0, 6)
points = st.lists(st.tuples(small, small), min_size=1, max_size=12)


def test_a_front_by_hand():
    accuracies, megabytes = [0.94, 0.93, 0.91, 0.82, 0.93], [400, 14, 9, 54, 14]

    assert pareto_front(accuracies, megabytes) == [True, True, True, False, True]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ((5, 5), [True, True]),  # the same
        ((6, 5), [False, True]),  # more for as much
        ((5, 4), [False, True]),  # as much for less
        ((6, 4), [False, True]),
        ((6, 6), [True, True]),  # more for more
        ((4, 4), [True, True]),
        ((5, 6), [True, False]),
        ((4, 5), [True, False]),
        ((4, 6), [True, False]),
    ],
)
def test_one_point_against_another_by_hand(other: tuple[int, int], expected: list[bool]):
    assert pareto_front([5, other[0]], [5, other[1]]) == expected


@given(points)
def test_a_sweep_from_the_cheapest_finds_the_same_front(rows: list[tuple[int, int]]):
    most = {cost: max(gain for gain, c in rows if c == cost) for _, cost in rows}
    front, best = set(), -1
    for cost in sorted(most):
        if most[cost] > best:
            best = most[cost]
            front.add((best, cost))

    assert pareto_front(*zip(*rows, strict=True)) == [row in front for row in rows]


@given(points)
def test_what_is_off_the_front_is_beaten_by_a_point_on_it(rows: list[tuple[int, int]]):
    on_front = pareto_front(*zip(*rows, strict=True))
    front = [row for row, is_on_it in zip(rows, on_front, strict=True) if is_on_it]

    assert front
    for row, is_on_it in zip(rows, on_front, strict=True):
        gain, cost = row
        assert is_on_it or any(
            (more > gain and other <= cost) or (more >= gain and other < cost)
            for more, other in front
        )


@given(points, st.randoms())
def test_the_order_of_the_points_does_not_matter(rows: list[tuple[int, int]], random):
    shuffled = random.sample(rows, len(rows))

    def on_it(given_rows: list[tuple[int, int]]) -> set[tuple[int, int]]:
        front = pareto_front(*zip(*given_rows, strict=True))
        return {row for row, is_on_it in zip(given_rows, front, strict=True) if is_on_it}

    assert on_it(rows) == on_it(shuffled)
