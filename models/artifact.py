"""The folder a model is saved in: write, verify, load.

`artifact.json` says what the model is and lists every other file with its size and SHA-256.
Loading checks them all, opens the route that is named, replays the probe titles and refuses a
model that scores them differently on this machine. Nothing in the folder is ever executed: routes
come from the installed program alone (entry points of the group `biaoti.routes`).
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np

from models.calibration import apply_temperature
from models.classifier import TitleClassifier
from models.errors import ArtifactError, CorruptArtifact, DataError, ProbeMismatch
from models.labels import Labels
from models.staging import staged_folder

FORMAT_VERSION = 1
MANIFEST = "artifact.json"
CARD = "README.md"
"""Where a model's folder may tell people about it; never read, so it may change."""
DEFAULT_FOLDER = Path(__file__).parent / "released"
"""The model that is used where none is named: the one that ships with the program."""
_ROUTES = "biaoti.routes"

PROBE_TITLES = (
    "央行开展千亿元逆回购 资金面保持平稳",
    "城东地铁盘加推小户型 均价每平米两万八起",
    "午评：沪指震荡收涨0.4% 半导体板块领涨",
    "今年研究生考试报名人数公布 英语真题解析上线",
    "新款折叠屏手机曝光 搭载自研芯片",
    "男子雨夜落水 民警跳河救人(图)",
    "外交部发言人就双边会谈答记者问",
    "主场2-1逆转对手 球队豪取三连胜",
    "《远征OL》今日公测 新职业技能抢先看",
    "贺岁片定档除夕 主演亮相红毯",
    "Apple Q3 revenue up 8%, iPhone sales beat estimates",
    "“２０２４”年终盘点：这些事　你还记得吗？！",
)
"""Titles whose scores are stored with a model and replayed when it is loaded."""


@runtime_checkable
class Route(Protocol):
    """A title classifier that can be written to a folder and read back."""

    route: ClassVar[str]
    probe_tolerance: ClassVar[float]
    """The largest difference of a probe's score that another machine may show."""
    labels: Labels
    max_length: int | None
    """Tokens of a title that are read; None where no limit exists."""

    def predict_proba(self, titles: Sequence[str]) -> np.ndarray: ...
    def truncated(self, titles: Sequence[str]) -> list[bool]: ...
    def save_files(self, folder: Path) -> None: ...
    @classmethod
    def load_files(cls, folder: Path, labels: Labels, max_length: int | None) -> Self: ...


