"""What was compared: versions, training data, and the titles it was scored on."""

from __future__ import annotations

from typing import Any

from evaluation.comparison import Comparison, ModelResult
from evaluation.report.blocks import Block, Paragraph, Table
from evaluation.report.section import Content, Section
from models.artifact import code_revision


def write(comparison: Comparison) -> Content:
    source = comparison.data.fingerprint
    found = [_facts(model) for model in comparison.models]
    rows = [["" if value is None else str(value) for value in facts.values()] for facts in found]
    note = (
        f"Titles: {source.name}, {source.rows:,} rows, SHA-256 {source.sha256[:12]}. "
        f"Compared with code revision {code_revision()}."
    )
    header = [name.replace("_", " ") for name in found[0]]
    blocks: list[Block] = [Table(header, rows, text_columns=range(len(header))), Paragraph(note)]
    data = {"data": source.to_dict(), "code_revision": code_revision(), "models": found}
    return Content(blocks, data)


def _facts(model: ModelResult) -> dict[str, Any]:
    manifest = model.candidate.manifest
    trained_on = manifest.provenance.trained_on
    return {
        "name": model.name,
        "route": model.candidate.manifest.route,
        "version": manifest.version,
        "trained_on": trained_on.get("name"),
        "training_rows": trained_on.get("rows"),
        "max_length": manifest.max_length,
        "code_revision": manifest.code_revision,
    }


SECTION = Section("models", "What was compared", write)
