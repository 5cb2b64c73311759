"""The options of `biaoti`: what each verb takes, and what its --help says."""

from __future__ import annotations

import argparse
import ast
import dataclasses
import importlib
import inspect
import itertools
import json
import textwrap
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.staging import staged_file

if TYPE_CHECKING:
    from titles import Source

Verb = Callable[[argparse.Namespace], int | None]


class Help(argparse.RawDescriptionHelpFormatter):
    """Keeps the examples' line breaks and shows every default."""

    def _get_help_string(self, action: argparse.Action) -> str:
        text = action.help or ""
        shown = action.default not in (None, False, [], argparse.SUPPRESS)
        return f"{text} [%(default)s]" if shown and action.option_strings else text


class VerbParser(argparse.ArgumentParser):
    """The parser of one verb; what is slow to import is added when the verb is chosen."""

    settings: str | None = None

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        if self.settings is not None:
            module, _, name = self.settings.partition(":")
            _add_fields(self, getattr(importlib.import_module(module), name))
            self.settings = None
        return super().parse_known_args(args, namespace)


def new_parser() -> tuple[argparse.ArgumentParser, Any]:
    """The parser of `biaoti` and the group to which verbs are added."""
    parser = argparse.ArgumentParser(
        prog="biaoti",
        description="Train, compress, compare and serve a classifier of Chinese news titles.",
        epilog="'biaoti VERB --help' explains a verb, with examples.",
    )
    parser.add_argument("--version", action="version", version=f"biaoti {version('biaoti')}")
    return parser, add_verbs(parser)


def add_verbs(parser: argparse.ArgumentParser) -> Any:
    """The group of a parser's verbs."""
    return parser.add_subparsers(
        title="verbs", metavar="VERB", required=True, parser_class=VerbParser
    )


def add_verb(verbs: Any, name: str, run: Verb, examples: str) -> VerbParser:
    """A parser for one verb, described by its function's docstring and followed by examples."""
    described = inspect.cleandoc(run.__doc__ or "")
    parser: VerbParser = verbs.add_parser(
        name,
        help=described.split("\n")[0],
        description=described,
        epilog=f"examples:\n{textwrap.indent(textwrap.dedent(examples).strip(), '  ')}",
        formatter_class=Help,
    )
    parser.set_defaults(run=run)
    return parser


def add_source(parser: argparse.ArgumentParser) -> None:
    """Options that say how files of titles are read."""
    group = parser.add_argument_group("how files are read")
    group.add_argument(
        "--labels",
        type=Path,
        metavar="FILE",
        help="class names, one a line; by default class.txt beside the data",
    )
    group.add_argument(
        "--format",
        choices=["txt", "csv", "jsonl", "parquet", "dataset"],
        help="by default told from the file's suffix",
    )
    group.add_argument("--title-column", metavar="NAME", help="column of the titles")
    group.add_argument("--label-column", metavar="NAME", help="column of the labels, ids or names")
    group.add_argument("--split", metavar="NAME", help="split of a Hugging Face dataset")


def source_of(options: argparse.Namespace, path: str, split: str | None = None) -> Source:
    """The file `path`, read as the options of `add_source` say; `split` wins over theirs."""
    from titles import Source

    return Source(
        path,
        format=options.format,
        title_column=options.title_column,
        label_column=options.label_column,
        split=split or options.split,
    )


def add_result(parser: argparse.ArgumentParser) -> None:
    """Options for where and how a result is written."""
    group = parser.add_argument_group("result")
    group.add_argument("--json", action="store_true", help="JSON for programs instead of a table")
    group.add_argument(
        "--output", type=Path, metavar="FILE", help="write there instead of standard output"
    )


def _add_fields(parser: argparse.ArgumentParser, settings: type) -> None:
    """An option for each field of a settings dataclass, helped by the sentence under the field."""
    parser.set_defaults(settings=settings)
    group = parser.add_argument_group("training")
    sentences = field_sentences(settings)
    for field in dataclasses.fields(settings):
        shown = f"{sentences.get(field.name, '')} [{field.default}]".strip()
        common: dict[str, Any] = {
            "default": None,
            "dest": f"setting_{field.name}",
            "help": shown.replace("%", "%%"),
        }
        flag = "--" + field.name.replace("_", "-")
        if isinstance(field.default, bool):
            group.add_argument(flag, action=argparse.BooleanOptionalAction, **common)
        else:
            kind = str if field.default is None else type(field.default)
            group.add_argument(flag, type=kind, metavar=kind.__name__.upper(), **common)


def build_settings(options: argparse.Namespace, **recommended: Any) -> Any:
    """The settings that the options ask for; `recommended` stands where they say nothing.

    Raises:
        UsageError: a value that the settings refuse.
    """
    given = {
        field.name: getattr(options, f"setting_{field.name}")
        for field in dataclasses.fields(options.settings)
    }
    asked = {name: value for name, value in given.items() if value is not None}
    return options.settings(**{**recommended, **asked})


def field_sentences(settings: type) -> dict[str, str]:
    """The string under each field of a dataclass and of those it extends, by the field's name."""
    found: dict[str, str] = {}
    for base in reversed(settings.__mro__[:-1]):
        body = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0].body  # type: ignore[attr-defined]
        for field, after in itertools.pairwise(body):
            is_string = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and is_string
            ):
                found[field.target.id] = " ".join(str(after.value.value).split())  # type: ignore[attr-defined]
    return found


def print_result(options: argparse.Namespace, result: dict[str, Any], table: str) -> None:
    """Write the result as the options of `add_result` say; a file is whole or absent."""
    text = json.dumps(result, ensure_ascii=False, indent=2) if options.json else table
    if options.output is None:
        print(text)
        return
    with staged_file(options.output) as neighbour:
        neighbour.write_text(text + "\n", encoding="utf-8")
