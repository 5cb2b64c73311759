"""Does a test notice when the code is wrong? Small changes to the code, and the tests of its room.

    python benchmarks/mutation.py --mutants 300 --seed 1 --output mutants.jsonl

Each mutant (see mutants.py) is written into a copy of the project. It is killed if a test of the
rooms asked fails, or takes five times as long as without it. Only tests are run that run the
changed line (covered.py), its own room's first, and none marked `slow`. Results are kept as they
come, so that an interrupted run goes on where it was, and two runs may share the work (--part 1/2
and --part 2/2, with the same --output); a last one without --part counts all.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from covered import ROOMS, Covered, run_tests
from mutants import Mutant, find_mutants

ROOT = Path(__file__).resolve().parent.parent
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", ".hypothesis", "*_cache", "__pycache__", "artifacts", "runs", "build"
)
IMPORTED = ("torch", "transformers", "sklearn", "onnx", "onnxruntime", "fastapi", "pytest")
"""What every test would import anew, and no mutant changes."""


class Bench:
    """A copy of the project in which one mutant after the other is tested.

    Args:
        folder: where the copy goes; must not exist.
        covered: which tests run a line.
    """

    def __init__(self, folder: Path, covered: Covered):
        self.folder, self.covered = folder, covered
        shutil.copytree(ROOT, folder, ignore=NOT_COPIED)
        collect = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "tests"]
        subprocess.run(  # which compiles all; else each mutant's tests would do so anew
            collect,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(folder)},
            check=True,
            stdout=subprocess.DEVNULL,
        )

    def survives(self, mutant: Mutant) -> bool:
        """Whether all tests pass that could notice the mutant.

        Raises:
            RuntimeError: they fail without the mutant, too.
        """
        stages = list(self.covered.tests_of(self.folder, mutant))  # before there is a mutant
        path = self.folder / mutant.file
        source = path.read_bytes()
        path.write_bytes(mutant.applied_to(source))
        try:
            return all(map(self._pass, filter(None, stages)))
        finally:
            path.write_bytes(source)

    def _pass(self, tests: list[str]) -> bool:
        """Run tests in a process that has imported the libraries, and may not take too long."""
        limit_s = 20 + 5 * self.covered.seconds_of(tests)
        child = os.fork()
        if child == 0:
            os.setsid()
            run_tests(self.folder, ["-x", *tests])
        deadline, status = time.monotonic() + limit_s, None
        while status is None and time.monotonic() < deadline:
            time.sleep(0.05)
            done, found = os.waitpid(child, os.WNOHANG)
            status = found if done else None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what it started, too
        if status is None:
            os.waitpid(child, 0)
        return status is not None and os.waitstatus_to_exitcode(status) == 0


def draw(rooms: list[str], count: int, seed: int) -> list[Mutant]:
    """Mutants drawn at random from all of the rooms, each as likely as any other."""
    files = [file for room in rooms for file in sorted((ROOT / room).rglob("*.py"))]
    found = [
        mutant
        for file in files
        for mutant in find_mutants(file.relative_to(ROOT).as_posix(), file.read_bytes())
    ]
    print(f"{len(found):,} mutants in {len(files)} files", file=sys.stderr)
    return random.Random(seed).sample(found, min(count, len(found)))


def run(
    mutants: list[Mutant], output: Path, covered: Covered, again: bool = False
) -> list[dict[str, Any]]:
    """The result of each mutant, those of earlier runs included.

    Args:
        again: those that survived an earlier run are tested once more.
    """
    lines = output.read_text(encoding="utf-8").splitlines() if output.exists() else []
    earlier = {_key(each): each for each in map(json.loads, lines)}
    if again:
        earlier = {key: each for key, each in earlier.items() if not each["survived"]}
    for name in IMPORTED:
        __import__(name)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder) / "project", covered)
        for number, mutant in enumerate(mutants, 1):
            result = earlier.get(_key(asdict(mutant)))
            if result is None:
                started = time.monotonic()
                result = asdict(mutant) | {"survived": bench.survives(mutant)}
                result["seconds"] = round(time.monotonic() - started, 1)
                with output.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(result, ensure_ascii=False) + "\n")
            results.append(result)
            _tell(f"{number}/{len(mutants)}", result)
    return results


def _key(result: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(result[name] for name in ("file", "start", "end", "before", "after"))


def _tell(number: str, result: dict[str, Any]) -> None:
    verdict = "SURVIVED" if result["survived"] else "killed"
    change = f"{result['before'][:60]!r} -> {result['after'][:60]!r}"
    place = f"{result['file']}:{result['line']}"
    print(f"{number} {verdict} {place} {change} {result['seconds']} s", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rooms", nargs="+", default=list(ROOMS), choices=ROOMS)
    parser.add_argument("--mutants", type=int, default=300, help="how many are drawn")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--part", default="1/1", help="of the mutants, such as 2/3")
    parser.add_argument("--output", type=Path, default=Path("mutants.jsonl"), metavar="FILE")
    parser.add_argument("--again", action="store_true", help="test survivors once more")
    parser.add_argument(
        "--tests", nargs="+", default=list(ROOMS), choices=ROOMS, help="whose tests are asked"
    )
    options = parser.parse_args()
    covered = Covered(options.output.with_suffix(".coverage"), options.tests)
    part, parts = map(int, options.part.split("/"))
    drawn = draw(options.rooms, options.mutants, options.seed)
    results = run(drawn[part - 1 :: parts], options.output, covered, options.again)
    for room in (*options.rooms, ""):
        verdicts = [each["survived"] for each in results if each["file"].startswith(room)]
        killed = verdicts.count(False)
        share = 100 * killed / max(1, len(verdicts))
        print(f"{room or 'all'}: {killed} of {len(verdicts)} killed ({share:.1f} %)")


if __name__ == "__main__":
    main()
