"""What is remarkable about titles and about a model's scores on them: one function a kind.

`before_learning` and `before_scoring` gather what can be said before the work; `of_scores`,
`of_temperature` and `of_lengths` say what is known only after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from models.calibration import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE
from models.manifest import Manifest
from models.remark import Remark
from models.title_text import is_readable
from scoring.metrics import confusion_matrix
from titles import CODES, NO_LABEL, Finding, LabelledTitles, Report, leaked

TINY_CLASS = 10
"""With fewer training titles of a class, a model can hardly learn it."""
IMBALANCE = 20
"""Times that the largest class is larger than the smallest, from which on it is said."""
FEW_TITLES = 100
"""Fewer than these tell an accuracy to some ten points only."""
LEAST_GAIN = 0.1
"""Of what the majority class leaves wrong, the share that a model that learned gets right."""
CHANCE_LEADS = 1.645
"""Standard errors that a lead over the majority class may have by chance (one-sided, 5 %)."""
MANY_LOST = 0.05
"""Share of the titles that are cut off, or that cannot be read, from which on it is said."""


def before_learning(train: LabelledTitles, dev: LabelledTitles, report: Report) -> list[Remark]:
    """What can be said of two splits before anything is learned from them.

    Args:
        report: what the read of both found.
    """
    return [
        *of_leaks(dev, leaked(dev.titles, train.titles), train.fingerprint.name),
        *of_findings(report),
        *of_sizes(train.fingerprint.name, _counts(train)),
        *of_unreadable(train),
        *of_few(dev),
        *of_unreadable(dev),
    ]


def before_scoring(
    models: Iterable[Manifest], titles: LabelledTitles, leaks: np.ndarray | None
) -> list[Remark]:
    """What can be said of titles and models before those score these.

    Args:
        leaks: (n,) bool, which titles occur in the training data; None where that is not known.
    """
    found = [*of_few(titles), *of_absent(titles), *of_unreadable(titles)]
    if leaks is not None:
        found += of_leaks(titles, leaks, "the training data")
    for manifest in models:
        found += of_origin(manifest, titles)
        found += of_temperature(manifest.temperature, manifest.name)
    return found


def of_few(titles: LabelledTitles) -> Iterator[Remark]:
    """Too few titles for a score on them to say much."""
    if len(titles) < FEW_TITLES:
        yield Remark(
            "few-titles",
            f"{titles.fingerprint.name} has {len(titles)} titles: a score on so few is known to "
            "some ten points only; give it some hundreds",
        )


def of_leaks(titles: LabelledTitles, leaks: np.ndarray, learned: str) -> Iterator[Remark]:
    """Titles on which a model is scored that it has learned by heart.

    Args:
        leaks: (n,) bool, which of the titles stand among those learned from.
        learned: what those are called.
    """
    if not leaks.any():
        return
    counted = f"{int(leaks.sum()):,} of the {len(leaks):,} titles"
    if leaks.all():
        counted = f"all {len(leaks):,} titles"
    yield Remark(
        "leak",
        f"{counted} of {titles.fingerprint.name} stand in {learned}, too: a score on them says "
        "what was learned by heart, not what is understood; 'biaoti data check --fix' takes them "
        "out of what is learned from",
    )


def of_findings(report: Report) -> Iterator[Remark]:
    """A line for each kind of warning in each split; leaks have words of their own."""
    first: dict[tuple[str, str], Finding] = {}
    counts: dict[tuple[str, str], int] = {}
    for finding in report.warnings:
        if not finding.code.startswith("leak-"):
            key = finding.split, finding.code
            first.setdefault(key, finding)
            counts[key] = counts.get(key, 0) + 1
    called = _called([summary.path for summary in report.splits.values()])
    for (split, code), finding in first.items():
        path = called(finding.path)
        told = finding.detail or CODES[code].what.format(
            other=f"{called(finding.other.path)}:{finding.other.line}" if finding.other else ""
        )
        counted = f"{counts[split, code]:,} of {report.splits[split].rows:,} rows of {path}"
        where = f"{counted}, first {path}:{finding.line}" if finding.line else path
        yield Remark(code, f"{where}: {told}; {CODES[code].remedy}")


def _called(paths: Iterable[str]) -> Callable[[str], str]:
    """How a file is called among these: by its name, and its folder's where others have that."""
    names = Counter(Path(path).name for path in paths)

    def name(path: str) -> str:
        own = Path(path)
        return own.name if names[own.name] < 2 else f"{own.parent.name}/{own.name}"

    return name


