"""Which tests run a line of code: each room's tests are run once under coverage, and remembered."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

from mutants import Mutant

ROOMS = ("models", "titles", "scoring", "training", "evaluation", "service")


@dataclass(frozen=True)
class Room:
    """What a run of a room's tests told.

    Attributes:
        lines: by file and line, the tests that run it.
        seconds: of each test.
    """

    lines: dict[str, dict[str, list[str]]]
    seconds: dict[str, float]


class Covered:
    """What is known of the rooms' tests.

    Args:
        folder: where it is kept, a file a room.
        rooms: whose tests are asked.
    """

    def __init__(self, folder: Path, rooms: Sequence[str]):
        self.folder, self.asked = folder, tuple(rooms)
        self.rooms: dict[str, Room] = {}

    def tests_of(self, project: Path, mutant: Mutant) -> Iterator[list[str]]:
        """The tests that run the mutant's line, from those that are likeliest to notice it.

        First those of the module's own test file, then the others of its room, quick ones before
        slow ones, then all tests of the files of both, since one may check what another has set up,
        then those of other rooms.
        Where none runs the line, as of lines that are run when the module is imported, those that
        run some line of the file; where none does that, either, all of the room.
        """
        room, own = mutant.file.split("/")[0], f"test_{Path(mutant.file).name}::"
        near = self._running(project, room, mutant)
        if not near:
            lines = self.rooms[room].lines.get(mutant.file, {})
            near = sorted({test for tests in lines.values() for test in tests})
        near = near or [f"tests/{room}"]
        yield self._quick_first(test for test in near if own in test)
        yield self._quick_first(test for test in near if own not in test)
        yield sorted({test.split("::")[0] for test in near})
        yield self._quick_first(
            test
            for other in self.asked
            if other != room
            for test in self._running(project, other, mutant)
        )

    def _quick_first(self, tests: Iterable[str]) -> list[str]:
        seconds = {test: s for room in self.rooms.values() for test, s in room.seconds.items()}
        return sorted(tests, key=lambda test: seconds.get(test, 0.0))

    def _running(self, project: Path, room: str, mutant: Mutant) -> list[str]:
        if room not in self.rooms:
            self.rooms[room] = self._read(project, room)
        return sorted(self.rooms[room].lines.get(mutant.file, {}).get(str(mutant.line), ()))

    def seconds_of(self, tests: list[str]) -> float:
        """How long tests take without a mutant; of files and folders, all that lie in them."""
        return sum(
            seconds
            for room in self.rooms.values()
            for test, seconds in room.seconds.items()
            if any(test == each or test.startswith((f"{each}::", f"{each}/")) for each in tests)
        )

    def _read(self, project: Path, room: str) -> Room:
        path = (self.folder / f"{room}.json").resolve()
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            child = os.fork()
            if child == 0:
                _record(project, room, path)
            _, status = os.waitpid(child, 0)
            if status:
                raise RuntimeError(f"tests/{room} fail without a mutant; run them with pytest")
        return Room(**json.loads(path.read_text(encoding="utf-8")))


def run_tests(project: Path, arguments: list[str], plugins: tuple[Any, ...] = ()) -> NoReturn:
    """Run tests in this process, in silence, and end it."""
    code = _run(project, arguments, plugins)
    os._exit(code)


def _run(project: Path, arguments: list[str], plugins: tuple[Any, ...]) -> int:
    os.chdir(project)
    sys.path.insert(0, str(project))
    sys.dont_write_bytecode = True  # else a mutant's might be taken for the code
    os.environ |= {"PYTHONPATH": str(project), "PYTHONDONTWRITEBYTECODE": "1"}
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    import pytest

    options = ["-q", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return int(pytest.main([*options, "--hypothesis-seed=0", *arguments], plugins=list(plugins)))


def _record(project: Path, room: str, path: Path) -> NoReturn:
    import coverage

    watch = coverage.Coverage(
        data_file=str(path.with_suffix(".data")),
        source=[str(project / each) for each in ROOMS],
        config_file=False,
    )
    watch.start()
    clock = _Clock(watch)
    code = _run(project, [f"tests/{room}"], (clock,))
    watch.stop()
    lines, data = {}, watch.get_data()
    for file in data.measured_files():
        lines[Path(file).relative_to(project).as_posix()] = {
            str(line): [test for test in tests if test]
            for line, tests in data.contexts_by_lineno(file).items()
        }
    if not code:
        path.write_text(json.dumps(asdict(Room(lines, clock.seconds))), encoding="utf-8")
    os._exit(code)


class _Clock:
    """Says to coverage which test is running, and keeps how long each takes."""

    def __init__(self, watch: Any):
        self._watch = watch
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._watch.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration

    def pytest_runtest_logfinish(self) -> None:
        self._watch.switch_context("")
