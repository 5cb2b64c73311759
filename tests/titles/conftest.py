"""A report that several tests read."""

import pytest

from titles import Finding, Place, Report, SplitSummary


@pytest.fixture
def lengths() -> dict[str, int]:
    return {"p1": 2, "p50": 4, "p90": 6, "p99": 6, "max": 6}


@pytest.fixture
def small_report(lengths: dict[str, int]) -> Report:
    """One split with an error and four duplicates."""
    classes, kept = {"finance": 900, "体育": 299}, {"finance": 896, "体育": 299}
    summary = SplitSummary("train.txt", 1200, 1199, lengths, None, classes, {"14": 1}, 1195, kept)
    findings = [
        Finding("unknown-label", "train", "train.txt", 9, "label '14' is not one of the 2 labels"),
        *(
            Finding("duplicate-exact", "train", "train.txt", i, "", Place("train", "train.txt", 1))
            for i in range(20, 24)
        ),
    ]
    return Report({"train": summary}, findings)