def of_absent(titles: LabelledTitles) -> Iterator[Remark]:
    """Classes of which nothing is measured; in what is learned from, a finding says so."""
    counts = _counts(titles)
    if absent := [name for name, count in counts.items() if not count]:
        yield Remark(
            "absent-class",
            f"{titles.fingerprint.name} has no title of {len(absent)} of {len(counts)} classes "
            f"({_listing(absent)}): what a model makes of them is not measured here",
        )


def of_sizes(name: str, counts: Mapping[str, int]) -> Iterator[Remark]:
    """Classes with few titles to learn from, on their own or beside the largest.

    Args:
        name: of the file that is learned from.
        counts: its titles of each class; those without are left to others.
    """
    counts = {name: count for name, count in counts.items() if count}
    if not counts:
        return
    ordered = sorted(counts, key=lambda name: counts[name])
    least, most = ordered[0], ordered[-1]
    if tiny := [each for each in ordered if counts[each] < TINY_CLASS]:
        listed = _listing([f"{each} {counts[each]}" for each in tiny])
        yield Remark(
            "tiny-class",
            f"{name} has fewer than {TINY_CLASS} titles of {len(tiny)} classes ({listed}): too few "
            "to learn from; give it more of them",
        )
    if counts[most] >= IMBALANCE * counts[least]:
        yield Remark(
            "imbalance",
            f"{name} has {counts[most]:,} titles of {most} and {counts[least]:,} of {least}: a "
            "model may answer with the large classes alone; look at the scores by class",
        )


def of_scores(titles: LabelledTitles, raw: np.ndarray, called: str) -> Iterator[Remark]:
    """A model that learned nothing, or nothing of some class, by the titles of exactly one.

    Args:
        raw: (n, classes) probabilities; the temperature does not matter.
        called: what the model is called.
    """
    known = titles.label_ids != NO_LABEL
    if not known.any():
        return
    confusion = confusion_matrix(raw[known], titles.label_ids[known])
    support, right = confusion.sum(axis=1), np.diag(confusion)
    if is_at_majority(confusion):
        majority, n = int(support.argmax()), int(support.sum())
        yield Remark(
            "no-better-than-majority",
            f"{called} gets {right.sum() / n:.2%} of {titles.fingerprint.name} right, where "
            f"answering '{titles.labels.names[majority]}' to every title gets "
            f"{support[majority] / n:.2%}: it has learned nothing, or next to nothing; train it "
            "with more titles or epochs, or with another learning rate",
        )
    names = np.array(titles.labels.names)
    if missed := names[(support > 0) & (right == 0)].tolist():
        yield Remark(
            "class-never-right",
            f"{called} gets no title right of {len(missed)} of the {(support > 0).sum()} classes "
            f"in {titles.fingerprint.name} ({_listing(missed)})",
        )


def is_at_majority(confusion: np.ndarray) -> bool:
    """Whether answering the most frequent class to every title would be about as good.

    The lead over that is what chance gives, or less than a tenth of what is left to be won.

    Args:
        confusion: (classes, classes) counts, row = gold class.
    """
    n = confusion.sum()
    found, baseline = np.trace(confusion) / n, confusion.sum(axis=1).max() / n
    by_chance = CHANCE_LEADS * np.sqrt(baseline * (1 - baseline) / n)
    return bool(baseline < 1 and found - baseline < max(by_chance, LEAST_GAIN * (1 - baseline)))


