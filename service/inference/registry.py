"""The models that answer, by name: opened, replaced while requests are answered, closed."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from pathlib import Path

from models.artifact import LoadedModel, load
from models.errors import BiaotiError, UsageError
from models.manifest import Manifest
from service.inference.engine import Engine
from service.problems import NotFound
from service.telemetry import MODEL_INFO, RELOADS

logger = logging.getLogger("biaoti")

_DRAIN_LOOK_S = 0.05


@dataclass
class _Entry:
    """A folder, and what answers with its model.

    Attributes:
        is_ours: whether the model was opened here, and is closed here.
        refused: version of a model in the folder that was not taken.
    """

    folder: Path
    engine: Engine
    is_ours: bool
    refused: str | None = None


class Registry:
    """Engines by the names of their models; used on the event loop.

    Args:
        folders: by name; the first is answered with where a request names none. Names of one folder
            share its model.
        threads: of each engine.
        hung_after_s: see `Engine`.
        opened: a model that is open already and stays so, of the default folder.
    """

    def __init__(
        self,
        folders: dict[str, Path],
        threads: int,
        hung_after_s: float,
        opened: LoadedModel | None = None,
    ):
        self.folders = folders
        self.default = next(iter(folders))
        self._threads, self._hung_after_s, self._opened = threads, hung_after_s, opened
        self._entries: dict[Path, _Entry] = {}
        self._closing: set[asyncio.Task[bool]] = set()

    async def start(self) -> None:
        """Open all models that are not open.

        Raises:
            ArtifactError, MissingDependency: one cannot be opened.
        """
        for name, folder in self.folders.items():
            if folder in self._entries:
                continue
            given = self._opened if name == self.default else None
            model = await asyncio.to_thread(load, folder) if given is None else given
            self._entries[folder] = _Entry(folder, await self._started(model), given is None)

    @property
    def engines(self) -> list[Engine]:
        """Of all models, each once."""
        return [entry.engine for entry in self._entries.values()]

    def find(self, name: str | None = None) -> Engine:
        """The engine of the model that is called so.

        Raises:
            NotFound: there is none; names those there are.
        """
        return self._entry(name or self.default).engine

    async def reload(self, name: str) -> Manifest:
        """Look into the model's folder, and answer with what lies there now.

        The new model is verified and warmed beside the old one, which answers until then, and is
        closed when what it was given is answered.

        Returns:
            The manifest of the model that answers now.
        Raises:
            NotFound: no model is called so.
            ArtifactError, UsageError: the new one cannot be opened, or has other classes; the old
                one answers on.
        """
        entry = self._entry(name)
        found = Manifest.read(entry.folder)
        if found.version == entry.engine.model.manifest.version:
            return found
        try:
            fresh = await self._opened_like(entry)
        except Exception:
            entry.refused = found.version
            RELOADS.labels("refused").inc()
            raise
        old, was_ours = entry.engine, entry.is_ours
        entry.engine, entry.is_ours, entry.refused = fresh, True, None
        RELOADS.labels("done").inc()
        self._tell(old, fresh)
        closing = asyncio.create_task(_drain(old, was_ours))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        return fresh.model.manifest

    async def watch_folders(self, every_s: float) -> None:
        """For ever: reload the models whose folders have changed."""
        while True:
            await asyncio.sleep(every_s)
            for entry in list(self._entries.values()):
                await self._look(entry)

    async def watch_engines(self, every_s: float, probe_after_s: float) -> None:
        """For ever: see to it that the engines work; see `Engine.look`."""
        while True:
            await asyncio.sleep(every_s)
            await asyncio.gather(*(engine.look(probe_after_s) for engine in self.engines))

    async def close(self, timeout_s: float) -> bool:
        """End all threads and close the models opened here; whether all have ended in time."""
        ended = [
            await _close(entry.engine, entry.is_ours, timeout_s) for entry in self._entries.values()
        ]
        if self._closing:
            done, late = await asyncio.wait(self._closing, timeout=timeout_s)
            ended += [task.result() for task in done] + [False] * len(late)
        return all(ended)

    def _entry(self, name: str) -> _Entry:
        if name not in self.folders:
            raise NotFound(
                "unknown_model",
                f"no model '{name[:50]}'; there are {', '.join(self.folders)}",
                "model",
            )
        return self._entries[self.folders[name]]

    async def _look(self, entry: _Entry) -> None:
        try:
            version = (await asyncio.to_thread(Manifest.read, entry.folder)).version
        except BiaotiError:
            return  # it is being written, or was taken away; the old one answers on
        if version in (entry.engine.model.manifest.version, entry.refused):
            return
        name = next(name for name, folder in self.folders.items() if folder == entry.folder)
        try:
            await self.reload(name)
        except Exception as error:
            logger.error("the model now in %s is not taken: %s", entry.folder, error)

    async def _opened_like(self, entry: _Entry) -> Engine:
        """Raises: UsageError: other classes, or the same in another order."""
        model = await asyncio.to_thread(load, entry.folder)
        before, after = entry.engine.model.labels.names, model.labels.names
        if before != after:
            model.close()
            raise UsageError(
                f"{entry.folder} has the classes {', '.join(after)}, but what answers has "
                f"{', '.join(before)}; serve it under another name"
            )
        try:
            return await self._started(model)
        except Exception:
            model.close()
            raise

    async def _started(self, model: LoadedModel) -> Engine:
        engine = Engine(model, self._threads, self._hung_after_s)
        await engine.start()
        MODEL_INFO.labels(model.manifest.name, model.manifest.version).set(1)
        return engine

    def _tell(self, old: Engine, fresh: Engine) -> None:
        before, after = old.model.manifest, fresh.model.manifest
        MODEL_INFO.labels(before.name, before.version).set(0)
        logger.info("%s %s answers in place of %s", after.name, after.version, before.version)


async def _drain(engine: Engine, is_ours: bool) -> bool:
    """Close an engine that is given nothing more, when it has answered what it was given."""
    while engine.is_busy:
        await asyncio.sleep(_DRAIN_LOOK_S)
    return await _close(engine, is_ours, engine.hung_after_s)


async def _close(engine: Engine, is_ours: bool, timeout_s: float) -> bool:
    has_ended = await asyncio.to_thread(engine.close, timeout_s)
    if has_ended and is_ours:
        engine.model.close()
    return has_ended
