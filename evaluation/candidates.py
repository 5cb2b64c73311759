"""What is compared: `[NAME=][pipeline:]FOLDER`, as the command line gives it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from models.artifact import LoadedModel, Manifest, load
from models.errors import UsageError

_PIPELINE = "pipeline:"
PIPELINE_ROUTE = "transformers.pipeline"
"""That of `evaluation.pipeline_route`, which only who opens such a model has to import."""


@dataclass(frozen=True)
class Candidate:
    """A model's folder, not yet opened.

    Attributes:
        name: what the report calls it.
        manifest: the folder's; its route is `PIPELINE_ROUTE` where `transformers.pipeline` runs the
            encoder, as a reference.
    """

    name: str
    folder: Path
    manifest: Manifest

    @property
    def named_manifest(self) -> Manifest:
        """The manifest under the name that the report uses."""
        return replace(self.manifest, name=self.name)

    @property
    def through_pipeline(self) -> bool:
        return self.manifest.route == PIPELINE_ROUTE

    @property
    def specification(self) -> str:
        """What `parse_candidate` reads this model from, but for a name given to it."""
        return f"{_PIPELINE if self.through_pipeline else ''}{self.folder}"

    @property
    def size_bytes(self) -> int:
        """What the folder takes on disk."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())

    def open(self) -> LoadedModel:
        """Verify and load it.

        Raises:
            ArtifactError: it cannot be trusted, or `pipeline:` was asked of another route.
        """
        if not self.through_pipeline:
            return load(self.folder)
        from evaluation.pipeline_route import open_pipeline

        return LoadedModel(self.folder, self.manifest, open_pipeline(self.folder))


def parse_candidate(text: str) -> Candidate:
    """Read `[NAME=][pipeline:]FOLDER`; without a name, the one that the model was saved with.

    Raises:
        UsageError: a name without a folder, or the other way round.
        ArtifactError: the folder is not a model.
    """
    name, equals, rest = text.partition("=")
    if not equals or Path(text.removeprefix(_PIPELINE)).exists():
        name, rest = "", text
    elif not name or not rest:
        raise UsageError(f"'{text}' is not NAME=FOLDER; pass both, or the folder alone")
    through_pipeline = rest.startswith(_PIPELINE)
    folder = Path(rest.removeprefix(_PIPELINE))
    manifest = Manifest.read(folder)
    if not through_pipeline:
        return Candidate(name or manifest.name, folder, manifest)
    manifest = replace(manifest, route=PIPELINE_ROUTE)
    return Candidate(name or f"{manifest.name} (pipeline)", folder, manifest)


def parse_candidates(texts: Sequence[str]) -> list[Candidate]:
    """All that are compared: names differ, and labels are the same in the same order.

    Raises:
        UsageError: two models share a name, or have other labels; it names both.
    """
    candidates = [parse_candidate(text) for text in texts]
    names = Counter(candidate.name for candidate in candidates)
    if twice := [name for name, count in names.items() if count > 1]:
        raise UsageError(f"two models are called '{twice[0]}'; tell them apart with NAME=FOLDER")
    for other in candidates[1:]:
        _check_same_labels(candidates[0], other)
    return candidates


def _check_same_labels(first: Candidate, other: Candidate) -> None:
    ours, theirs = first.manifest.labels, other.manifest.labels
    if ours == theirs:
        return
    if set(ours) == set(theirs):
        difference = "has the same labels in another order"
    else:
        only = sorted(set(ours) ^ set(theirs))
        difference = f"has other labels: {', '.join(only[:5])} are not in both"
    raise UsageError(
        f"'{other.name}' cannot be compared with '{first.name}': it {difference}; "
        "train both with the same class.txt"
    )
