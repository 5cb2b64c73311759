import os
import sys
import time

import pytest

from evaluation.child_process import ChildProcess
from models.errors import BiaotiError

ECHO = """
import json, sys
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    print(json.dumps({"heard": json.loads(line)}), flush=True)
"""
FAILING = """
import sys
print('{"error": "no such model"}', flush=True)
"""
DYING = """
import os, sys
print("out of luck", file=sys.stderr, flush=True)
sys.stdin.readline()
os._exit(7)
"""
HANGING = """
import time
print("{}", flush=True)
time.sleep(600)
"""


def child(program: str, timeout_s: float = 20, **environment: str) -> ChildProcess:
    return ChildProcess("tiny", [sys.executable, "-S", "-c", program], environment, timeout_s)


def is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def test_it_answers_each_request():
    with child(ECHO) as asked:
        assert asked.answer() == {"ready": True}
        assert asked.ask({"titles": "标题" * 50_000})["heard"] == {"titles": "标题" * 50_000}
        assert asked.ask({"n": 2}) == {"heard": {"n": 2}}
        process_id = asked.process_id
    assert not is_alive(process_id)


def test_what_it_could_not_do_is_told():
    with child(FAILING) as asked, pytest.raises(BiaotiError) as caught:
        asked.answer()
    assert str(caught.value) == "tiny cannot be measured: no such model"


def test_its_death_is_told_with_its_last_words():
    with child(DYING) as asked, pytest.raises(BiaotiError) as caught:
        asked.ask({"n": 1})
    assert str(caught.value) == "tiny: its process ended with exit code 7; it said: out of luck"


def test_a_hanging_child_is_given_up_and_ended():
    started = time.monotonic()

    def wait_for_it() -> None:
        with child(HANGING, timeout_s=0.5) as asked:
            ids.append(asked.process_id)
            asked.answer()
            asked.ask({"n": 1})

    ids: list[int] = []
    with pytest.raises(BiaotiError, match=r"tiny: no answer within 0\.5 s; allow more time"):
        wait_for_it()
    assert not is_alive(ids[0])
    assert time.monotonic() - started < 10


def test_an_interrupted_measurement_leaves_no_process():
    ids: list[int] = []

    def interrupted() -> None:
        with child(HANGING) as asked:
            ids.append(asked.process_id)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not is_alive(ids[0])


def test_the_environment_is_set_before_the_child_starts():
    program = 'import json, os; print(json.dumps({"threads": os.environ["OMP_NUM_THREADS"]}))'

    with child(program, OMP_NUM_THREADS="1") as asked:
        assert asked.answer() == {"threads": "1"}
