"""The command line: finds the verb, reads its settings, calls its recipe, shows the result."""

from __future__ import annotations

import difflib
import inspect
import logging
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, make_dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import tyro
from tyro.conf import AvoidSubcommands, FlagCreatePairsOff, OmitArgPrefixes

from cli.console import give_up_output, is_of_printing, prepare_console
from cli.printing import Printing, claim_output
from cli.verbs import VERBS, Verb, find
from models.errors import BiaotiError, FileError, UsageError

_HELP = """usage: biaoti VERB [OPTIONS]

Train, compress, compare and serve a classifier of Chinese news titles.

{verbs}

'biaoti VERB --help' explains a verb, with examples; 'biaoti --version' tells the version.
Results go to standard output, progress and messages to standard error. Exit codes: 0 done,
1 failed, 2 wrong usage, 3 data that cannot be used, 4 a model that cannot be trusted, 5 a
pretrained encoder that cannot be had, 6 a package that is missing, 7 a compressed model that
lost too much accuracy, 8 a file or folder that cannot be read or written, 9 an endpoint that does
not answer or would cost too much, 130 interrupted."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the verb that the arguments (by default the process's) name; its exit code."""
    try:
        prepare_console()
        code = _exit_code(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
        return code
    except FileError as error:
        return _failed(error)
    except BrokenPipeError:  # the reader of our output has gone, as `| head` does
        give_up_output()
        return 141
    except OSError as error:
        give_up_output()
        return _failed(FileError.unwritable(Path("standard output"), error))


def _exit_code(words: list[str]) -> int:
    """That of the verb, whose errors are told.

    Raises:
        OSError: nothing can be printed.
    """
    try:
        verb, rest = find(words)
        if verb is None:
            return _without_verb(words)
        with _messages_shown(verb):
            return _run(verb, rest)
    except BiaotiError as error:
        return _failed(error)
    except SystemExit as end:  # of the parser, which has said why
        return int(end.code or 0)
    except KeyboardInterrupt:
        print("biaoti: interrupted", file=sys.stderr)
        return 130
    except OSError as error:
        if isinstance(error, BrokenPipeError) or is_of_printing(error):
            raise
        return _failed(FileError.of(error))
    except MemoryError:
        return _failed(BiaotiError("the memory is full; free some, or ask for less at once"))


def _failed(error: BiaotiError) -> int:
    print(f"biaoti: error: {error}", file=sys.stderr)
    return error.exit_code


def _run(verb: Verb, words: Sequence[str]) -> int:
    settings_class, recipe = verb.load()
    settings, printing = read_settings(verb, settings_class, words)
    claim_output(printing, settings)
    return verb.show(settings, recipe(settings), printing) or 0


def read_settings(verb: Verb, settings_class: type, words: Sequence[str]) -> tuple[Any, Printing]:
    """The settings that the words ask for, and how the result is wanted.

    Raises:
        UsageError: values that the settings refuse.
        SystemExit: with code 2, an option that does not exist or misses its value; with 0, --help.
    """
    asked = settings_class
    if verb.takes_json:
        printing = ("printing", Printing, field(default=Printing()))
        asked = make_dataclass("Asked", [printing], bases=(asked,), frozen=True, kw_only=True)
    found: Any = tyro.cli(
        asked,
        prog=f"biaoti {verb.name}",
        description=_description(verb, settings_class),
        args=words,
        default=getattr(settings_class, "shown_for", lambda _: None)(words),
        config=(OmitArgPrefixes, FlagCreatePairsOff, AvoidSubcommands),
    )
    return found, getattr(found, "printing", Printing())


def _description(verb: Verb, settings_class: type) -> str:
    """What the verb does, then its examples; indented, else its lines would be joined."""
    examples = textwrap.indent(textwrap.dedent(verb.examples).strip(), "  ")
    text = f"{inspect.cleandoc(settings_class.__doc__ or '')}\n\nexamples:\n{examples}"
    return textwrap.indent(text, "  ")


def _without_verb(words: Sequence[str]) -> int:
    """`biaoti`, `--help`, `--version`, a group of verbs, or a word that is no verb."""
    if words[:1] == ["--version"]:
        print(f"biaoti {version('biaoti')}")
        return 0
    group = words[0] if words and not words[0].startswith("-") else ""
    chosen = [verb for name, verb in VERBS.items() if not group or name.startswith(f"{group} ")]
    if not chosen:
        close = difflib.get_close_matches(" ".join(words[:2]), VERBS, n=3, cutoff=0.5)
        hint = f"; did you mean {', '.join(close)}" if close else ""
        raise UsageError(f"there is no verb '{words[0]}'{hint}; 'biaoti --help' lists them")
    width = max(len(verb.name) for verb in chosen)
    listed = "\n".join(f"  {verb.name:<{width}}  {verb.summary}" for verb in chosen)
    asked_for_help = words[-1:] in (["--help"], ["-h"])
    print(_HELP.format(verbs=listed), file=sys.stdout if asked_for_help else sys.stderr)
    return 0 if asked_for_help else 2


@contextmanager
def _messages_shown(verb: Verb) -> Iterator[None]:
    """Within the block, what recipes log is printed to standard error."""
    logger, handler = logging.getLogger("biaoti.recipes"), logging.StreamHandler(sys.stderr)
    if not verb.says:
        yield
        return
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