@dataclass(frozen=True)
class Provenance:
    """How a model came to be."""

    trained_on: dict[str, Any] = field(default_factory=dict)
    """Name, fingerprint and rows of the training data."""
    hyperparameters: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Manifest:
    """The content of `artifact.json`."""

    name: str
    version: str
    route: str
    labels: tuple[str, ...]
    display_names: tuple[str, ...]
    max_length: int | None
    temperature: float
    provenance: Provenance
    code_revision: str
    files: dict[str, dict[str, Any]]
    probes: list[dict[str, Any]]
    format_version: int = FORMAT_VERSION

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read and check `artifact.json`, but not the files it lists.

        Raises:
            ArtifactError: no such file, or one written by a newer version.
            CorruptArtifact: not the JSON that `save` writes.
        """
        path = folder / MANIFEST
        if not path.is_file():
            raise ArtifactError(
                f"{folder} is not a model: it has no {MANIFEST}; pass a folder that "
                "'biaoti train' wrote"
            )
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["format_version"] > FORMAT_VERSION:
                raise ArtifactError(
                    f"{path} has format {content['format_version']}, this program reads up to "
                    f"{FORMAT_VERSION}; update biaoti"
                )
            content["provenance"] = Provenance(**content["provenance"])
            for name in ("labels", "display_names"):
                content[name] = tuple(content[name])
            return cls(**content)
        except (ValueError, TypeError, KeyError) as error:
            raise CorruptArtifact(
                f"{path} cannot be read: {error!r}; save the model again"
            ) from error

    def write(self, folder: Path) -> None:
        text = json.dumps(asdict(self), ensure_ascii=False, indent=2)
        (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


class LoadedModel:
    """A verified model: calibrated scores, and what its manifest says."""

    def __init__(self, folder: Path, manifest: Manifest, uncalibrated: Route):
        self.folder = folder
        self.manifest = manifest
        self.uncalibrated = uncalibrated
        """The same model without its temperature."""

    @cached_property
    def labels(self) -> Labels:
        return self.uncalibrated.labels

    def predict_proba(self, titles: Sequence[str]) -> np.ndarray:
        """Calibrated probabilities, (titles, classes) float32."""
        raw = self.uncalibrated.predict_proba(titles)
        return apply_temperature(raw, self.manifest.temperature)

    def truncated(self, titles: Sequence[str]) -> list[bool]:
        return self.uncalibrated.truncated(titles)


def save(
    model: Route,
    folder: Path,
    *,
    name: str | None = None,
    temperature: float = 1.0,
    provenance: Provenance | None = None,
) -> Manifest:
    """Write `model` to `folder`, which is replaced as a whole or not at all; its card stays.

    Args:
        name: what the model is called; the folder's name by default.
        temperature: divides the log-probabilities before they are shown as confidence.
    """
    probes = model.predict_proba(PROBE_TITLES)
    if not np.isfinite(probes).all():
        raise ArtifactError("the model scores the probe titles with NaN or infinity; not saved")
    with staged_folder(folder) as staging:
        model.save_files(staging)
        files = {
            path.relative_to(staging).as_posix(): _fingerprint(path)
            for path in sorted(staging.rglob("*"))
            if path.is_file()
        }
        listed = json.dumps([files, model.labels.names, temperature], sort_keys=True)
        manifest = Manifest(
            name=name or folder.name,
            version=hashlib.sha256(listed.encode()).hexdigest()[:12],
            route=model.route,
            labels=model.labels.names,
            display_names=model.labels.display_names,
            max_length=model.max_length,
            temperature=temperature,
            provenance=provenance or Provenance(),
            code_revision=code_revision(),
            files=files,
            probes=[
                {"title": title, "scores": [round(float(score), 7) for score in row]}
                for title, row in zip(PROBE_TITLES, probes, strict=True)
            ],
        )
        manifest.write(staging)
        if (folder / CARD).is_file():
            shutil.copy2(folder / CARD, staging / CARD)
    return manifest


def load(folder: Path | str) -> LoadedModel:
    """Verify a model's folder and open it.

    Raises:
        ArtifactError: not a model, or one whose route this installation does not have.
        CorruptArtifact: a file is missing, changed or not listed.
        ProbeMismatch: the model scores its probe titles differently on this machine.
        MissingDependency: the route needs a package that is not installed.
    """
    folder = Path(folder)
    manifest = Manifest.read(folder)
    verify(folder, manifest)
    try:
        labels = Labels(manifest.labels, manifest.display_names)
    except DataError as error:
        raise CorruptArtifact(f"{folder / MANIFEST}: {error}") from error
    model = find_route(manifest.route).load_files(folder, labels, manifest.max_length)
    _replay(manifest, model)
    return LoadedModel(folder, manifest, model)


def verify(folder: Path, manifest: Manifest) -> None:
    """Compare the folder's files with the manifest's sizes and SHA-256.

    Raises:
        CorruptArtifact: names the first file that is missing, changed or not listed; a model card
            beside them is no part of the model.
    """
    present = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()}
    for name in sorted(present - set(manifest.files) - {MANIFEST, CARD}):
        raise CorruptArtifact(f"{folder / name} is not listed in {MANIFEST}; move it elsewhere")
    for name, expected in manifest.files.items():
        if name not in present:
            raise CorruptArtifact(f"{folder / name} is missing; copy the model's folder again")
        if _fingerprint(folder / name) != expected:
            raise CorruptArtifact(
                f"{folder / name} is not the file that was saved (size or SHA-256 differ); "
                "copy the model's folder again"
            )


def find_route(name: str) -> type[Route]:
    """The installed class that opens artifacts of the route `name`.

    Raises:
        ArtifactError: no such route; the message lists those there are.
    """
    found = {point.name: point for point in entry_points(group=_ROUTES)}
    if name not in found:
        raise ArtifactError(
            f"unknown route '{name}'; this installation has: {', '.join(sorted(found))}"
        )
    route: type[Route] = found[name].load()
    return route


def code_revision() -> str:
    """The commit of the running code, with `+changes` where it differs; else `unknown`."""
    root = Path(__file__).parent
    try:
        run = subprocess.run(
            ["git", "describe", "--always", "--dirty=+changes", "--abbrev=12"],
            cwd=root, capture_output=True, text=True, check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return run.stdout.strip()


def _fingerprint(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"bytes": path.stat().st_size, "sha256": digest}


def _replay(manifest: Manifest, model: TitleClassifier) -> None:
    titles = [probe["title"] for probe in manifest.probes]
    expected = np.array([probe["scores"] for probe in manifest.probes], dtype=np.float32)
    difference = np.abs(model.predict_proba(titles) - expected).max(axis=1)
    tolerance = find_route(manifest.route).probe_tolerance
    worst = int(difference.argmax())
    if not difference[worst] <= tolerance:
        raise ProbeMismatch(
            f"model '{manifest.name}' answers otherwise on this machine: a score of "
            f"“{titles[worst]}” differs by {difference[worst]:.4f} from the saved one (at most "
            f"{tolerance} is allowed); convert the model again on this kind of machine"
        )
