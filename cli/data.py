"""`biaoti data`: what is wrong with files of titles."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cli.options import add_result, add_source, add_verb, add_verbs, print_result, source_of
from models.errors import UsageError


def add_to(verbs: Any) -> None:
    data = verbs.add_parser("data", help="look at files of titles before training on them")
    verbs = add_verbs(data)
    _add_folds(verbs)
    _add_recombine(verbs)
    parser = add_verb(
        verbs,
        "check",
        check,
        """
        biaoti data check samples/train.txt samples/dev.txt samples/test.txt
        biaoti data check --fix train.txt dev.txt test.txt
        biaoti data check --json --output findings.json train.csv
        """,
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="one split each: its name is the file's"
    )
    parser.add_argument(
        "--fix", action="store_true", help="write cleaned copies beside the originals"
    )
    parser.add_argument(
        "--tokenizer",
        type=Path,
        metavar="FOLDER",
        help="count tokens too, with a model's tokenizer.json",
    )
    add_source(parser)
    add_result(parser)


def check(options: argparse.Namespace) -> int:
    """Report what is wrong with files of titles; with --fix, write cleaned copies.

    Errors are rows that training cannot use; the exit code is then 3. Warnings are duplicates,
    titles with two labels, lost characters, and titles that leak from one split into another.
    """
    from titles import check as run
    from titles import fix, report_text

    splits = {Path(name).stem: source_of(options, name) for name in options.files}
    if len(splits) < len(options.files):
        raise UsageError(
            "two files have the same name, but splits are told apart by it; rename one"
        )
    count_tokens = _token_counter(options.tokenizer) if options.tokenizer else None
    report = run(splits, options.labels, count_tokens)
    print_result(options, report.to_dict(), report_text(report))
    if options.fix:
        for result in fix(splits, options.labels, report).values():
            print(result, file=sys.stderr)
    return 3 if report.errors and not options.fix else 0


def folds(options: argparse.Namespace) -> None:
    """Cut a labelled file into folds: what to train on, and what to ask the trained model.

    Each fold is a folder with train.jsonl, held_out.jsonl and class.txt. Models trained on the one
    and asked for the other score every training title as if it were new: what 'biaoti distill
    --scores' wants of a teacher, and what shows doubtful labels.
    """
    from titles import read, write_folds

    titles = read(source_of(options, options.file), options.labels)
    for folder in write_folds(titles, options.folds, options.output):
        print(folder)


def recombine(options: argparse.Namespace) -> None:
    """Make new titles, without labels, of parts of a file's, for a teacher to judge.

    Made of the held-out titles of a fold and scored by a teacher that has learned the rest, they
    show a student what to make of words as they stand in real titles ('biaoti distill --scores').
    """
    from titles import write_recombined

    source = source_of(options, options.file)
    count = write_recombined(source, options.each, options.output, options.seed)
    print(f"{options.output}: {count:,} titles")


def _add_recombine(verbs: Any) -> None:
    parser = add_verb(
        verbs,
        "recombine",
        recombine,
        """
        biaoti data recombine artifacts/folds/fold-1/held_out.jsonl --each 2 \\
            --output artifacts/recombined-1.jsonl
        biaoti evaluate artifacts/linear-1 artifacts/recombined-1.jsonl --unlabelled \\
            --predictions artifacts/recombined-scores-1.csv
        """,
    )
    parser.add_argument("file", metavar="FILE", help="titles; labels are not read")
    parser.add_argument("--each", type=int, default=2, metavar="N", help="how many for each title")
    parser.add_argument("--seed", type=int, default=13, metavar="N", help="decides which")
    parser.add_argument("--output", required=True, type=Path, metavar="FILE", help="JSON lines")
    add_source(parser)


def _add_folds(verbs: Any) -> None:
    parser = add_verb(
        verbs,
        "folds",
        folds,
        """
        biaoti data folds samples/train.txt --folds 2 --output artifacts/folds
        biaoti train linear --train artifacts/folds/fold-1/train.jsonl --dev samples/dev.txt \\
            --output artifacts/linear-1
        biaoti evaluate artifacts/linear-1 artifacts/folds/fold-1/held_out.jsonl \\
            --predictions artifacts/scores-1.csv
        """,
    )
    parser.add_argument("file", metavar="FILE", help="labelled titles")
    parser.add_argument("--folds", type=int, default=2, metavar="N", help="how many")
    parser.add_argument("--output", required=True, type=Path, metavar="FOLDER", help="their folder")
    add_source(parser)


def _token_counter(folder: Path) -> Callable[[list[str]], list[int]]:
    from tokenizers import Tokenizer

    path = folder / "tokenizer.json"
    if not path.is_file():
        raise UsageError(f"{path} does not exist; pass a folder with a fast tokenizer")
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    return lambda titles: [len(encoding.ids) for encoding in tokenizer.encode_batch_fast(titles)]
