"""`biaoti train encoder`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import Annotated, Any

from tyro import MISSING
from tyro.conf import arg

from models.artifact import Manifest
from models.outputs import claim_folder, run_folder
from recipes.ingredients import encoder_ingredients
from recipes.lessons import read_all_titles, read_learning
from recipes.saving import calibrate, claim_model, dev_metrics, save_model
from recipes.settings import Files, Learning
from recipes.telling import logger
from training.finetune import FineTuneSettings, fine_tune, recommended
from training.pretrained import BUILT_IN, resolve
from training.run_folder import RUN

Encoder = Annotated[str, arg(metavar="NAME")]


@dataclass(frozen=True, kw_only=True)
class TrainEncoder(Learning):
    """Fine-tune a pretrained Transformer encoder.

    The weights that score best on the dev file are kept, and the confidence is calibrated on it.
    A run can be interrupted: the same command goes on from its last checkpoint. The defaults shown
    are those for the encoder that is named: a full-size BERT's, or what was found on dev for the
    built-in e5-small-zh.
    """

    encoder: Encoder = BUILT_IN
    """A Hugging Face folder, the built-in e5-small-zh, or organisation/model on the hub."""
    corpus: Files = ()
    """More titles whose pieces the built-in encoder's vocabulary must hold; repeatable."""
    training: FineTuneSettings | None = None
    """How it learns; None = as recommended for the encoder."""

    @classmethod
    def shown_for(cls, words: Sequence[str]) -> TrainEncoder:
        """What the command line takes where it is told nothing, for the encoder that it is told."""
        told = dict(pairwise(words)) | dict(w.split("=", 1) for w in words if "=" in w)
        encoder = told.get("--encoder", BUILT_IN)
        missing: Any = MISSING
        return cls(
            train=missing,
            dev=missing,
            output=missing,
            encoder=encoder,
            training=recommended(encoder),
        )


def train_encoder(settings: TrainEncoder) -> Manifest:
    """Fine-tune, calibrate on dev, save; goes on from its last checkpoint.

    Raises:
        PretrainedError: the encoder cannot be had.
        DataError: titles that cannot be used.
    """
    training = settings.training or recommended(settings.encoder)
    inputs: list[str | Path] = [*settings.learned_files, *settings.corpus, settings.encoder]
    claim_model(settings, inputs)
    claim_folder(run_folder(settings.output), inputs, RUN, settings.force)
    train, dev, remarks, made_from = read_learning(settings)
    extra = read_all_titles(settings.reading, settings.corpus)
    folder = resolve(settings.encoder, chain(train.titles, dev.titles, extra))
    result = fine_tune(folder, train, dev, training, run_folder(settings.output))
    calibration = calibrate(settings, dev, result.dev_scores, result.classifier.max_length)
    manifest = save_model(
        settings,
        result.classifier,
        calibration,
        trained_on=train.fingerprint.to_dict(),
        hyperparameters={"encoder": settings.encoder, **asdict(training)},
        metrics=dev_metrics(result.history),
        made_from=[*made_from, *encoder_ingredients(folder)],
        remarks=remarks,
    )
    result.run_folder.clean()
    logger.info("curves: %s", run_folder(settings.output) / "curves.png")
    return manifest
