"""Archives of titles in blocks that can be scored anywhere, in any order, and again.

    archive/                         scored/
        2026-01.parquet                  part-3f9a1c27b0de-77b0….parquet
        2026-02.csv                      problems-3f9a1c27b0de.jsonl
                                         biaoti.json

A block is some rows of a file. Its part has these rows with all their columns, and what the model
says of each. A part's name holds the hash of what was asked (file, rows, model) and that of its
content: one that is there need not be made again, one that was cut off is known, and of two that
came of the same block one is taken. `biaoti.json`, written in the end, names the parts.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from models.artifact import LoadedModel
from models.errors import DataError, MissingDependency, UsageError
from models.text_encoding import UTF_8
from scoring import answer_columns
from titles import Source
from titles.byte_lines import ByteLines
from titles.columns import free_names
from titles.parquet_table import TYPES, parquet_slice, parquet_slices
from titles.record import Cell, Record
from titles.slices import Slice, cells_of, text_slices

try:
    import fsspec
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:
    raise MissingDependency("pyarrow", "scale") from error

MANIFEST = "biaoti.json"
FORMATS = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".txt": "txt",
}
_PART = re.compile(r"part-([0-9a-f]{16})-([0-9a-f]{64})\.parquet")
_SUMMARY = b"biaoti"
"""Where a part keeps its summary, among Parquet's metadata."""


@dataclass(frozen=True)
class Block:
    """Rows of a file.

    Attributes:
        url: of the file, as fsspec takes it.
        stamp: changes when the file does.
        piece: which rows.
    """

    url: str
    stamp: str
    format: str
    title_column: str | None
    piece: Slice

    def id(self, version: str) -> str:
        """What is asked: these rows, of the model of this version."""
        content = json.dumps([version, answer_columns.NAMES, asdict(self)])
        return sha256(content.encode()).hexdigest()[:16]

    @classmethod
    def read(cls, text: str) -> Block:
        """From the JSON of its `asdict`."""
        content = json.loads(text)
        return cls(**{**content, "piece": Slice(**content["piece"])})


@dataclass(frozen=True)
class Summary:
    """What became of a block.

    Attributes:
        part: its file's name.
        classes: how often each was the answer, `unknown` among them.
        problems: rows without an answer.
    """

    part: str
    rows: int
    classes: dict[str, int]
    problems: int


def plan(place: str, rows: int, title_column: str | None) -> list[Block]:
    """The blocks of a file, of the files of a folder or of a pattern; by name, then row.

    Args:
        place: a path or a URL that fsspec knows.
        rows: of a block, at most.
    Raises:
        DataError: there is nothing, or a file that cannot be read.
    """
    system, path = fsspec.core.url_to_fs(place)
    if any(sign in path for sign in "*?["):
        found = system.glob(path)
    elif system.isdir(path):
        found = system.find(path)
    else:
        found = [path] if system.exists(path) else []
    files = sorted(file for file in found if Path(file).suffix.lower() in FORMATS)
    if not files:
        kinds = ", ".join(FORMATS)
        raise DataError(f"there is no file of titles ({kinds}); check the path", place)
    return [block for file in files for block in _blocks(system, file, rows, title_column)]


def score_block(block: Block, model: LoadedModel, target: str) -> Summary:
    """Score a block and write its part; where that is there, the same again.

    Raises:
        DataError: the file cannot be read any more.
    """
    table, records = _rows_of(block)
    cells, classes = answer_columns.of_records(records, model, model.uncalibrated.score)
    problems = [
        {"file": block.url, "row": record.line, "problem": each[-1]}
        for record, each in zip(records, cells, strict=True)
        if each[-1] is not None
    ]
    summary = Summary("", len(records), dict(sorted(classes.items())), len(problems))
    content = _parquet(_with_answers(table, cells), summary)
    id_ = block.id(model.manifest.version)
    name = f"part-{id_}-{sha256(content).hexdigest()}.parquet"
    output = Output(target)
    if problems:
        lines = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in problems)
        output.write(f"problems-{id_}.jsonl", lines.encode())
    output.write(name, content)
    return replace(summary, part=name)