def of_temperature(temperature: float, called: str) -> Iterator[Remark]:
    """A temperature that would have gone on beyond what is searched."""
    lowest, highest = LOWEST_TEMPERATURE, HIGHEST_TEMPERATURE
    if not 1.5 * lowest < temperature < highest / 1.5:
        yield Remark(
            "temperature-at-bound",
            f"the temperature of {called}, {temperature:.3g}, lies at the bound of what is "
            f"searched ({lowest:g} to {highest:g}): its scores are no confidences; it is right on "
            "all the titles that it was calibrated on, which may leak, or knows nothing of them",
        )


def of_precision(called: str, wanted: float) -> Iterator[Remark]:
    """No confidence is high enough for the precision that was asked for."""
    yield Remark(
        "precision-out-of-reach",
        f"{called} is nowhere right in {wanted:.0%} of its answers on the dev titles, however "
        "confident: it answers every title; ask for less with --wanted-precision, or train it "
        "better",
    )


def of_lengths(
    titles: LabelledTitles, truncated: np.ndarray, called: str, most: int | None
) -> Iterator[Remark]:
    """Titles that are longer than the model reads.

    Args:
        truncated: (n,) bool.
        called: what the model is called.
        most: tokens that it reads; None where its members differ.
    """
    if len(truncated) and truncated.mean() >= MANY_LOST:
        yield Remark(
            "truncated",
            f"{int(truncated.sum()):,} of the {len(truncated):,} titles of "
            f"{titles.fingerprint.name} are longer than the {f'{most} ' if most else ''}tokens "
            f"that {called} reads: their ends count for nothing; train with a larger --max-length",
        )


def of_positions(most: int, asked: int) -> Iterator[Remark]:
    """A student is cut from a model that reads fewer tokens than are asked for.

    Args:
        most: tokens that it reads.
        asked: those asked for.
    """
    if asked > most:
        yield Remark(
            "fewer-positions",
            f"the student reads {most} tokens of a title, not {asked}: what it starts from reads "
            "no more; cut it from a model trained with a larger --max-length",
        )


def of_unreadable(titles: LabelledTitles) -> Iterator[Remark]:
    """Titles of which nothing can be read, such as what a wrong encoding left."""
    lost = [title for title in titles.titles if not is_readable(title)]
    if lost and len(lost) >= MANY_LOST * len(titles):
        yield Remark(
            "unreadable",
            f"{len(lost):,} of the {len(titles):,} titles of {titles.fingerprint.name} cannot be "
            f"read, such as {lost[0][:20]!r}; restore them from their source",
        )


def of_origin(
    manifest: Manifest, titles: LabelledTitles, roles: Iterable[str] = ("train", "dev")
) -> Iterator[Remark]:
    """The titles are a file that the model itself was made from, or hold such files.

    Args:
        roles: what the file may not have been to it.
    """
    for file in titles.fingerprint.parts or [titles.fingerprint]:
        made_from = manifest.provenance.made_from
        found = {made.role for made in made_from if made.version == file.sha256} & set(roles)
        if not found:
            continue
        yield Remark(
            "made-from-it",
            f"{file.name} is what {manifest.name} was made from (its "
            f"{' and '.join(sorted(found))} titles): a score on it says too much; give titles that "
            "it has not seen",
        )


def _counts(titles: LabelledTitles) -> Mapping[str, int]:
    """Titles of each class, by its name; those that may be of several count for each."""
    counts = titles.may_be[titles.in_scope].sum(axis=0).tolist()
    return dict(zip(titles.labels.names, counts, strict=True))


def _listing(names: Iterable[str], most: int = 5) -> str:
    """The first few, and how many more."""
    listed = list(names)
    more = [f"and {len(listed) - most} more"] if len(listed) > most else []
    return ", ".join([*listed[:most], *more])
