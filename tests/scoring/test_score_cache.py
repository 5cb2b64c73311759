from pathlib import Path

import numpy as np
import pytest

from evaluation.candidates import Candidate, parse_candidate
from models import artifact
from models.encoder import EncoderClassifier
from scoring.score_cache import cached_scores

TITLES = ["股市今日涨", "球队比赛夺冠", "高考录取分数"]


@pytest.fixture
def model(tmp_path: Path, tiny_classifier: EncoderClassifier) -> Candidate:
    artifact.save(tiny_classifier, tmp_path / "tiny", temperature=2.0)
    return parse_candidate(str(tmp_path / "tiny"))


def scored(model: Candidate, folder: Path, titles: list[str]) -> np.ndarray:
    return cached_scores(model, titles, folder, show_progress=False)


def test_scores_are_those_before_calibration(model: Candidate, tmp_path: Path):
    found = scored(model, tmp_path / "cache", TITLES)

    expected = artifact.load(model.folder).uncalibrated.predict_proba(TITLES)
    np.testing.assert_array_equal(found, expected)
    assert (tmp_path / "cache" / ".gitignore").read_text() == "*\n"


def test_a_model_is_not_opened_twice(
    model: Candidate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    first = scored(model, tmp_path / "cache", TITLES)
    monkeypatch.setattr(Candidate, "open", lambda self: pytest.fail("opened again"))

    np.testing.assert_array_equal(scored(model, tmp_path / "cache", TITLES), first)


def test_other_titles_and_a_broken_file_are_scored_again(model: Candidate, tmp_path: Path):
    first = scored(model, tmp_path / "cache", TITLES)
    turned = scored(model, tmp_path / "cache", TITLES[::-1])
    np.testing.assert_allclose(turned, first[::-1], atol=1e-6)

    for path in (tmp_path / "cache").glob("*.npy"):
        path.write_bytes(path.read_bytes()[:90])
    np.testing.assert_array_equal(scored(model, tmp_path / "cache", TITLES), first)