class Output:
    """The folder of the parts, on any file system that fsspec knows."""

    def __init__(self, place: str):
        self.system, self.path = fsspec.core.url_to_fs(place)
        self.system.makedirs(self.path, exist_ok=True)

    def finished(self, blocks: Sequence[Block], version: str) -> dict[str, Summary]:
        """By the blocks' ids, those whose parts are there and whole.

        Raises:
            UsageError: there is something else in the folder.
        """
        wanted = {block.id(version) for block in blocks}
        found: dict[str, Summary] = {}
        for path in sorted(self.system.find(self.path)):
            name = Path(path).name
            part = _PART.fullmatch(name)
            if part is None and not self._is_ours(name):
                raise UsageError(f"{self.path} also holds {name}; choose another output")
            if part is not None and part[1] not in wanted:
                raise UsageError(
                    f"{self.path} holds parts of other titles or of another model; choose another "
                    "output"
                )
            if part is not None and part[1] not in found:
                content = self.system.cat_file(path)
                if sha256(content).hexdigest() == part[2]:
                    found[part[1]] = _summary_in(content, name)
        return found

    def write(self, name: str, content: bytes) -> None:
        """Write a file that is whole or absent: beside its place, and renamed."""
        place = f"{self.path}/{name}"
        beside = f"{place}.{sha256(content).hexdigest()[:8]}.writing"
        self.system.pipe_file(beside, content)
        self.system.mv(beside, place)

    def finish(self, summaries: Sequence[Summary], about: dict[str, Any]) -> None:
        """Write the manifest, and remove what it does not name."""
        named = {summary.part for summary in summaries}
        for path in self.system.find(self.path):
            name = Path(path).name
            if name.endswith(".writing") or (_PART.fullmatch(name) and name not in named):
                self.system.rm_file(path)
        parts = [{"name": each.part, "rows": each.rows} for each in summaries]
        text = json.dumps(about | {"parts": parts}, indent=2, ensure_ascii=False)
        self.write(MANIFEST, (text + "\n").encode())

    @staticmethod
    def _is_ours(name: str) -> bool:
        return name == MANIFEST or name.endswith(".writing") or name.startswith("problems-")


def _blocks(system: Any, file: str, rows: int, title_column: str | None) -> Iterator[Block]:
    info, is_local = system.info(file), "file" in system.protocol
    url = file if is_local else system.unstrip_protocol(file)
    told = [info.get(name) for name in ("size", "ETag", "mtime", "LastModified", "created")]
    stamp = sha256(repr(told[:1] + [str(each) for each in told[1:4]]).encode()).hexdigest()[:16]
    format = FORMATS[Path(file).suffix.lower()]
    source = Source(url, format, title_column=title_column if format != "txt" else None)
    slices = parquet_slices if format == "parquet" else text_slices
    for piece in slices(source, rows):
        yield Block(url, stamp, format, source.title_column, piece)


def _rows_of(block: Block) -> tuple[Any, list[Record]]:
    """A table of the block's rows with all their columns, and the same as records."""
    piece = block.piece
    source = Source(block.url, block.format, title_column=block.title_column)
    if block.format == "parquet":
        return parquet_slice(source, piece.first, piece.rows)
    system, path = fsspec.core.url_to_fs(block.url)
    head = system.cat_file(path, 0, piece.head) if piece.head else b""
    with TemporaryDirectory() as folder:
        copy = Path(folder) / Path(path).name
        copy.write_bytes(head + system.cat_file(path, piece.start, piece.stop))
        local = replace(source, path=copy)
        found = list(cells_of(local, ByteLines(local, encoding=UTF_8)))
    if len(found) != piece.rows:
        raise DataError("has changed while it was scored; start anew", block.url)
    lines_before = found[0].record.line - piece.line
    records = [row.record._replace(line=row.record.line - lines_before) for row in found]
    names = list(dict.fromkeys(name for row in found for name in row.cells or ()))
    columns = {name: [_text((row.cells or {}).get(name)) for row in found] for name in names}
    raw = [None if row.cells else _text(row.raw) for row in found]
    (as_it_is,) = free_names(["record"], names)
    schema = pa.schema([(name, pa.string()) for name in (*names, as_it_is)])
    return pa.table({**columns, as_it_is: raw}, schema), records


def _text(value: str | None) -> str | None:
    """As UTF-8 can hold it."""
    return value if value is None else value.encode(errors="replace").decode()


def _with_answers(table: Any, cells: Sequence[Sequence[Cell]]) -> Any:
    names = free_names(answer_columns.NAMES, table.schema.names)
    columns = zip(*cells, strict=True)
    types = answer_columns.COLUMNS.values()
    for name, values, kind in zip(names, columns, types, strict=True):
        table = table.append_column(name, pa.array(values, TYPES[kind](pa)))
    return table


def _parquet(table: Any, summary: Summary) -> bytes:
    metadata = {**(table.schema.metadata or {}), _SUMMARY: json.dumps(asdict(summary)).encode()}
    metadata.pop(b"huggingface", None)
    content = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), content)
    return content.getvalue()


def _summary_in(content: bytes, name: str) -> Summary:
    metadata = pq.read_schema(io.BytesIO(content)).metadata
    return replace(Summary(**json.loads(metadata[_SUMMARY])), part=name)
