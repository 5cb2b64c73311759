"""In which group of the report a model stands.

Its route tells: what has no Transformer is a baseline; what was made small, or written for another
runtime, is compressed; what is asked over a network has neither size nor speed of its own. An
ablation, a twin that was trained without something to show what that is worth, differs from what it
is compared with in nothing that a manifest tells; its name does: `no-teacher`,
`without-augmentation`.
"""

from __future__ import annotations

from evaluation.candidates import PIPELINE_ROUTE, Candidate

BASELINES, ENCODERS, COMPRESSED, ABLATIONS = "Baselines", "Encoders", "Compressed", "Ablations"
REMOTE = "Behind an endpoint"
GROUPS = (BASELINES, ENCODERS, COMPRESSED, REMOTE, ABLATIONS)
"""In the order of the report."""

_OF_ROUTE = {
    "encoder": ENCODERS,
    "ensemble": ENCODERS,
    PIPELINE_ROUTE: ENCODERS,
    "student": COMPRESSED,
    "student-int8": COMPRESSED,
    "onnx": COMPRESSED,
    "llm": REMOTE,
}
_LACKS = ("no-", "without-")


def group_of(candidate: Candidate) -> str:
    """One of `GROUPS`; by the name that the report uses, and the route."""
    if candidate.name.startswith(_LACKS):
        return ABLATIONS
    return _OF_ROUTE.get(candidate.manifest.route, BASELINES)
