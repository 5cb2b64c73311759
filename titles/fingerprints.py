"""Say which data a model was trained on, so that another can tell whether it is the same."""

from __future__ import annotations

from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from models.errors import UsageError
from titles.formats import read_records
from titles.source import Source, resolve


def fingerprint(source: Source) -> dict[str, Any]:
    """Name, rows and SHA-256 of a source.

    Returns:
        {"name", "rows", "sha256"}: the hash is that of the file's bytes, or, of a dataset, that of
        its rows written as `title<TAB>label` lines.
    Raises:
        UsageError: standard input, which cannot be read twice.
        DataError: the source as a whole cannot be read.
    """
    if source.is_stdin:
        raise UsageError("standard input has no fingerprint; write it to a file first")
    source = resolve(source)
    rows_hash, rows = sha256(), 0
    for record in read_records(source, labelled=False):
        rows += 1
        if source.format == "dataset":
            line = f"{record.title or ''}\t{record.label or ''}\n"
            rows_hash.update(line.encode(errors="surrogatepass"))
    if source.format == "dataset":
        name = str(source.path) if source.split is None else f"{source.path}:{source.split}"
        return {"name": name, "rows": rows, "sha256": rows_hash.hexdigest()}
    path = Path(source.path)
    with path.open("rb") as file:
        return {"name": path.name, "rows": rows, "sha256": file_digest(file, "sha256").hexdigest()}
