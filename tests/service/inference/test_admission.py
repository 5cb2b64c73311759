"""Who is let in."""

from __future__ import annotations

import pytest

from service.inference.admission import Admission
from service.problems import Draining, Overloaded

REFUSED = "biaoti_refused_requests_total"


def test_places_are_held_until_the_answer_and_given_back_after_an_error(grown):
    admission = Admission(10)

    with admission.admitted(4, 100.0, 1.0):
        assert admission.inside == 4
        with pytest.raises(ZeroDivisionError), admission.admitted(6, 100.0, 1.0):
            1 // (admission.inside - 10)
        assert admission.inside == 4
    assert (admission.inside, grown(REFUSED, reason="overloaded")) == (0, 0)


def test_a_request_is_let_in_whole_or_not_at_all(grown):
    admission = Admission(10)

    with admission.admitted(8, 100.0, 1.0):
        with pytest.raises(Overloaded), admission.admitted(3, 100.0, 1.0):
            pass
        assert (admission.inside, grown(REFUSED, reason="overloaded")) == (8, 1)
        with admission.admitted(2, 100.0, 1.0):
            assert admission.inside == 10


def test_a_request_larger_than_all_places_is_let_in_alone():
    with Admission(10).admitted(11, 100.0, 1.0):
        pass


def test_whoever_would_wait_longer_than_they_can_is_turned_away_at_once():
    admission = Admission(1000)

    with admission.admitted(50, 100.0, 60.0):
        # fifty titles take half a second, and a tenth of a second is for ten more
        with pytest.raises(Overloaded), admission.admitted(10, 100.0, 0.85):
            pass
        with admission.admitted(10, 100.0, 0.86):
            pass


@pytest.mark.parametrize(("speed", "seconds"), [(1000.0, "1"), (4.0, "3"), (3.9, "3"), (1.0, "10")])
def test_it_is_said_when_there_will_be_room(speed: float, seconds: str):
    admission = Admission(10)

    with (
        admission.admitted(10, speed, 60.0),
        pytest.raises(Overloaded) as caught,
        admission.admitted(1, speed, 60.0),
    ):
        pass
    assert caught.value.headers == {"retry-after": seconds}
    assert f"try again in {seconds} s" in caught.value.detail


def test_nobody_is_let_in_before_the_end():
    admission = Admission(10)
    admission.is_draining = True

    with pytest.raises(Draining), admission.admitted(1, 100.0, 1.0):
        pass


def test_what_has_begun_is_let_in_when_the_service_is_about_to_end():
    admission = Admission(10)
    admission.is_draining = True
    with pytest.raises(Draining), admission.admitted(1, 100.0, 1.0):
        pass
    with admission.admitted(1, 100.0, 1.0, has_begun=True):
        assert admission.inside == 1
