"""Models that former revisions saved open and answer as they did.

The int8 scores are those of a processor whose int8 products do not saturate.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models import artifact

FORMER = Path(__file__).parent.parent / "fixtures" / "saved_by_7e15aad"
EXPECTED = json.loads((FORMER / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "expected", "tolerance"),
    [
        ("student", EXPECTED["models"]["student"], 1e-5),
        ("student-onnx-int8", EXPECTED["models"]["student-onnx-int8"], 0.02),
        ("linear", EXPECTED["models"]["linear"], 1e-5),
    ],
)
def test_a_model_saved_by_a_former_revision_answers_as_it_did(
    name: str, expected: dict[str, Any], tolerance: float
):
    model = artifact.load(FORMER / name)

    scores, truncated = model.score(EXPECTED["titles"])
    assert scores == pytest.approx(np.array(expected["scores"]), abs=tolerance)
    assert truncated.tolist() == expected["truncated"]
