"""`POST /v1/classify/file`: a table of titles, answered with its rows and their classes.

The file is taken whole before the first title is scored, into a temporary file, so that a slow
line holds no place among the titles that wait. The answer is written in the order of the rows as
they are scored: no more than two small batches are in memory, or in the way of other requests.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Iterator
from itertools import repeat
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse

from models.artifact import LoadedModel
from models.classifier import Scores
from scoring import answer_columns
from service.api.classify import count, identity
from service.api.problem_documents import responses
from service.api.request_body import refuse_compressed
from service.api.sent_file import Asked, SentFile, kept
from service.problems import (
    DeadlineExceeded,
    InferenceFailed,
    Overloaded,
    UnsupportedBody,
)
from service.serving import ForClassifying, Serving
from titles.record import Cell, Extendable, Record

router = APIRouter()
logger = logging.getLogger("biaoti")

PATH = "/v1/classify/file"
_FORMATS = {
    "text/csv": "csv",
    "application/csv": "csv",
    "application/vnd.ms-excel": "csv",  # what browsers on Windows take a CSV for
    "text/tab-separated-values": "csv",
    "application/x-ndjson": "jsonl",
    "application/jsonl": "jsonl",
    "application/x-jsonlines": "jsonl",
}
_UNTOLD = ("", "text/plain", "application/octet-stream", "application/x-www-form-urlencoded")
"""Content types of whoever does not say what comes; the last is curl's."""
_MEDIA_TYPES = {
    "csv": "text/csv",
    "jsonl": "application/x-ndjson",
    "txt": "text/tab-separated-values",
}
_BATCH = 64
_AT_ONCE = 2
_MOST_PAUSE_S = 1.0


async def asked(
    request: Request,
    format: Annotated[Literal["csv", "tsv", "jsonl", "txt"] | None, Query()] = None,
    title_column: Annotated[str | None, Query(description="The column of the titles.")] = None,
    model: Annotated[str | None, Query(description="Name of the model to ask.")] = None,
) -> Asked:
    """What headers and query say.

    Raises:
        UnsupportedBody: a content type or an encoding that is not read here.
    """
    declared = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if declared not in (*_FORMATS, *_UNTOLD):
        raise UnsupportedBody(
            "unsupported_media_type",
            f"the body must be the file itself, as text/csv, text/tab-separated-values, "
            f"application/x-ndjson or text/plain, but its Content-Type is {declared[:50]}; "
            "with curl: --data-binary @titles.csv --header 'Content-Type: text/csv'",
            where="content-type",
        )
    refuse_compressed(request.headers, "file")
    told = "csv" if format == "tsv" else format
    return Asked(told or _FORMATS.get(declared), title_column or None, model)


@router.post(
    PATH,
    summary="Classify a file of titles",
    response_class=StreamingResponse,
    responses=responses(
        {
            404: "`unknown_model`: no model is called so",
            413: "`body_too_large`: split the file",
            415: "`unsupported_media_type`, `unsupported_encoding`: send the file itself",
            422: "`unreadable_file`: no column of titles, one JSON document, nothing at all",
            503: "`draining`, `no_room`: ask another replica",
        }
    )
    | {
        200: {
            "description": "The file, in UTF-8, with the columns class, class_name, confidence, "
            "unknown and problem; a row without a title keeps its place and says why.",
            "content": {media: {"schema": {"type": "string"}} for media in _MEDIA_TYPES.values()},
        }
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                media: {"schema": {"type": "string", "format": "binary"}}
                for media in (*_FORMATS, "text/plain", "application/octet-stream")
            },
        }
    },
)
async def classify_file(
    request: Request,
    how: Annotated[Asked, Depends(asked)],
    serving: ForClassifying,
) -> StreamingResponse:
    """CSV, TSV, JSON lines, or text with a title a line; UTF-8, GB18030 or UTF-16.

    Every column stays as it is. The answer begins with the first rows that are scored.
    """
    serving.registry.find(how.model)
    path = await kept(request)
    rows = SentFile(path, how)
    first = await asyncio.to_thread(rows.begin)
    model = serving.registry.find(how.model).model
    answer = _answer(request, serving, how.model, rows, first)
    headers = {"x-model": "{name}/{version}".format(**identity(model))}
    media_type = f"{_MEDIA_TYPES[rows.format]}; charset=utf-8"
    return StreamingResponse(answer, media_type=media_type, headers=headers)


async def _answer(
    request: Request,
    serving: Serving,
    name: str | None,
    rows: SentFile,
    first: bytes,
) -> AsyncIterator[bytes]:
    """The file's rows with their answers, in order; removes the file in the end."""
    scoring: deque[asyncio.Task[bytes]] = deque()
    request.state.titles = 0
    try:
        yield first
        while batch := await asyncio.to_thread(rows.next, _BATCH):
            request.state.titles += len(batch)
            scoring.append(asyncio.create_task(_scored(request, serving, name, batch)))
            if len(scoring) == _AT_ONCE:
                yield await scoring.popleft()
        while scoring:
            yield await scoring.popleft()
    finally:
        for task in scoring:
            task.cancel()
        rows.close()


async def _scored(
    request: Request, serving: Serving, name: str | None, batch: list[Extendable]
) -> bytes:
    """The rows of a batch with their answers.

    Raises:
        Problem: the titles of the batch cannot be scored.
    """
    most = serving.settings.max_title_chars
    records = [row.record for row in batch if row.record]  # of all: the header is behind them
    cells = [_objection(record, most) for record in records]
    titles = [rec.title or "" for rec, found in zip(records, cells, strict=True) if found is None]
    if titles:
        answers = await _answers(request, serving, name, titles)
        cells = [found or next(answers) for found in cells]
    return b"".join(row.extended(found or ()) for row, found in zip(batch, cells, strict=True))


def _objection(record: Record, most_chars: int) -> tuple[Cell, ...] | None:
    """The cells of a row that cannot be scored; None of one that can."""
    chars = len(record.title or "")
    if chars > most_chars:
        return answer_columns.of_problem(f"the title has {chars} characters, over {most_chars}")
    return answer_columns.of_faulty(record)


async def _answers(
    request: Request, serving: Serving, name: str | None, titles: list[str]
) -> Iterator[tuple[Cell, ...]]:
    """The cells of titles that can be scored; of those at which the model fails, that it does."""
    try:
        model, raw = await _patiently(request, serving, name, titles)
    except (InferenceFailed, ArithmeticError):
        logger.exception("the model failed at %d titles of a file", len(titles))
        return repeat(answer_columns.of_problem("the model failed at this title or one beside it"))
    found = model.predictions(titles, raw)
    count(found)
    return map(answer_columns.of_prediction, found)


async def _patiently(
    request: Request, serving: Serving, name: str | None, titles: list[str]
) -> tuple[LoadedModel, Scores]:
    """Scores, however long others are served first."""
    while True:
        try:
            timeout_s = serving.settings.deadline_s
            return await serving.score(request, titles, timeout_s, name, has_begun=True)
        except Overloaded as error:
            await asyncio.sleep(min(error.retry_after_s, _MOST_PAUSE_S))
        except DeadlineExceeded:
            await asyncio.sleep(_MOST_PAUSE_S)
