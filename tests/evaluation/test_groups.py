from dataclasses import replace

import pytest

from evaluation.candidates import PIPELINE_ROUTE
from evaluation.groups import group_of
from models.labels import Labels


@pytest.mark.parametrize(
    ("name", "route", "group"),
    [
        ("linear", "linear", "Baselines"),
        ("width", "width", "Baselines"),
        ("mine", "a route of a plug-in", "Baselines"),
        ("teacher", "ensemble", "Encoders"),
        ("encoder", "encoder", "Encoders"),
        ("encoder (pipeline)", PIPELINE_ROUTE, "Encoders"),
        ("released", "onnx", "Compressed"),
        ("pruned", "student", "Compressed"),
        ("no-teacher", "student", "Ablations"),
        ("without-augmentation", "encoder", "Ablations"),
        ("nobody", "encoder", "Encoders"),
    ],
)
def test_route_and_name_tell_the_group(make_candidate, name: str, route: str, group: str):
    candidate = make_candidate(name, Labels.of(["stocks", "sports"]))
    candidate = replace(candidate, manifest=replace(candidate.manifest, route=route))

    assert group_of(candidate) == group
