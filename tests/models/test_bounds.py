from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from typing import Annotated, Any, Literal

import numpy as np
import pytest

from models.bounds import Bounds, Checked, NonEmpty, PositiveInt, Share, Whole
from models.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Loop(Checked):
    epochs: PositiveInt = 3
    share: Share = 0.5
    rate: Annotated[float | None, Bounds(above=0, below=1)] = None
    norm: Annotated[float, Bounds(above=0, besides=(inf,))] = 1.0
    leaves: Annotated[int, Whole(least=2, besides=(0,))] = 0
    lengths: Annotated[tuple[int, ...], NonEmpty(), Whole(least=1, most=9)] = (1,)
    precision: Literal["auto", "fp32"] = "auto"
    parts: tuple[Literal["a", "b"], ...] = ("a",)


@pytest.mark.parametrize(
    "given",
    [
        {"epochs": 1},
        {"epochs": np.int64(7)},
        {"epochs": 2**31 - 1},
        {"share": 0},
        {"share": 1.0},
        {"rate": None},
        {"rate": np.float32(0.5)},
        {"norm": inf},
        {"leaves": 0},
        {"leaves": 2},
        {"lengths": (1, 9)},
        {"precision": "fp32"},
        {"parts": ("b", "a")},
        {"parts": ()},
    ],
    ids=str,
)
def test_what_is_within_its_bounds_is_taken(given: dict[str, Any]):
    ((name, value),) = given.items()

    assert getattr(Loop(**given), name) == value


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epochs": 0}, "epochs must be at least 1, not 0"),
        ({"epochs": None}, "epochs must be a whole number, not None"),
        ({"epochs": 1.0}, "epochs must be a whole number, not 1.0"),
        ({"epochs": True}, "epochs must be a whole number, not True"),
        ({"epochs": 2**31}, "epochs must be at most 2147483647, not 2147483648"),
        ({"share": "0.5"}, "share must be a number, not '0.5'"),
        ({"share": 1.0000001}, "share must be in [0, 1], not 1.0000001"),
        ({"share": nan}, "share must be in [0, 1], not nan"),
        ({"rate": 0.0}, "rate must be in (0, 1), not 0.0"),
        ({"rate": 1}, "rate must be in (0, 1), not 1"),
        ({"norm": -inf}, "norm must be above 0 or inf, not -inf"),
        ({"leaves": 1}, "leaves must be at least 2 or 0, not 1"),
        ({"lengths": ()}, "lengths must be given at least once, not ()"),
        ({"lengths": (3, 10)}, "lengths must be in [1, 9], not (3, 10)"),
        ({"precision": "bf16"}, "precision must be one of auto, fp32, not 'bf16'"),
        ({"parts": ("a", "c")}, "parts must be one of a, b, not ('a', 'c')"),
    ],
    ids=str,
)
def test_what_is_out_of_bounds_is_refused_with_its_name_and_what_is_allowed(
    given: dict[str, Any], message: str
):
    with pytest.raises(UsageError) as refused:
        Loop(**given)

    assert str(refused.value) == message


def test_a_field_that_a_subclass_declares_again_has_the_bounds_it_declares():
    @dataclass(frozen=True)
    class Longer(Loop):
        epochs: Annotated[int, Whole(least=10)] = 12

    with pytest.raises(UsageError, match="epochs must be at least 10, not 3"):
        Longer(epochs=3)
