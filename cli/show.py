"""How the results of recipes are printed: for people, or as JSON for programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cli.console import to_json
from cli.printing import Printing, opened, write
from evaluation.table import format_evaluation
from models.classifier import Prediction
from titles import report_text

Show = Callable[[Any, Any, Printing], int | None]
"""The settings, the recipe's result and how it is wanted; gives an exit code where not 0."""


def nothing(settings: Any, result: Any, printing: Printing) -> None:
    """What the recipe logged is enough."""


def paths(settings: Any, result: Iterable[Path], printing: Printing) -> None:
    for path in result:
        print(path)


def text(settings: Any, result: str, printing: Printing) -> None:
    print(result)


def count(settings: Any, result: int, printing: Printing) -> None:
    print(f"{settings.output}: {result:,} titles")


def scored(settings: Any, result: Any, printing: Printing) -> None:
    answered = result.rows - result.problems
    print(f"{settings.output}: {result.rows:,} rows, {result.problems:,} of them with a problem")
    for name, count in result.classes.most_common():
        print(f"  {name:<16} {count:>11,}  {count / answered:6.1%}")
    if result.drift is not None:
        print(f"drift from the dev titles' classes: {result.drift:.2f} (PSI; 0.25 is much)")
    rate = f"{result.scored / result.seconds:,.0f} titles/s"
    print(f"{result.scored:,} titles scored in {result.seconds:,.1f} s, {rate}", file=sys.stderr)


def report(settings: Any, result: Iterable[Path], printing: Printing) -> None:
    paths(settings, result, printing)
    print(f"open {settings.output / 'report.html'} in a browser", file=sys.stderr)


def check(settings: Any, result: Any, printing: Printing) -> int:
    write(result.to_dict() if printing.json else report_text(result), printing)
    return 3 if result.errors and not settings.fix else 0


def evaluation(settings: Any, result: dict[str, Any], printing: Printing) -> None:
    write(result if printing.json else format_evaluation(result), printing)


def lineage(settings: Any, result: Any, printing: Printing) -> None:
    manifest, links = result
    if printing.json:
        listed = [asdict(link) | {"place": link.place and str(link.place)} for link in links]
        told = {"name": manifest.name, "version": manifest.version, "made_from": listed}
        remarks = [asdict(remark) for remark in manifest.provenance.remarks]
        write(told | {"remarks": remarks}, printing)
        return
    lines = [f"{settings.folder}: {manifest.route} {manifest.version}  holds"]
    for link in links:
        made = link.ingredient
        place = f"  {link.place}" if link.place else ""
        indent = "  " * link.depth
        lines.append(f"{indent}{made.role}: {made.name} {made.version[:12]}  {link.state}{place}")
    if not links:
        lines.append("  its manifest names nothing that it was made from")
    lines += [f"  said when it was made: {remark}" for remark in manifest.provenance.remarks]
    write("\n".join(lines), printing)


def predictions(settings: Any, result: Any, printing: Printing) -> None:
    model, found = result
    with model, opened(printing) as file:
        for prediction in found:
            if printing.json:
                record = {"model": model.manifest.name, "version": model.manifest.version}
                line = to_json(record | asdict(prediction), file)
            else:
                scores = "  ".join(f"{r.display_name} {r.score:.4f}" for r in prediction.ranking)
                line = f"{scores}\t{prediction.title}{_notes(prediction)}"
            print(line, file=file)


def _notes(prediction: Prediction) -> str:
    """What to know of an answer besides the scores."""
    notes = {
        "cut off": prediction.truncated,
        "cannot be read": not prediction.readable,
        "unknown": prediction.unknown and prediction.readable,
    }
    said = ", ".join(note for note, holds in notes.items() if holds)
    return f"  ({said})" if said else ""
