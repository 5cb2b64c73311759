"""What can be wrong with a row: the codes, how serious each is, and one finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding: `error` if training cannot use the row, else `warning`.

    `what` is the message where a finding brings no detail of its own; `{other}` in it is the place
    that the finding refers to.
    """

    severity: str
    what: str
    remedy: str


_DROP = "biaoti data check --fix drops the row"
_PARSE = "fix the row, or name the format of the file with --format"

CODES: dict[str, Code] = {
    "missing-title": Code("error", "no title", "give the row a title or delete it"),
    "empty-title": Code("error", "the title is empty", "give the row a title or delete it"),
    "unknown-label": Code("error", "unknown label", "fix the row or pass --labels"),
    "column-count": Code("error", "wrong column count", _PARSE),
    "broken-encoding": Code(
        "error",
        "not UTF-8",
        "restore the row from its source; if many rows are so, save the file as UTF-8",
    ),
    "malformed-record": Code("error", "cannot be parsed", _PARSE),
    "no-rows": Code("error", "no rows", "check that the path names the right file"),
    "other-encoding": Code(
        "warning",
        "the file is not UTF-8",
        "it is read as such; biaoti data check --fix writes it as UTF-8",
    ),
    "unmapped-label": Code(
        "warning",
        "a label without a line in the class map",
        "the title is left out; write there what the label means",
    ),
    "similar-label": Code(
        "warning",
        "a label that differs from another in looks only",
        "write both alike, or list the classes with --labels",
    ),
    "class-of-one": Code(
        "warning",
        "the only title of its class",
        "fix the label if it is a slip, else give the class more titles",
    ),
    "absent-class": Code(
        "warning",
        "a class without titles",
        "give it titles, or leave it out of the list of classes",
    ),
    "lost-title": Code(
        "warning",
        "hardly more than U+FFFD is left of the title",
        f"restore it from its source; {_DROP}",
    ),
    "replacement-character": Code(
        "warning",
        "U+FFFD stands where a character was lost",
        "restore the title from its source",
    ),
    "private-use-character": Code(
        "warning",
        "a private-use character, which no tokenizer knows",
        "restore the title from its source",
    ),
    "untidy-spacing": Code(
        "warning",
        "trailing, doubled or unusual spaces, control characters, or HTML",
        "biaoti data check --fix repairs the title",
    ),
    "duplicate-exact": Code("warning", "the same title as {other}", _DROP),
    "duplicate-normalised": Code(
        "warning", "the same title as {other} but for width, case, spaces, punctuation", _DROP
    ),
    # A warning: the row can be read and learnt from, and large real corpora all hold a few.
    # Refusing them would refuse every such corpus for a fraction of a per cent of label noise.
    "contradictory-label": Code(
        "warning", "the same title as {other} with another label", f"decide which is right; {_DROP}"
    ),
    "leak-exact": Code("warning", "the same title as {other} of a held-out split", _DROP),
    "leak-normalised": Code(
        "warning",
        "the same title as {other} of a held-out split but for width, case, spaces, punctuation",
        _DROP,
    ),
}
"""By name, in the order of the report."""


class Place(NamedTuple):
    """A row of a split; `line` counts from 1 (0: the file as a whole)."""

    split: str
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong with one row; the message is made on demand, as there may be millions."""

    code: str
    split: str
    path: str
    line: int
    detail: str = ""
    other: Place | None = None

    @property
    def severity(self) -> str:
        """error or warning."""
        return CODES[self.code].severity

    @property
    def place(self) -> Place:
        """Where it is."""
        return Place(self.split, self.path, self.line)

    @property
    def message(self) -> str:
        """`what; remedy`, without the place."""
        code = CODES[self.code]
        return f"{self.detail or code.what.format(other=self.other)}; {code.remedy}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-able; `other` is there where the finding refers to another row."""
        found = {
            "code": self.code,
            "severity": self.severity,
            "split": self.split,
            "path": self.path,
            "line": self.line,
            "message": self.message,
        }
        return found | ({"other": self.other._asdict()} if self.other else {})
