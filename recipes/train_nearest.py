"""`biaoti train nearest`."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.nearest import NearestSettings
from baselines.nearest import train_nearest as fit
from models.artifact import Manifest
from recipes.baseline import train_baseline
from recipes.settings import Learning
from recipes.telling import logger


@dataclass(frozen=True, kw_only=True)
class TrainNearest(Learning):
    """Keep the training titles, to ask those most like a title for their labels.

    Weak alone, strong beside others: see 'biaoti ensemble'.
    """

    training: NearestSettings = NearestSettings()


def train_nearest(settings: TrainNearest) -> Manifest:
    """Train, calibrate on dev, save."""
    return train_baseline(
        settings,
        settings.training,
        lambda train, _: fit(train, settings.training, logger.info),
    )
