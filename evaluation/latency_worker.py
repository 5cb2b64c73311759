"""One model in a process of its own, measured when asked.

    python -m evaluation.latency_worker MODEL THREADS TITLES.json

reads one request a line, such as {"measure": "latency", "titles": 300}, and answers with one line
of JSON; the first answer, unasked, says that the model is loaded. It ends with its standard input.
Nothing heavy is imported at the top: the process is tied to its cores before NumPy and torch look
how many threads they may start.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from models.errors import BiaotiError

if TYPE_CHECKING:
    from models.classifier import TitleClassifier

WARM_UP_TITLES = 32


def main() -> None:
    started = time.perf_counter()
    model_text, threads, titles_file = sys.argv[1:]
    answers = _take_standard_output()
    pin_to_cores(int(threads))
    try:
        for answer in serve(model_text, Path(titles_file), started):
            print(json.dumps(answer), file=answers, flush=True)
    except Exception as error:  # told to the process that asked, whatever it is
        message = str(error) if isinstance(error, BiaotiError) else repr(error)
        print(json.dumps({"error": message}), file=answers, flush=True)
        raise


def serve(model_text: str, titles_file: Path, started: float) -> Iterator[dict[str, Any]]:
    """The answers: first what loading took, then one for each line of standard input."""
    from evaluation.candidates import parse_candidate
    from evaluation.memory import peak_memory_mb

    with parse_candidate(model_text).open() as model:
        yield {"load_s": time.perf_counter() - started}
        titles = json.loads(titles_file.read_text(encoding="utf-8"))
        for line in sys.stdin:
            request = json.loads(line)
            chosen = titles[: request["titles"]]
            if request["measure"] == "latency":
                answer: dict[str, Any] = {"milliseconds": latencies_ms(model, chosen)}
            else:
                answer = {"titles_per_s": throughput(model, chosen, request["batch_size"])}
            yield answer | {"peak_memory_mb": peak_memory_mb()}


def latencies_ms(model: TitleClassifier, titles: Sequence[str]) -> list[float]:
    """Milliseconds that each title takes alone, from text to calibrated scores, after a warm-up."""
    for title in titles[:WARM_UP_TITLES]:
        model.predict_proba([title])
    taken = []
    for title in titles:
        started = time.perf_counter()
        model.predict_proba([title])
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def throughput(model: TitleClassifier, titles: Sequence[str], batch_size: int) -> float:
    """Titles a second in batches, from text to calibrated scores, after a warm-up."""
    model.predict_proba(titles[:WARM_UP_TITLES])
    started = time.perf_counter()
    for start in range(0, len(titles), batch_size):
        model.predict_proba(titles[start : start + batch_size])
    return len(titles) / (time.perf_counter() - started)


def pin_to_cores(threads: int) -> None:
    """Keep this process on as many cores as it may have threads, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def _take_standard_output() -> TextIO:
    """Standard output for answers alone; what libraries print goes to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


if __name__ == "__main__":
    main()
