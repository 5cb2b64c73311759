from hypothesis import given
from hypothesis import strategies as st

from evaluation.pareto import pareto_front

small = st.integers(0, 6)
points = st.lists(st.tuples(small, small), min_size=1, max_size=12)


def beats(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one != other and one[0] >= other[0] and one[1] <= other[1]


def test_a_front_by_hand():
    accuracies, megabytes = [0.94, 0.93, 0.91, 0.82, 0.93], [400, 14, 9, 54, 14]

    assert pareto_front(accuracies, megabytes) == [True, True, True, False, True]


@given(points)
def test_no_point_beats_one_on_the_front(rows: list[tuple[int, int]]):
    on_front = pareto_front(*zip(*rows, strict=True))

    for row, is_on_it in zip(rows, on_front, strict=True):
        assert is_on_it == (not any(beats(other, row) for other in rows))


@given(points)
def test_what_is_off_the_front_is_beaten_by_a_point_on_it(rows: list[tuple[int, int]]):
    on_front = pareto_front(*zip(*rows, strict=True))
    front = [row for row, is_on_it in zip(rows, on_front, strict=True) if is_on_it]

    assert front
    for row, is_on_it in zip(rows, on_front, strict=True):
        assert is_on_it or any(beats(other, row) for other in front)


@given(points, st.randoms())
def test_the_order_of_the_points_does_not_matter(rows: list[tuple[int, int]], random):
    shuffled = random.sample(rows, len(rows))

    def on_it(given_rows: list[tuple[int, int]]) -> set[tuple[int, int]]:
        front = pareto_front(*zip(*given_rows, strict=True))
        return {row for row, is_on_it in zip(given_rows, front, strict=True) if is_on_it}

    assert on_it(rows) == on_it(shuffled)
