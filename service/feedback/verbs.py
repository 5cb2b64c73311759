"""`biaoti feedback export` and `biaoti feedback report`."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, arg

from models.bounds import Checked
from models.errors import DataError
from models.outputs import claim_file
from models.staging import staged_file
from service.feedback.keeping import Correction, open_store

OUTSIDE = "outside"
"""The label of titles that are of no class, for a class map to say so."""

Dated = tuple[datetime, Correction]


@dataclass(frozen=True, kw_only=True)
class ExportFeedback(Checked):
    """Write what people corrected as titles to learn from, as JSON lines.

    Of several corrections of a title the last one counts. Each line also says when it came, from
    whom, and what the model had answered.
    """

    database: Annotated[str, Positional, arg(metavar="URL")]
    """The database, as the service has it in BIAOTI_FEEDBACK."""
    output: Path
    """The file."""
    with_outside: bool = False
    """Write titles of no class, too, with the label 'outside', which a class map has to explain."""
    force: bool = False
    """Replace whatever stands at --output."""


@dataclass(frozen=True, kw_only=True)
class ReportFeedback(Checked):
    """Tell how often people agreed with the answers: by month and model, and by class."""

    database: Annotated[str, Positional, arg(metavar="URL")]
    """The database, as the service has it in BIAOTI_FEEDBACK."""


def export_feedback(settings: ExportFeedback) -> int:
    """The number of titles written.

    Raises:
        DataError: nothing was corrected.
    """
    claim_file(settings.output, [], force=settings.force or None)
    last = {correction.title: (when, correction) for when, correction in _all(settings.database)}
    kept = [
        (when, correction)
        for when, correction in last.values()
        if correction.label is not None or settings.with_outside
    ]
    if not kept:
        raise DataError("nothing was corrected yet", settings.database)
    with staged_file(settings.output) as staging:
        staging.write_text("".join(map(_line, kept)), "utf-8")
    return len(kept)


def report_feedback(settings: ReportFeedback) -> str:
    """Tables as text.

    Raises:
        DataError: there is no feedback.
    """
    found = list(_all(settings.database))
    if not found:
        raise DataError("there is no feedback yet", settings.database)
    by_month: dict[str, list[bool]] = defaultdict(list)
    by_class: dict[str, list[bool]] = defaultdict(list)
    confusions: Counter[tuple[str, str]] = Counter()
    for when, correction in found:
        agrees = correction.label == correction.answered
        by_month[f"{when:%Y-%m}  {correction.model} {correction.version}"].append(agrees)
        by_class[correction.answered].append(agrees)
        if not agrees:
            confusions[correction.answered, correction.label or OUTSIDE] += 1
    parts = [
        _table("month    model", sorted(by_month.items())),
        _table("answered", sorted(by_class.items())),
        "\n".join(
            f"{count:>6,}  {answered} was {label}"
            for (answered, label), count in confusions.most_common(10)
        ),
    ]
    return "\n\n".join(part for part in parts if part)


def _all(url: str) -> Iterator[Dated]:
    store = open_store(url)
    try:
        yield from store
    finally:
        store.close()


def _line(dated: Dated) -> str:
    when, correction = dated
    row: dict[str, Any] = {
        "title": correction.title,
        "label": correction.label or OUTSIDE,
        "date": f"{when:%Y-%m-%d}",
        "answered": correction.answered,
        "score": correction.score,
        "model": correction.model,
        "version": correction.version,
        "by": correction.by,
        "id": correction.id,
    }
    return json.dumps(row, ensure_ascii=False) + "\n"


def _table(head: str, rows: Iterable[tuple[str, list[bool]]]) -> str:
    listed = list(rows)
    width = max(len(head), *(len(name) for name, _ in listed))
    lines = [f"{head:<{width}}  titles   right"]
    lines += [
        f"{name:<{width}}  {len(agreed):>6,}  {sum(agreed) / len(agreed):>6.1%}"
        for name, agreed in listed
    ]
    return "\n".join(lines)
