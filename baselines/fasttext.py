"""fastText: averaged n-gram embeddings and a linear layer, trained in seconds.

The model is fastText's own file, which its other tools open too. They have to be given text that
is prepared in the same way: `preprocessing.json` beside it says whether its tokens are words,
characters or n-grams (`baselines.segmentation`), and a label is `__label__` and the class's number.
Source: Joulin et al. 2016, "Bag of Tricks for Efficient Text Classification"; quantised models:
Joulin et al. 2016, "FastText.zip".
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from baselines.fasttext_format import (
    PREPROCESSING_FILE,
    label_id,
    open_model,
    read_unit,
    to_line,
    write_lines,
)
from baselines.fasttext_settings import FastTextSettings
from models.classifier import Scores
from models.errors import MissingDependency, UsageError
from models.labels import Labels
from models.route import Route
from titles import LabelledTitles

try:
    import fasttext
except ImportError as error:
    raise MissingDependency("fasttext-community", "train") from error

_TITLES_AT_ONCE = 4096
_LEAST_EPOCHS, _MOST_EPOCHS, _TITLES_READ = 5, 100, 500_000


class FastTextClassifier(Route):
    """Scores titles with a fastText model.

    Args:
        model: trained on labels `__label__0`, `__label__1`, … in the order of `labels`.
        unit: what its tokens are, a key of `fasttext_format.UNITS`.
        labels: all classes; those the model has never seen get probability 0.
        max_length: always None, since a title is read whole.
    """

    route: ClassVar[str] = "fasttext"
    probe_tolerance: float = 1e-4

    def __init__(self, model: Any, unit: str, labels: Labels, max_length: int | None = None):
        self.model = model
        self.unit = unit
        self.labels = labels
        self.max_length = max_length

    def score(self, titles: Sequence[str]) -> Scores:
        """fastText's scores of a title are divided by their sum.

        It need not be 1: with the loss `ova` each class is scored by itself.
        """
        scores = np.zeros((len(titles), len(self.labels)), dtype=np.float64)
        for start in range(0, len(titles), _TITLES_AT_ONCE):
            lines = [to_line(title, self.unit) for title in titles[start : start + _TITLES_AT_ONCE]]
            names, values = self.model.predict(lines, k=len(self.labels))
            for row, (found, score) in enumerate(zip(names, values, strict=True), start):
                scores[row, [label_id(name) for name in found]] = score
        totals = scores.sum(axis=1, keepdims=True)
        probabilities: np.ndarray = np.full_like(scores, 1 / len(self.labels))
        np.divide(scores, totals, out=probabilities, where=totals > 0)
        return Scores.of_whole_titles(probabilities.astype(np.float32))

    def hyperparameters(self) -> dict[str, Any]:
        """What the model was trained with, as fastText names it; found by autotune or given."""
        args = self.model.f.getArgs()
        names = ("epoch", "lr", "dim", "minCount", "wordNgrams", "minn", "maxn", "bucket")
        return {name: getattr(args, name) for name in names} | {"loss": args.loss.name}

    def save_files(self, folder: Path) -> None:
        ending = "ftz" if self.model.is_quantized() else "bin"
        self.model.save_model(str(folder / f"model.{ending}"))
        (folder / PREPROCESSING_FILE).write_text(json.dumps({"unit": self.unit}) + "\n")

    @classmethod
    def load_files(cls, folder: Path, labels: Labels, max_length: int | None) -> Self:
        """Raises:
        CorruptArtifact: no fastText model, one of other labels, or no preprocessing beside it.
        """
        path = next(
            (folder / name for name in ("model.bin", "model.ftz") if (folder / name).is_file()),
            folder / "model.bin",
        )
        return cls(
            open_model(path, labels), read_unit(folder / PREPROCESSING_FILE), labels, max_length
        )


def train_fasttext(
    titles: LabelledTitles,
    dev: LabelledTitles | None = None,
    settings: FastTextSettings | None = None,
    progress: Callable[[str], None] | None = None,
) -> FastTextClassifier:
    """Train fastText; seconds for tens of thousands of titles, or the time given to autotune.

    Args:
        dev: only autotune reads it.
        progress: told a line at the start of each stage.
    Raises:
        DataError: a title without a label, or fewer than two classes.
        UsageError: fastText refuses the settings or diverges with them; autotune without dev.
    """
    settings = settings or FastTextSettings()
    titles.require_two_classes()
    report = progress or (lambda line: None)
    with tempfile.TemporaryDirectory(prefix="biaoti-fasttext-") as name:
        train_file, dev_file = Path(name, "train.txt"), Path(name, "dev.txt")
        report(f"cutting {len(titles):,} titles into {settings.unit}")
        write_lines(train_file, titles, settings.unit)
        if settings.autotune_seconds:
            if not dev:
                raise UsageError(
                    "autotune needs dev titles; give a dev file or set autotune_seconds to 0"
                )
            write_lines(dev_file, dev, settings.unit)
        arguments = _arguments(settings, len(titles), dev_file)
        model = _train(train_file, arguments, settings, report)
    return FastTextClassifier(model, settings.unit, titles.labels)


def _train(
    train_file: Path,
    arguments: dict[str, Any],
    settings: FastTextSettings,
    report: Callable[[str], None],
) -> Any:
    try:
        report("training fastText")
        model = fasttext.train_supervised(str(train_file), verbose=0, **arguments)
        if settings.quantize:
            report("quantising")
            _quantize(model, train_file, settings)
    except (ValueError, RuntimeError) as error:
        raise UsageError(
            f"fastText cannot train with these settings: {error}; lower the learning rate, give "
            "autotune more time, or do not quantise a small model"
        ) from error
    return model


def suitable_epochs(titles: int) -> int:
    """Passes over so many titles that suit them: few titles are soon read, and learned by none."""
    return min(max(_LEAST_EPOCHS, -(-_TITLES_READ // titles)), _MOST_EPOCHS)


def _arguments(settings: FastTextSettings, titles: int, dev_file: Path) -> dict[str, Any]:
    """fastText's keyword arguments; what is not given is left to autotune."""
    fixed = {
        "loss": settings.loss,
        "minCount": settings.min_count,
        "thread": settings.threads,
        "seed": settings.seed,
    }
    pieces = {
        "wordNgrams": settings.token_ngrams,
        "minn": settings.shortest_subword if settings.longest_subword else 0,
        "maxn": settings.longest_subword,
    }
    hashed = settings.token_ngrams > 1 or settings.longest_subword > 0
    if not settings.autotune_seconds:
        chosen = {"epoch": settings.epochs or suitable_epochs(titles), "lr": settings.learning_rate}
        sizes = {"dim": settings.dimensions, "bucket": settings.buckets}
        return fixed | pieces | chosen | sizes
    search = {
        "autotuneValidationFile": str(dev_file),
        "autotuneDuration": settings.autotune_seconds,
    }
    if settings.unit == "ngrams":  # n-grams of n-grams are no use
        return fixed | search | pieces | {"bucket": settings.buckets if hashed else 1}
    return fixed | search | {"bucket": settings.buckets}


def _quantize(model: Any, train_file: Path, settings: FastTextSettings) -> None:
    """Compress `model` in place; without `qnorm` it lost four points of accuracy."""
    model.quantize(
        str(train_file),
        cutoff=settings.quantized_features,
        retrain=settings.retrain_epochs > 0,
        epoch=settings.retrain_epochs,
        lr=model.f.getArgs().lr / 4,
        qnorm=True,
        thread=settings.threads,
        verbose=0,
    )
