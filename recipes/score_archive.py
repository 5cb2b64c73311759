"""`biaoti score --engine ray`: an archive of titles, on all cores of a machine or of a cluster.

Ray Data hands out the blocks (`scoring.archive`), holds back what the actors cannot take yet,
starts those that die again, and gives their blocks to others. Each actor opens the model once.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tqdm import tqdm

from models.artifact import load
from models.errors import BiaotiError, MissingDependency
from models.manifest import Manifest
from recipes.score import Score, Scored
from scoring.archive import Block, Output, Summary, plan, score_block

try:
    import ray
except ImportError as error:
    raise MissingDependency("ray", "scale") from error


def score_archive(settings: Score) -> Scored:
    """Score what has no part yet, and write the manifest.

    Raises:
        UsageError: the output holds something else.
        DataError: a file that cannot be read.
        BiaotiError: Ray gave up.
    """
    started = time.monotonic()
    manifest = Manifest.read(settings.model)
    version = manifest.version
    blocks = plan(settings.file, settings.block_rows, settings.title_column)
    output = Output(settings.output)
    found = output.finished(blocks, version)
    missing = [block for block in blocks if block.id(version) not in found]
    total = sum(block.piece.rows for block in blocks)
    with tqdm(total=total, unit="row", mininterval=1 if os.isatty(2) else 30) as bar:
        bar.update(sum(summary.rows for summary in found.values()))
        for id_, summary in _scored(settings, missing):
            found[id_] = summary
            bar.update(summary.rows)
    summaries = [found[block.id(version)] for block in blocks]
    done = Scored(
        rows=total,
        classes=sum((Counter(each.classes) for each in summaries), Counter()),
        problems=sum(each.problems for each in summaries),
        scored=sum(block.piece.rows for block in missing),
        seconds=time.monotonic() - started,
    )
    done.compare_with(manifest.provenance.answers)
    about = {
        "model": manifest.name,
        "model_version": version,
        "input": settings.file,
        "rows": done.rows,
        "problems": done.problems,
        "classes": done.classes,
        "drift": done.drift,
    }
    output.finish(summaries, about)
    return done


def _scored(settings: Score, blocks: Sequence[Block]) -> Iterator[tuple[str, Summary]]:
    """The summaries of blocks by their ids, as they come.

    Raises:
        BiaotiError: a block cannot be scored.
    """
    if not blocks:
        return
    was_running = ray.is_initialized()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would be reported to Ray's makers
    ray.init(
        address=settings.address, include_dashboard=False, log_to_driver=False,
        configure_logging=False, ignore_reinit_error=True,
    )  # fmt: skip
    try:
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.print_on_execution_start = False
        items = [{"block": json.dumps(asdict(block))} for block in blocks]
        asked = {"files": _content_of(settings.model), "target": _absolute(settings.output)}
        cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
        answers = ray.data.from_items(items, override_num_blocks=len(items)).map_batches(
            _Scorer,
            fn_constructor_kwargs=asked,
            batch_size=1,
            concurrency=min(settings.actors or cores, len(items)),
            num_cpus=1,
        )
        for row in answers.iter_rows():
            yield row["id"], Summary(**json.loads(row["summary"]))
    except ray.exceptions.RayError as error:
        raise _cause_of(error) from error
    finally:
        if not was_running:
            ray.shutdown()


class _Scorer:
    """An actor: opens the model once, and scores block after block on one core."""

    def __init__(self, files: dict[str, bytes], target: str):
        self._target = target
        with TemporaryDirectory(prefix="biaoti-model-") as folder:
            for name, content in files.items():
                place = Path(folder, name)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
            self._model = load(folder, threads=1)

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {"id": [], "summary": []}
        for text in batch["block"]:
            block = Block.read(text)
            summary = score_block(block, self._model, self._target)
            found["id"].append(block.id(self._model.manifest.version))
            found["summary"].append(json.dumps(asdict(summary)))
        return found


def _content_of(folder: Path) -> dict[str, bytes]:
    """A model's files, which the machines of a cluster need not have."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _absolute(place: str) -> str:
    return place if "://" in place else str(Path(place).resolve())


def _cause_of(error: BaseException) -> BiaotiError:
    """What a worker raised, if that was one of ours."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, BiaotiError):
            return cause
        cause = getattr(cause, "cause", None) or cause.__cause__
    first = str(error).strip().splitlines()[-1:]
    return BiaotiError(
        f"Ray gave up: {first[0] if first else type(error).__name__}; parts that are done stay, "
        "and the same command goes on"
    )
