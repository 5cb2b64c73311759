"""Check a million synthetic titles in a fresh process; print seconds and peak memory.

    python benchmarks/data_check.py [--rows 1000000]

The files are written to a temporary folder: 98 % train, 1 % dev, 1 % test. Into train are planted
exact duplicates, titles of test, and labels that do not exist; the check has to find exactly these.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from models.labels import DISPLAY_NAMES, Labels  # noqa: E402
from titles import Source, check  # noqa: E402

LENGTHS = (10, 28)
"""Characters of a title, at least and less than: what real titles have."""
CHUNK_ROWS = 20_000
LIMIT_S, LIMIT_MB = 60, 1000


def synthetic_titles(count: int, rng: np.random.Generator) -> Iterator[str]:
    """Random Han characters with a full-width comma in the middle."""
    for start in range(0, count, CHUNK_ROWS):
        lengths = rng.integers(*LENGTHS, min(CHUNK_ROWS, count - start))
        codes = rng.integers(0x4E00, 0x8000, lengths.sum(), dtype=np.uint32)
        characters = codes.tobytes().decode("utf-32-le")
        ends = np.cumsum(lengths).tolist()
        for begin, end in zip([0, *ends], ends, strict=False):
            middle = (begin + end) // 2
            yield f"{characters[begin:middle]}，{characters[middle:end]}"


def write_splits(folder: Path, rows: int) -> dict[str, int]:
    """Write the three files; returns how many findings of each code are planted."""
    rng = np.random.default_rng(0)
    held_out = rows // 100
    tests = list(synthetic_titles(held_out, rng))
    _write(folder / "test.txt", tests)
    _write(folder / "dev.txt", synthetic_titles(held_out, rng))
    duplicates, leaks, unknown = rows // 200, held_out // 10, rows // 1000
    firsts = list(synthetic_titles(duplicates, rng))
    rest = rows - 2 * held_out - 2 * duplicates - leaks - unknown
    with (folder / "train.txt").open("w", encoding="utf-8") as file:
        for titles in (firsts, synthetic_titles(rest, rng), firsts):
            file.writelines(f"{title}\t{i % 10}\n" for i, title in enumerate(titles))
        file.writelines(f"{title}\t{i % 10}\n" for i, title in enumerate(tests[:leaks]))
        file.writelines(f"{title}\t10\n" for title in synthetic_titles(unknown, rng))
    return {"unknown-label": unknown, "duplicate-exact": duplicates, "leak-exact": leaks}


def _write(path: Path, titles: Iterator[str] | list[str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{title}\t{i % 10}\n" for i, title in enumerate(titles))


def measure(folder: Path) -> dict[str, object]:
    """Check the three files in this process."""
    splits = {split: Source(folder / f"{split}.txt") for split in ("train", "dev", "test")}
    start_s, start_cpu_s = time.perf_counter(), time.process_time()
    report = check(splits, Labels.of(DISPLAY_NAMES))
    return {
        "rows": sum(summary.rows for summary in report.splits.values()),
        "seconds": round(time.perf_counter() - start_s, 1),
        "cpu_seconds": round(time.process_time() - start_cpu_s, 1),
        # Kilobytes on Linux.
        "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "counts": report.counts,
    }


def main() -> int:
    """Exit code 0 when all that was planted is found within the limits."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.folder:
        print(json.dumps(measure(arguments.folder)))
        return 0
    with tempfile.TemporaryDirectory() as name:
        planted = write_splits(Path(name), arguments.rows)
        command = [sys.executable, __file__, "--folder", name]
        found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    for key, value in found.items():
        print(f"{key:12} {value}")
    missed = found["counts"] != planted
    over = found["cpu_seconds"] > LIMIT_S or found["peak_rss_mb"] > LIMIT_MB
    print(f"{'verdict':12} {'not what was planted' if missed else 'over' if over else 'passed'}")
    return int(missed or over)


if __name__ == "__main__":
    sys.exit(main())
