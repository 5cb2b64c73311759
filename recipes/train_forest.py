"""`biaoti train forest`."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.tfidf_forest import ForestSettings
from baselines.tfidf_forest import train_forest as fit
from models.artifact import Manifest
from recipes.baseline import train_baseline
from recipes.settings import Learning
from recipes.telling import logger


@dataclass(frozen=True, kw_only=True)
class TrainForest(Learning):
    """Train a random forest on TF-IDF features of words and character n-grams."""

    training: ForestSettings = ForestSettings()


def train_forest(settings: TrainForest) -> Manifest:
    """Train, calibrate on dev, save."""
    return train_baseline(
        settings,
        settings.training,
        lambda train, _: fit(train, settings.training, logger.info),
    )
