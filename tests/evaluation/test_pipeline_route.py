from pathlib import Path

import numpy as np
import pytest

from evaluation.candidates import parse_candidate
from evaluation.pipeline_route import open_pipeline
from models import artifact
from models.encoder import EncoderClassifier
from models.errors import ArtifactError

TITLES = ["股市今日涨", "球队比赛夺冠", "高考录取分数" * 5, "x"]


@pytest.fixture
def folder(tmp_path: Path, tiny_classifier: EncoderClassifier) -> Path:
    artifact.save(tiny_classifier, tmp_path / "tiny", temperature=2.0)
    return tmp_path / "tiny"


def test_the_pipeline_scores_as_our_route_does(folder: Path):
    ours, reference = artifact.load(folder), parse_candidate(f"pipeline:{folder}").open()

    assert reference.manifest.route == "transformers.pipeline"
    np.testing.assert_allclose(
        reference.predict_proba(TITLES), ours.predict_proba(TITLES), atol=1e-5
    )
    for model in (reference, ours):
        assert model.score(TITLES).truncated.tolist() == [False, False, True, False]


def test_no_title_gives_no_row(folder: Path):
    assert open_pipeline(folder).predict_proba([]).shape == (0, 3)


def test_another_route_is_refused(sample_models: dict[str, Path]):
    with pytest.raises(ArtifactError, match="is of the route 'linear', which"):
        open_pipeline(sample_models["linear"])
