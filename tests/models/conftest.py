"""A saved model, for what is asked of its folder."""

from pathlib import Path

import pytest

from models import artifact
from models.artifact import Provenance
from models.encoder import EncoderClassifier


@pytest.fixture
def saved(tmp_path: Path, tiny_classifier: EncoderClassifier) -> Path:
    """The folder of the tiny encoder, saved with temperature 2."""
    provenance = Provenance({"name": "made"}, {"epochs": 1}, {"accuracy": 0.5})
    artifact.save(tiny_classifier, tmp_path / "model", temperature=2.0, provenance=provenance)
    return tmp_path / "model"
