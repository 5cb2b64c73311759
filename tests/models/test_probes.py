import json
from pathlib import Path

import pytest

from models import artifact
from models.encoder import EncoderClassifier
from models.errors import ArtifactError, ProbeMismatch
from models.probes import PROBE_TITLES


def test_a_model_that_answers_otherwise_here_is_refused(saved: Path):
    path = saved / "artifact.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["probes"][4]["scores"][0] += 0.25
    path.write_text(json.dumps(content), encoding="utf-8")

    with pytest.raises(ProbeMismatch) as caught:
        artifact.load(saved)

    assert f"a score of “{PROBE_TITLES[4]}” differs by 0.2500" in str(caught.value)


def test_a_model_that_scores_nan_is_not_saved(tmp_path: Path, tiny_classifier: EncoderClassifier):
    tiny_classifier.model.classifier.weight.data.fill_(float("nan"))

    with pytest.raises(ArtifactError, match="NaN or infinity; not saved"):
        artifact.save(tiny_classifier, tmp_path / "model")

    assert not (tmp_path / "model").exists()
