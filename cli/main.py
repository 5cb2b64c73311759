"""Run one command.

Results go to standard output, progress and messages to standard error. Exit codes: 0 done,
1 failed, 2 wrong usage, 3 data that cannot be used, 4 a model that cannot be trusted, 5 a
pretrained encoder that cannot be had, 6 a package that is missing, 7 a compressed model that lost
too much accuracy, 8 a file or a folder that cannot be read or written, 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from cli import compare, convert, data, distill, ensemble, shrink, train, transformer, use
from cli.options import new_parser
from models.errors import BiaotiError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the arguments (by default the process's) name; its exit code."""
    try:
        options = build_parser().parse_args(arguments)
        return options.run(options) or 0
    except BiaotiError as error:
        print(f"biaoti: error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("biaoti: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has gone, as `| head` does
        sys.stderr.close()
        return 141


def build_parser() -> argparse.ArgumentParser:
    """The parser of all verbs."""
    parser, verbs = new_parser()
    for room in (data, train, ensemble, distill, shrink, convert, use, compare, transformer):
        room.add_to(verbs)
    return parser
