"""The service under load, while it ends, reloads and loses a worker; small trials of each."""

from __future__ import annotations

import pytest
import service_endurance as endurance

from tests.conftest import SAMPLES
from titles import Source, read

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def titles() -> list[str]:
    return list(read(Source(SAMPLES / "test.txt")).titles)


def test_every_request_is_answered_when_it_ends_and_no_process_is_left(titles):
    found = endurance.endings(titles, 2)
    assert found["without_an_answer"] == found["processes_left"] == 0
    assert found["answered"] > 5
    assert found["longest_s"] < 12


def test_a_model_is_replaced_without_a_failed_request(titles):
    found = endurance.reloads(titles, 4)
    assert found["answered_otherwise"] == 0
    assert found["answered"] > 5
    assert found["versions"] == 2


def test_a_killed_worker_costs_its_own_requests_alone(titles):
    found = endurance.losses(titles, 1)
    assert found["lost"] <= found["connections"]
    assert found["answered"] > 5


def test_what_is_too_much_is_refused_and_what_is_accepted_is_in_time(titles):
    found = endurance.overload(titles, 32, 6.0)
    assert found["answered_otherwise"] == 0
    assert found["refused"] > 0
    assert found["accepted_p99_ms"] <= 1.2 * found["deadline_ms"]
    assert found["accepted_and_late"] < found["refused"]


def test_its_memory_is_told(titles):
    found = endurance.memory(titles, 500)
    assert found["requests"] >= 500
    assert 50 < found["early_mb"] <= 1.2 * found["late_mb"]
