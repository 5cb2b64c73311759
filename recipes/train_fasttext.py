"""`biaoti train fasttext`."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.fasttext import train_fasttext as fit
from baselines.fasttext_settings import FastTextSettings
from models.artifact import Manifest
from recipes.baseline import train_baseline
from recipes.settings import Learning
from recipes.telling import logger


@dataclass(frozen=True, kw_only=True)
class TrainFastText(Learning):
    """Train fastText on characters or words; it can search its own settings on dev."""

    training: FastTextSettings = FastTextSettings()


def train_fasttext(settings: TrainFastText) -> Manifest:
    """Train, calibrate on dev, save."""
    return train_baseline(
        settings,
        settings.training,
        lambda train, dev: fit(train, dev, settings.training, logger.info),
    )
