"""What a thread takes off the queue."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.inference.batching import BatchLimits, collect
from service.inference.job import Job

LIMITS = BatchLimits(titles=4, characters=20, title_characters=10)
NOW = 100.0


@pytest.fixture(autouse=True)
def loop():
    """Jobs are made on an event loop."""
    loop = asyncio.new_event_loop()
    events = asyncio.events._set_running_loop
    events(loop)
    yield loop
    events(None)
    loop.close()


def job(*titles: str, deadline: float = NOW + 1) -> Job:
    return Job(titles, NOW - 1, deadline)


def taken(queue: deque[Job], limits: BatchLimits = LIMITS, now: float = NOW) -> list[list[str]]:
    return [part.titles for part in collect(queue, limits, now).batch]


def test_titles_of_several_requests_share_a_batch_in_the_order_they_came():
    queue = deque([job("a"), job("b", "c"), job("d")])

    assert taken(queue) == [["a"], ["b", "c"], ["d"]]
    assert not queue


def test_a_request_of_many_titles_takes_several_batches_and_leaves_when_all_are_taken():
    many = job(*"abcdefghi")
    queue = deque([many, job("z")])

    assert taken(queue) == [["a", "b", "c", "d"]]
    assert (many.taken, many.waiting, len(queue)) == (4, 5, 2)
    assert taken(queue) == [["e", "f", "g", "h"]]
    assert taken(queue) == [["i"], ["z"]]


def test_characters_fill_a_batch_too_and_of_a_long_title_only_so_many_count():
    queue = deque([job("a" * 10, "b" * 500), job("c")])

    assert taken(queue) == [["a" * 10, "b" * 500]]
    assert taken(queue) == [["c"]]


def test_a_title_that_alone_exceeds_the_limits_is_a_batch_of_its_own():
    queue = deque([job("a" * 10), job("b")])

    assert taken(queue, BatchLimits(4, 5, 10)) == [["a" * 10]]


def test_nobody_waits_for_company():
    assert taken(deque([job("a")])) == [["a"]]
    assert taken(deque()) == []


@pytest.mark.parametrize("how", ["late", "just late", "gone", "answered"])
def test_what_nobody_waits_for_is_dropped_unscored(how: str):
    deadline = {"late": NOW - 1, "just late": NOW}.get(how, NOW + 1)
    over = job("x", "y", deadline=deadline)
    if how == "gone":
        over.answer.cancel()
    if how == "answered":
        over.answer.set_exception(ArithmeticError())
        over.answer.exception()  # seen, else it is logged
    queue = deque([job("a"), over, job("b")])

    batch, dropped = collect(queue, LIMITS, NOW)

    assert [part.titles for part in batch] == [["a"], ["b"]]
    assert dropped == [over]


@given(
    jobs=st.lists(st.lists(st.text(max_size=12), min_size=1, max_size=9), max_size=8),
    titles=st.integers(1, 6),
    characters=st.integers(1, 30),
)
def test_every_title_is_taken_once_in_order_and_within_the_limits(
    jobs: Sequence[Sequence[str]], titles: int, characters: int
):
    limits = BatchLimits(titles, characters, title_characters=10)
    queue = deque(Job(each, NOW, NOW + 1) for each in jobs)

    found: list[str] = []
    while queue:
        batch = [title for part in collect(queue, limits, NOW).batch for title in part.titles]
        assert 1 <= len(batch) <= titles
        assert len(batch) == 1 or sum(min(len(title), 10) for title in batch) <= characters
        found += batch

    assert found == [title for each in jobs for title in each]
