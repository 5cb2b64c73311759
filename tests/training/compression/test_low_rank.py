from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from models import artifact
from models.errors import UsageError
from models.student import StudentClassifier
from titles import LabelledTitles
from training.compression.low_rank import (
    factorize_layers,
    ranks_by_budget,
    ranks_by_energy,
    whole,
)

shares = st.floats(0.05, 1.0)


def _weights(network: nn.Module) -> int:
    return sum(part.weight.numel() for part in network.modules() if isinstance(part, nn.Linear))


@torch.no_grad()
def _give_energies(linear: nn.Linear, energies: list[float]) -> None:
    rows, columns = (
        nn.init.orthogonal_(torch.empty(size, len(energies))) for size in linear.weight.shape
    )
    linear.weight.copy_(rows * torch.tensor(energies).sqrt() @ columns.T)


def test_a_student_factorised_at_full_rank_scores_alike(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    names = [n for n, m in tiny_student.network.named_modules() if isinstance(m, nn.Linear)]
    full = {name: 32 if name != "classifier" else 3 for name in names}

    scores = factorize_layers(tiny_student, full).predict_logits(three_topics.titles)

    assert scores == pytest.approx(tiny_student.predict_logits(three_topics.titles), abs=1e-4)


def test_the_rank_is_the_least_that_keeps_the_energy(tiny_student: StudentClassifier):
    name = "encoder.layers.0.feed_forward.widen"  # (64, 32)
    values = torch.tensor([3.0, 2.0, 1.0] + [0.0] * 29)  # squares: 9, 4 and 1 of 14
    with torch.no_grad():
        tiny_student.network.encoder.layers[0].feed_forward.widen.weight.copy_(
            nn.init.orthogonal_(torch.empty(64, 32)) * values
        )

    ranks = {e: ranks_by_energy(tiny_student, e)[name] for e in (0.6, 0.65, 0.92, 0.93, 1.0)}

    assert ranks == {0.6: 1, 0.65: 2, 0.92: 2, 0.93: 3, 1.0: 3}


@settings(max_examples=20, deadline=None)
@given(shares, shares)
def test_more_energy_never_means_a_lower_rank(
    make_student: Callable[..., StudentClassifier], one: float, other: float
):
    student = make_student(sizes=((4, 64),))
    low, high = (ranks_by_energy(student, each) for each in sorted((one, other)))

    assert set(high) <= set(low)  # what is not named is whole
    assert all(low[name] <= rank for name, rank in high.items())


@settings(max_examples=20, deadline=None)
@given(st.floats(0.1, 1.0))
def test_the_budget_is_kept_and_spent(
    make_student: Callable[..., StudentClassifier], budget: float
):
    student = make_student(sizes=((4, 64), (2, 48)))
    allowed = budget * _weights(student.network)

    used = _weights(factorize_layers(student, ranks_by_budget(student, budget)).network)

    assert allowed - (32 + 96) < used <= allowed  # less than one more rank of any layer is left


def test_a_budget_goes_where_the_energy_is(make_student: Callable[..., StudentClassifier]):
    student = make_student(sizes=((4, 64), (4, 64)))
    flat, steep = (layer.feed_forward.widen for layer in student.network.encoder.layers)
    with torch.no_grad():
        steep.weight.copy_(torch.outer(torch.randn(64), torch.randn(32)))

    ranks = ranks_by_budget(student, 0.4)

    assert ranks["encoder.layers.1.feed_forward.widen"] == 1
    assert ranks["encoder.layers.0.feed_forward.widen"] > 5
    assert flat.weight.shape == (64, 32)


def test_a_budget_is_spent_where_a_weight_buys_most_not_a_rank(
    make_student: Callable[..., StudentClassifier],
):
    student = make_student(sizes=((4, 64),))
    layers = {n: m for n, m in student.network.named_modules() if isinstance(m, nn.Linear)}
    wide, square = (f"encoder.layers.0.attention.{each}_projection" for each in ("in", "out"))
    of = {wide: [0.6, *[0.04] * 10], square: [0.7, *[0.03] * 10]}
    for name, linear in layers.items():
        _give_energies(linear, of.get(name, [1.0]))
    rank_1 = sum(sum(linear.weight.shape) for linear in layers.values())

    budget = (rank_1 + 3 * 64 + 0.5) / _weights(student.network)
    ranks = ranks_by_budget(student, budget)

    # A rank of the wide one, (96, 32), costs 128 weights and brings 0.04, 0.0003 a weight; one of
    # the square one, (32, 32), costs 64 and brings 0.03, 0.0005 a weight.
    assert (ranks[wide], ranks[square]) == (1, 4)


def test_all_the_energy_or_budget_leaves_the_layers_whole(tiny_student: StudentClassifier):
    assert ranks_by_energy(tiny_student, 1.0) == {}
    assert ranks_by_budget(tiny_student, 1.0) == {}


def test_factorising_again_starts_from_the_whole_layers(
    tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    name = "encoder.layers.1.attention.in_projection"
    once = factorize_layers(tiny_student, {name: 5})
    again = factorize_layers(once, {name: 5})

    expected = once.predict_logits(three_topics.titles)
    assert again.predict_logits(three_topics.titles) == pytest.approx(expected, abs=1e-4)
    assert again.config.ranks == {name: 5}
    assert ranks_by_energy(once, 1.0)[name] == 5
    assert _weights(whole(once.network)) == _weights(tiny_student.network)


def test_a_factorised_student_loads_from_its_folder(
    tmp_path: Path, tiny_student: StudentClassifier, three_topics: LabelledTitles
):
    factorised = factorize_layers(tiny_student, ranks_by_budget(tiny_student, 0.5))
    artifact.save(factorised, tmp_path / "model")

    loaded = artifact.load(tmp_path / "model")

    expected = factorised.predict_proba(three_topics.titles)
    assert (loaded.predict_proba(three_topics.titles) == expected).all()


@pytest.mark.parametrize("share", [0.0, 1.1])
def test_a_share_that_is_none_is_refused(tiny_student: StudentClassifier, share: float):
    for choose, what in ((ranks_by_energy, "energy"), (ranks_by_budget, "budget")):
        with pytest.raises(UsageError, match=rf"the {what} must lie in \(0, 1\], not {share}"):
            choose(tiny_student, share)


def test_a_budget_below_rank_1_says_what_is_needed(tiny_student: StudentClassifier):
    with pytest.raises(UsageError, match=r"the budget 0\.01 is less than .* needs 0\.\d+ or more"):
        ranks_by_budget(tiny_student, 0.01)
