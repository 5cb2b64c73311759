"""Every number that a verb can be told has bounds, and is refused outside of them at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from math import inf, nan
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import pytest

from cli import main
from cli.verbs import VERBS
from models.bounds import Checked, hints, rules
from models.errors import UsageError

MEANS_SOMETHING = {
    ("max_mb", inf): "no limit",
    ("max_ms", inf): "no limit",
    ("max_grad_norm", inf): "no gradient is scaled",
    ("checkpoint_seconds", inf): "no checkpoint before the end",
    ("jobs", -1): "all cores",
    ("max_drop", -1): "a point has to be won",
    ("max_drop", -1.5): "a point and a half",
}
"""Values that would be out of bounds anywhere else, and what they stand for."""


def settings_of(kind: Any) -> Iterator[type]:
    """A class of settings, and those of its fields in turn."""
    yield kind
    for hint in hints(kind).values():
        for part in (hint, *get_args(hint)):
            if isinstance(part, type) and is_dataclass(part):
                yield from settings_of(part)


ALL_SETTINGS = sorted(
    {kind for verb in VERBS.values() for kind in settings_of(verb.load()[0])},
    key=lambda kind: kind.__name__,
)


def numbers(kind: type) -> dict[str, Any]:
    """The fields that are numbers, or tuples of them."""

    def leaves(hint: Any) -> set[Any]:
        if get_origin(hint) is Annotated:
            return leaves(hint.__origin__)
        parts = get_args(hint)
        return {hint} if not parts else set().union(*map(leaves, parts))

    return {name: hint for name, hint in hints(kind).items() if leaves(hint) & {int, float}}


def build(kind: Any, **given: Any) -> Any:
    """Settings with what has to be given, whatever it says."""
    stand_ins = {"method": "onnx", "output": Path("x"), "teacher": Path("x"), "model": Path("x")}
    required = {
        field.name: stand_ins.get(field.name, "x")
        for field in fields(kind)
        if field.default is MISSING and field.default_factory is MISSING
    }
    return kind(**{**required, **given})


def test_the_settings_of_every_verb_are_checked_when_they_are_built():
    assert len(ALL_SETTINGS) > 25
    assert [kind for kind in ALL_SETTINGS if not issubclass(kind, Checked)] == []


@pytest.mark.parametrize("kind", ALL_SETTINGS, ids=lambda kind: kind.__name__)
def test_a_number_out_of_bounds_is_refused_with_its_name_and_what_is_allowed(kind: Any):
    for name, hint in numbers(kind).items():
        assert list(rules(hint)), f"{name} has no bounds"
        for value in (nan, inf, -inf, -1, -1.5, True, "3"):
            if (name, value) in MEANS_SOMETHING:
                assert getattr(build(kind, **{name: value}), name) == value
            else:
                with pytest.raises(UsageError, match=rf"^{name} must be .+, not {value!r}$"):
                    build(kind, **{name: value})


DATA = ["--train", "a", "--dev", "b", "--output", "o"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "linear", *DATA, "--seed", "-1"], "seed must be at least 0, not -1"),
        (
            ["train", "encoder", *DATA, "--learning-rate", "nan"],
            "learning_rate must be in (0, 1], not nan",
        ),
        (
            ["train", "encoder", *DATA, "--learning-rate", "-1"],
            "learning_rate must be in (0, 1], not -1.0",
        ),
        (
            ["distill", "--teacher", "t", *DATA, "--layers", "0,0"],
            "layers must be different numbers, from the lowest layer to the highest, not (0, 0)",
        ),
        (
            ["quantize", "m", "--method", "onnx", *DATA[2:], "--max-drop", "nan"],
            "max_drop must be in [-100, 100], not nan",
        ),
        (
            ["compare", "m", "--data", "d", "--max-mb", "nan"],
            "max_mb must be above 0 or inf, not nan",
        ),
        (["classify", "--top-k", "0", "国足"], "top_k must be at least 1, not 0"),
        (["classify", "--top-k", "-1", "国足"], "top_k must be at least 1, not -1"),
        (["transformer", "cost", "--lengths", "0"], "lengths must be at least 1, not (0,)"),
        (["data", "check"], "files must be given at least once, not ()"),
        (["classify"], "titles must be given at least once, not ()"),
        (["compare", "--data", "d"], "models must be given at least once, not ()"),
        (["ensemble", *DATA[2:]], "models must be given at least once, not ()"),
        (["average", *DATA[2:]], "models must be given at least once, not ()"),
        (["pretrain", *DATA[4:]], "files must be given at least once, not ()"),
        (["serve", "--port", "65536"], "port must be in [0, 65535], not 65536"),
    ],
)
def test_a_number_out_of_bounds_is_wrong_usage_before_anything_is_read(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
):
    assert main(words) == 2
    assert f"biaoti: error: {message}\n" in capsys.readouterr().err
