"""An evaluation as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_INTERVALS = (("accuracy", "accuracy"), ("macro_f1", "macro-F1"))
_OF_NEWSROOMS = (
    ("accuracy", "right", "of titles that are of some class"),
    ("macro_recall", "recall", "the mean of the newsrooms'"),
    ("macro_f1", "macro-F1", "of titles of exactly one class"),
)


def format_evaluation(report: dict[str, Any]) -> str:
    """The result of `evaluate` as a few short tables."""
    model = report["model"]
    lines = [f"model      {model['name']} ({model['version']})", f"titles     {report['rows']:,}"]
    if "labelled_rows" in report:
        lines += _score_lines(report)
    lines.append(f"speed      {_speed(report)}")
    lines.append(f"memory     {report['peak_memory_mb']:,.0f} MiB at most")
    lines += [f"warning    {each['code']}: {each['message']}" for each in report["remarks"]]
    if "newsrooms" in report:
        lines += ["", _newsroom_table(report["newsrooms"])]
    if "per_class" in report:
        lines += ["", _class_table(report["per_class"])]
        names = [row["label"] for row in report["per_class"]]
        lines += ["", _confusion_table(names, report["confusion_matrix"])]
    return "\n".join(lines)


def _speed(report: dict[str, Any]) -> str:
    """Of the titles that were scored now, and how many were not."""
    known = f"the scores of {report['known_rows']:,} titles were known"
    if report["titles_per_s"] is None:
        return f"not measured: {known}"
    shown = f"{report['titles_per_s']:,.0f} titles/s"
    return f"{shown}; {known}" if report["known_rows"] else shown


def _score_lines(report: dict[str, Any]) -> list[str]:
    lines = []
    if "newsrooms" in report:
        for name, title, of in _OF_NEWSROOMS:
            if name in report:
                lines.append(f"{title:<10} {report[name]:.2%}  ({of})")
    for name, title in () if "newsrooms" in report else _INTERVALS:
        low, high = report["interval_95"][name]
        lines.append(f"{title:<10} {report[name]:.2%}  (95 % interval {low:.2%} to {high:.2%})")
    if "without_leaks" in report:
        lines.append(f"no leaks   {_without_leaks(report['without_leaks'])}")
    if "ece_after" in report:
        lines.append(
            f"ECE        {report['ece_before']:.4f} before, {report['ece_after']:.4f} after "
            f"calibration (temperature {report['temperature']:.3f})"
        )
    if report["answered"]["threshold"]:
        lines.append(f"answered   {_answered(report['answered'])}")
    if "brier_after" in report:
        lines.append(
            f"Brier      {report['brier_before']:.4f} before, {report['brier_after']:.4f} after"
        )
    return lines


def _without_leaks(clean: dict[str, Any]) -> str:
    if clean["accuracy"] is None:
        return "not known: every title occurs in the training data"
    left_out = f"without {clean['leaked_titles']} titles that occur in the training data"
    return f"{clean['accuracy']:.2%}  ({left_out})"


def _answered(found: dict[str, Any]) -> str:
    told = f"{_percent(found['coverage'])}, those with {found['threshold']:.2f} or more"
    if found["outside_answered"] is not None:
        told += f", and {_percent(found['outside_answered'])} of the titles of no class"
    return f"{told}; {_percent(found['precision'])} of the answers are right"


def _newsroom_table(rows: Sequence[dict[str, Any]]) -> str:
    width = max(len("newsroom"), *(len(row["newsroom"]) for row in rows))
    lines = [f"{'newsroom':<{width}}  recall   right     ECE  titles  outside  AUROC  sure"]
    for row in rows:
        cells = [
            f"{_percent(row['macro_recall']):>7} {_percent(row['accuracy']):>7}",
            f"{_percent(row['calibration_error']):>7} {row['titles']:>7,} {row['outside']:>8,}",
            f"{_number(row['outside_auroc']):>6} {_percent(row['outside_sure']):>6}",
        ]
        lines.append(f"{row['newsroom']:<{width}} {' '.join(cells)}")
    return "\n".join(lines)


def _percent(share: float | None) -> str:
    return "·" if share is None else f"{share:.1%}"


def _number(value: float | None) -> str:
    return "·" if value is None else f"{value:.3f}"


def _class_table(rows: Sequence[dict[str, Any]]) -> str:
    width = max(len("class"), *(len(row["label"]) for row in rows))
    lines = [f"{'class':<{width}}  precision  recall      F1  titles"]
    lines += [
        f"{row['label']:<{width}}  {row['precision']:>9.2%} {row['recall']:>7.2%} "
        f"{row['f1']:>7.2%} {row['support']:>7,}"
        for row in rows
    ]
    return "\n".join(lines)


def _confusion_table(names: Sequence[str], matrix: Sequence[Sequence[int]]) -> str:
    width = max(map(len, names))
    cell = max(5, len(f"{max(map(max, matrix)):,}") + 1)
    short = "".join(f"{name[: cell - 1]:>{cell}}" for name in names)
    lines = [f"{'gold, then predicted':<{width}.{width}}{short}"]
    lines += [
        f"{name:<{width}}" + "".join(f"{count or '·':>{cell}}" for count in row)
        for name, row in zip(names, matrix, strict=True)
    ]
    return "\n".join(lines)
