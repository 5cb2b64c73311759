"""`biaoti train linear`."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.linear import LinearSettings
from baselines.linear import train_linear as fit
from models.artifact import Manifest
from recipes.baseline import train_baseline
from recipes.settings import Learning
from recipes.telling import logger


@dataclass(frozen=True, kw_only=True)
class TrainLinear(Learning):
    """Train a linear model on TF-IDF features: the strongest cheap baseline."""

    training: LinearSettings = LinearSettings()


def train_linear(settings: TrainLinear) -> Manifest:
    """Train, calibrate on dev, save."""
    return train_baseline(
        settings,
        settings.training,
        lambda train, _: fit(train, settings.training, logger.info),
    )
