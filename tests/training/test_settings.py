from dataclasses import replace

import pytest

from models.errors import UsageError
from training.settings import LoopSettings


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("epochs", 0, "must be at least 1"),
        ("warmup_ratio", 1.0, r"must be in \[0, 1\)"),
        ("precision", "fp16", "precision must be one of auto, bf16, fp32, not 'fp16'"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(field: str, value: object, message: str):
    with pytest.raises(UsageError, match=message):
        replace(LoopSettings(), **{field: value})
