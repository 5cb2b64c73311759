from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models import artifact
from models.encoder import EncoderClassifier
from models.errors import ArtifactError, ProbeMismatch
from models.labels import Labels
from models.manifest import Manifest
from models.probes import PROBE_TITLES, replay


def test_a_model_that_answers_otherwise_here_is_refused(saved: Path):
    manifest = Manifest.read(saved)
    manifest.probes[4]["scores"][0] += 0.25
    manifest.write(saved)

    with pytest.raises(ProbeMismatch) as caught:
        artifact.load(saved)

    assert f"a score of “{PROBE_TITLES[4]}” differs by 0.2500" in str(caught.value)


class Scripted:
    """Answers with the same scores whatever it is asked."""

    probe_tolerance = 0.02

    def __init__(self, scores: list[float]):
        self.scores = scores

    def predict_proba(self, titles: list[str]) -> np.ndarray:
        return np.array([self.scores] * len(titles), dtype=np.float32)


@pytest.mark.parametrize(
    "scores", [[np.nan] * 3, [np.nan, 0.3, 0.5], [np.inf, 0.3, 0.5], [-np.inf, 0.5, 0.5]]
)
def test_a_model_that_scores_nan_here_is_refused(
    scores: list[float], make_manifest: Callable[..., Manifest], three_labels: Labels
):
    probes = [{"title": "股市", "scores": [0.2, 0.3, 0.5]}]
    manifest = replace(make_manifest("model", three_labels), probes=probes)

    replay(manifest, Scripted([0.219, 0.3, 0.481]))
    with pytest.raises(ProbeMismatch):
        replay(manifest, Scripted(scores))
    with pytest.raises(ProbeMismatch, match=r"differs by 0\.0210"):
        replay(manifest, Scripted([0.221, 0.3, 0.479]))


@pytest.mark.parametrize("score", [np.nan, np.inf])
def test_a_model_that_scores_nan_is_not_saved(
    score: float, tmp_path: Path, tiny_classifier: EncoderClassifier
):
    tiny_classifier.model.classifier.bias.data[1] = score

    with pytest.raises(ArtifactError, match="NaN or infinity; not saved"):
        artifact.save(tiny_classifier, tmp_path / "model")

    assert not (tmp_path / "model").exists()
