"""Models by name, and their replacement while requests are answered."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from models import artifact
from models.errors import ArtifactError, CorruptArtifact, UsageError
from models.labels import Labels
from service.inference.registry import Registry
from service.problems import NotFound
from tests.service.conftest import LABELS, KeywordRoute


@pytest.fixture(autouse=True)
def _keyword_route(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifact, "find_route", lambda _: KeywordRoute)


def save(folder: Path, temperature: float = 1.0, labels: Labels = LABELS) -> str:
    return artifact.save(KeywordRoute(labels), folder, temperature=temperature).version


def run(folders: dict[str, Path], ask: Callable[[Registry], Awaitable[Any]]) -> Any:
    async def whole() -> Any:
        registry = Registry(folders, threads=1, hung_after_s=30.0)
        await registry.start()
        try:
            return await ask(registry)
        finally:
            assert await registry.close(timeout_s=10)

    return asyncio.run(whole())


def test_models_are_found_by_name_and_names_of_one_folder_share_a_model(tmp_path: Path):
    first, second = save(tmp_path / "a", 1.0), save(tmp_path / "b", 2.0)
    folders = {"stable": tmp_path / "a", "candidate": tmp_path / "b", "old": tmp_path / "a"}

    async def ask(registry: Registry) -> None:
        assert registry.find().model.manifest.version == first
        assert registry.find("candidate").model.manifest.version == second
        assert registry.find("old") is registry.find("stable")
        assert len(registry.engines) == 2
        with pytest.raises(NotFound, match="no model 'new'; there are stable, candidate, old"):
            registry.find("new")

    run(folders, ask)


def test_a_reload_answers_with_the_new_model_and_what_was_asked_before_with_the_old(tmp_path: Path):
    before, folder = save(tmp_path / "m", 1.0), tmp_path / "m"
    release = threading.Event()

    async def ask(registry: Registry) -> None:
        old = registry.find()
        old.model.uncalibrated.before_scoring = lambda: release.wait(20)
        asked = old.submit(["股"], 30)
        after = save(folder, 2.0)
        assert (await registry.reload("default")).version == after != before
        assert registry.find().model.manifest.version == after
        assert not asked.answer.done()
        release.set()
        assert (await asked.answer).probabilities.argmax() == 0
        await (await asyncio.to_thread(lambda: registry.find())).submit(["球"], 30).answer

    run({"default": folder}, ask)


def test_the_same_model_is_not_loaded_again(tmp_path: Path):
    save(tmp_path / "m")

    async def ask(registry: Registry) -> None:
        engine = registry.find()
        await registry.reload("default")
        assert registry.find() is engine

    run({"default": tmp_path / "m"}, ask)


@pytest.mark.parametrize("what", ["corrupt", "relabelled", "reordered", "gone", "broken"])
def test_a_model_that_cannot_take_its_place_is_refused_and_the_old_one_answers_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
):
    folder = tmp_path / "m"
    version = save(folder)

    async def ask(registry: Registry) -> None:
        expected: type[Exception] = CorruptArtifact
        if what == "corrupt":
            save(folder, 2.0)
            (folder / "keywords.txt").write_text("x")
        elif what in ("relabelled", "reordered"):
            names = ["stocks", "sports", "politics" if what == "relabelled" else "game"]
            save(folder, 2.0, Labels.of(names if what == "relabelled" else names[::-1]))
            expected = UsageError
        elif what == "gone":
            shutil.rmtree(folder)
            expected = ArtifactError
        else:
            save(folder, 2.0)
            monkeypatch.setattr(KeywordRoute, "score", lambda self, titles: 1 / 0)
            expected = Exception
        with pytest.raises(expected):
            await registry.reload("default")
        monkeypatch.undo()
        assert registry.find().model.manifest.version == version
        assert (await registry.find().submit(["股"], 30).answer).probabilities.argmax() == 0

    run({"default": folder}, ask)


def test_a_folder_that_changes_is_reloaded_and_one_that_was_refused_is_not_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    folder = tmp_path / "m"
    save(folder)

    async def until(condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not condition():
                await asyncio.sleep(0.01)

    async def ask(registry: Registry) -> None:
        watch = asyncio.create_task(registry.watch_folders(0.01))
        after = save(folder, 2.0)
        await until(lambda: registry.find().model.manifest.version == after)
        save(folder, 3.0, Labels.of(["a", "b", "c"]))
        await until(lambda: "is not taken" in caplog.text)
        await asyncio.sleep(0.1)
        assert caplog.text.count("is not taken") == 1
        assert registry.find().model.manifest.version == after
        last = save(folder, 4.0)
        await until(lambda: registry.find().model.manifest.version == last)
        watch.cancel()

    run({"default": folder}, ask)


def test_a_model_that_is_refused_is_closed_and_the_one_that_answers_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    closed: list[tuple[str, ...]] = []
    monkeypatch.setattr(KeywordRoute, "close", lambda route: closed.append(route.labels.names))
    folder, others = tmp_path / "m", Labels.of(["a", "b", "c"])
    save(folder)

    async def ask(registry: Registry) -> None:
        save(folder, labels=others)
        closed.clear()
        with pytest.raises(UsageError):
            await registry.reload("default")
        assert closed == [others.names]

    run({"default": folder}, ask)
    assert closed == [others.names, LABELS.names]  # at the end, that of the registry
