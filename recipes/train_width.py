"""`biaoti train width`."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.width import WidthSettings
from baselines.width import train_width as fit
from models.artifact import Manifest
from recipes.baseline import train_baseline
from recipes.settings import Learning
from recipes.telling import logger


@dataclass(frozen=True, kw_only=True)
class TrainWidth(Learning):
    """Learn what the characters and columns of a title say of its class, whatever it says.

    Weak alone; beside models that read but cannot count it is a voice: see 'biaoti ensemble'.
    """

    training: WidthSettings = WidthSettings()


def train_width(settings: TrainWidth) -> Manifest:
    """Train, calibrate on dev, save."""
    return train_baseline(
        settings,
        settings.training,
        lambda train, _: fit(train, settings.training, logger.info),
    )
