"""An evaluation as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def format_evaluation(report: dict[str, Any]) -> str:
    """The result of `evaluate` as a few short tables."""
    model = report["model"]
    lines = [f"model      {model['name']} ({model['version']})", f"titles     {report['rows']:,}"]
    if "accuracy" in report:
        lines += _score_lines(report)
    lines.append(f"speed      {_speed(report)}")
    lines.append(f"memory     {report['peak_memory_mb']:,.0f} MiB at most")
    lines += [f"warning    {each['code']}: {each['message']}" for each in report["remarks"]]
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
    for name, title in (("accuracy", "accuracy"), ("macro_f1", "macro-F1")):
        low, high = report["interval_95"][name]
        lines.append(f"{title:<10} {report[name]:.2%}  (95 % interval {low:.2%} to {high:.2%})")
    if "without_leaks" in report:
        lines.append(f"no leaks   {_without_leaks(report['without_leaks'])}")
    lines.append(
        f"ECE        {report['ece_before']:.4f} before, {report['ece_after']:.4f} after "
        f"calibration (temperature {report['temperature']:.3f})"
    )
    lines.append(
        f"Brier      {report['brier_before']:.4f} before, {report['brier_after']:.4f} after"
    )
    return lines


def _without_leaks(clean: dict[str, Any]) -> str:
    if clean["accuracy"] is None:
        return "not known: every title occurs in the training data"
    left_out = f"without {clean['leaked_titles']} titles that occur in the training data"
    return f"{clean['accuracy']:.2%}  ({left_out})"


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
