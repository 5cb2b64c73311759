"""`biaoti compare`: which of several models to deploy."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from cli.options import add_source, add_verb, source_of
from cli.training import add_cache, score_store

DEFAULT_OUTPUT = Path("artifacts/report")


def add_to(verbs: Any) -> None:
    parser = add_verb(
        verbs,
        "compare",
        compare,
        """
        biaoti compare artifacts/linear artifacts/encoder --data samples/test.txt
        biaoti compare artifacts/linear teacher=artifacts/encoder pipeline:artifacts/encoder \\
            --data samples/test.txt --train samples/train.txt --output docs/report
        biaoti compare artifacts/linear artifacts/forest --data samples/test.txt --no-speed
        """,
    )
    parser.add_argument(
        "models",
        nargs="+",
        metavar="MODEL",
        help="a model's folder, or NAME=FOLDER to call it otherwise; pipeline:FOLDER runs an "
        "encoder's folder with transformers.pipeline, as a reference",
    )
    parser.add_argument("--data", required=True, metavar="FILE", help="labelled titles to score")
    parser.add_argument(
        "--train",
        metavar="FILE",
        help="the models' training titles; scores are also given without those that leak",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=DEFAULT_OUTPUT,
        metavar="FOLDER",
        help="where the report goes",
    )
    add_source(parser)
    add_cache(parser)
    _add_limits(parser)
    _add_speed(parser)


def compare(options: argparse.Namespace) -> None:
    """Compare models on one file and write a report: which to deploy, and why.

    The report is one page, report.html, that opens anywhere; report.md and report.json say the
    same. Scores are kept, so an interrupted comparison goes on where it was.
    Speed is measured last, with all models in memory: leave the machine alone meanwhile.
    """
    from evaluation.candidates import parse_candidates
    from evaluation.compare import Limits
    from evaluation.compare import compare as run
    from evaluation.latency import SpeedSettings
    from evaluation.report import write_report
    from titles import leaked, read, read_titles

    limits = Limits(options.max_mb, options.max_ms, options.min_titles_per_s)
    speed = None if options.no_speed else SpeedSettings(**_speed_options(options))
    candidates = parse_candidates(options.models)
    data = read(source_of(options, options.data), options.labels)
    leaks = None
    if options.train:
        leaks = leaked(data.titles, read_titles(source_of(options, options.train)))
    comparison = run(candidates, data, score_store(options), speed, limits, leaks=leaks)
    for path in write_report(comparison, options.output):
        print(path)
    print(f"open {options.output / 'report.html'} in a browser", file=sys.stderr)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "limits", "where a good model is above one, the most accurate within it is named"
    )
    group.add_argument("--max-mb", type=float, default=15, metavar="MB", help="of a model's folder")
    group.add_argument(
        "--max-ms", type=float, default=2, metavar="MS", help="median for one title on one thread"
    )
    group.add_argument(
        "--min-titles-per-s", type=float, default=1000, metavar="N", help="in batches"
    )


def _add_speed(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("speed")
    group.add_argument("--no-speed", action="store_true", help="measure size and scores alone")
    group.add_argument(
        "--rounds", type=int, default=3, metavar="N", help="how often each model is measured"
    )
    group.add_argument(
        "--latency-titles",
        type=int,
        default=300,
        metavar="N",
        help="titles scored one by one in a round",
    )
    group.add_argument(
        "--throughput-titles",
        type=int,
        default=1024,
        metavar="N",
        help="titles scored in batches in a round",
    )
    group.add_argument(
        "--batch-size", type=int, default=256, metavar="N", help="titles in such a batch"
    )
    group.add_argument(
        "--timeout-s",
        type=float,
        default=900,
        metavar="S",
        help="longest that a model may take to load, or for one round",
    )


def _speed_options(options: argparse.Namespace) -> dict[str, Any]:
    names = ("rounds", "latency_titles", "throughput_titles", "batch_size", "timeout_s")
    return {name: getattr(options, name) for name in names}
