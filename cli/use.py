"""`biaoti evaluate`, `classify` and `serve`: use a model."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.options import add_result, add_source, add_verb, print_result, source_of
from cli.training import add_cache, score_store
from models.errors import DataError
from models.staging import staged_file
from models.title_text import is_blank

if TYPE_CHECKING:
    from models.labels import Labels
    from titles import LabelledTitles

CLASSIFY_CHUNK = 1024


def add_to(verbs: Any) -> None:
    _add_evaluate(verbs)
    _add_classify(verbs)
    _add_serve(verbs)


def evaluate(options: argparse.Namespace) -> None:
    """Score a file of titles with a model.

    Where the file has labels: accuracy, macro-F1, 95 % intervals, scores by class, confusion
    matrix and calibration. With --predictions every title's scores are written, too. Scores are
    kept: titles that the model has scored before are looked up.
    """
    from evaluation.evaluate import evaluate as run
    from evaluation.table import format_evaluation
    from models.artifact import load
    from titles import read_titles

    model = load(options.model)
    training = read_titles(source_of(options, options.train)) if options.train else None
    data = _read(options, model.labels)
    report = run(model, data, score_store(options), options.predictions, training)
    print_result(options, report, format_evaluation(report))


def _read(options: argparse.Namespace, labels: Labels) -> LabelledTitles:
    import numpy as np

    from titles import NO_LABEL, LabelledTitles, read, read_titles

    source = source_of(options, options.file)
    if options.unlabelled:
        titles = list(stream := read_titles(source))
        return LabelledTitles(titles, np.full(len(titles), NO_LABEL), labels, stream.fingerprint)
    try:
        return read(source, labels)
    except DataError as error:
        raise DataError(f"{error}; or score the titles alone with --unlabelled") from error


def classify(options: argparse.Namespace) -> None:
    """Classify titles, in their order; '-' reads them from standard input, one a line."""
    from models.artifact import load
    from models.classifier import Prediction, predict

    model = load(options.model)
    chosen = model.uncalibrated if options.uncalibrated else model

    def show(prediction: Prediction) -> str:
        if not options.json:
            scores = "  ".join(f"{r.display_name} {r.score:.4f}" for r in prediction.ranking)
            return f"{scores}\t{prediction.title}"
        record = {"model": model.manifest.name, "version": model.manifest.version}
        return json.dumps(record | asdict(prediction), ensure_ascii=False)

    titles = _titles(options.titles)
    lines = (
        show(prediction)
        for chunk in iter(lambda: list(islice(titles, CLASSIFY_CHUNK)), [])
        for prediction in predict(chosen, chunk, options.top_k)
    )
    if options.output is None:
        for line in lines:
            print(line)
        return
    with staged_file(options.output) as neighbour, neighbour.open("w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


def serve(options: argparse.Namespace) -> None:
    """Serve a model over HTTP until interrupted."""
    from service.run import serve as run
    from service.settings import read_settings

    run(read_settings(model=options.model, host=options.host, port=options.port))


def _titles(given: list[str]) -> Iterator[str]:
    """The titles on the command line, with standard input in the place of '-'."""
    for title in chain.from_iterable(_read_stdin() if each == "-" else [each] for each in given):
        if is_blank(title):
            raise DataError("a title is blank; pass at least one visible character")
        yield title


def _read_stdin() -> Iterator[str]:
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            title = line.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise DataError(f"not UTF-8: {error}; convert it first", "<stdin>", number) from error
        if is_blank(title):
            raise DataError("a blank line; remove it", "<stdin>", number)
        yield title


def _add_model(parser: argparse.ArgumentParser) -> None:
    from models.artifact import DEFAULT_FOLDER

    parser.add_argument(
        "--model", type=Path, default=DEFAULT_FOLDER, metavar="FOLDER", help="the model"
    )


def _add_evaluate(verbs: Any) -> None:
    parser = add_verb(
        verbs,
        "evaluate",
        evaluate,
        """
        biaoti evaluate artifacts/encoder samples/test.txt --train samples/train.txt
        biaoti evaluate artifacts/encoder titles.csv --unlabelled --predictions scored.csv
        biaoti evaluate artifacts/encoder samples/test.txt --json --output metrics.json
        """,
    )
    parser.add_argument("model", type=Path, metavar="FOLDER", help="the model")
    parser.add_argument("file", metavar="FILE", help="titles to score; '-' reads standard input")
    parser.add_argument(
        "--predictions",
        type=Path,
        metavar="FILE",
        help="write every title's scores, as .csv or .jsonl",
    )
    parser.add_argument(
        "--train",
        metavar="FILE",
        help="the model's training titles; the score is also given without those that leak",
    )
    parser.add_argument(
        "--unlabelled",
        action="store_true",
        help="the file has titles alone, or labels of another taxonomy",
    )
    add_source(parser)
    add_cache(parser)
    add_result(parser)


def _add_classify(verbs: Any) -> None:
    parser = add_verb(
        verbs,
        "classify",
        classify,
        """
        biaoti classify 国足客场一球小胜 "A股三大指数集体收涨 半导体领涨"
        cut -f1 samples/test.txt | biaoti classify --json --top-k 3 -
        """,
    )
    parser.add_argument(
        "titles", nargs="+", metavar="TITLE", help="a title; '-' reads standard input"
    )
    _add_model(parser)
    parser.add_argument(
        "--top-k", type=int, default=1, metavar="N", help="classes shown for each title"
    )
    parser.add_argument(
        "--uncalibrated", action="store_true", help="scores before temperature scaling"
    )
    add_result(parser)


def _add_serve(verbs: Any) -> None:
    parser = add_verb(
        verbs,
        "serve",
        serve,
        """
        biaoti serve --model artifacts/encoder
        curl http://127.0.0.1:8000/v1/classify -H 'Content-Type: application/json' \\
            -d '{"titles": ["国足客场一球小胜"], "top_k": 3}'
        """,
    )
    parser.add_argument(
        "--model",
        type=Path,
        metavar="FOLDER",
        help="the model; by default BIAOTI_MODEL, else the default model",
    )
    parser.add_argument("--host", metavar="ADDRESS", help="by default BIAOTI_HOST, else 127.0.0.1")
    parser.add_argument("--port", type=int, metavar="N", help="by default BIAOTI_PORT, else 8000")
