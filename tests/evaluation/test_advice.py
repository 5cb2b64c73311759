from dataclasses import replace

import pytest

from evaluation.advice import (
    CLOSE,
    cheaper_at_a_price,
    choose,
    is_good_enough,
    training_seconds,
    within_limits,
)
from evaluation.compare import Limits


def test_close_or_not_told_apart_is_good_enough(make_comparison):
    """Of 1,000 titles: 0.6 points less; 2 points less but both ways; 2 points less one way."""
    right = {
        "best": 940,
        "close": 934,
        "uneven": [True] * 920 + [False] * 80,
        "worse": 920,
    }
    comparison = make_comparison(right)

    enough = {model.name: is_good_enough(comparison, model) for model in comparison.models}

    uneven = comparison.pair(comparison.models[0], comparison.models[2])
    assert (uneven.only_first, uneven.only_second) == (80, 60)
    assert uneven.p_value > 0.05
    assert enough == {"best": True, "close": True, "uneven": True, "worse": False}


def test_a_loss_of_exactly_what_is_close_is_close(make_comparison):
    comparison = make_comparison({"best": 957, "close": 950, "far": 949})
    best, close, far = comparison.models

    assert best.accuracy - close.accuracy > CLOSE  # as binary fractions
    assert comparison.pair(best, close).p_value < 0.05
    assert is_good_enough(comparison, close)
    assert not is_good_enough(comparison, far)


@pytest.mark.parametrize("names", [("exact", "rough"), ("rough", "exact")])
def test_of_models_that_cost_the_same_the_more_accurate_is_chosen(make_comparison, names):
    right = {"exact": 938, "rough": 936}
    comparison = make_comparison(
        {"best": 940} | {name: right[name] for name in names},
        sizes=[90, 14, 14],
        speeds=[(9, 100, 900), (1, 2000, 300), (1, 2000, 300)],
    )

    assert {choice.model.name for choice in choose(comparison)} == {"exact"}
    limited = replace(comparison, limits=Limits(max_mb=20e-6, max_ms=2, min_titles_per_s=1000))
    assert {choice.model.name for choice in within_limits(limited, [])} == {"exact"}


def test_the_cheapest_good_enough_model_is_chosen_for_each_constraint(make_comparison):
    comparison = make_comparison(
        {
            "teacher": 940,
            "student": 936,
            "int8": 935,
            "fasttext": 900,
            "forest": 820,
        },
        sizes=[450, 50, 14, 16, 54],
        speeds=[
            (15, 100, 900),
            (0.9, 2000, 300),
            (1.1, 2600, 200),
            (0.1, 7000, 140),
            (40, 1700, 1000),
        ],
        training_seconds=[3600, 900, None, None, None],
    )

    chosen = {choice.constraint.id: choice.model.name for choice in choose(comparison)}

    assert chosen == {
        "size": "int8",
        "latency": "student",
        "throughput": "int8",
        "memory": "int8",
        "training": "student",
    }
    assert [model.name for model in cheaper_at_a_price(comparison)] == ["fasttext"]


def test_a_model_made_from_others_does_not_say_what_they_took(make_comparison):
    (model,) = make_comparison({"model": 940}, training_seconds=[900]).models
    manifest = model.candidate.manifest

    def with_settings(**hyperparameters: object) -> float | None:
        provenance = replace(manifest.provenance, hyperparameters=hyperparameters)
        candidate = replace(model.candidate, manifest=replace(manifest, provenance=provenance))
        return training_seconds(replace(model, candidate=candidate))

    assert with_settings(epochs=3) == 900
    assert with_settings(teacher={"name": "teacher"}, epochs=3) is None
    assert with_settings(source={"name": "encoder"}, heads=10) is None


def test_no_choice_is_made_among_one(make_comparison):
    comparison = make_comparison({"best": 950, "worse": 600}, sizes=[9, 1])

    assert choose(comparison) == []
    assert [model.name for model in cheaper_at_a_price(comparison)] == ["worse"]


def test_within_a_limit_that_the_good_ones_exceed_the_most_accurate_is_named(make_comparison):
    """The teacher is above all limits; of the others that fit one, the most accurate counts."""
    comparison = make_comparison(
        {"teacher": 940, "student": 920, "int8": 919, "fasttext": 900},
        sizes=[107_500_000, 45_100_000, 12_100_000, 16_100_000],
        speeds=[(35.8, 255, 900), (1.9, 952, 300), (1.0, 2538, 200), (0.1, 9074, 140)],
    )

    choices = choose(comparison)
    chosen = {each.constraint.id: each for each in within_limits(comparison, choices)}

    assert choices == []
    assert {name: each.model.name for name, each in chosen.items()} == {
        "size": "int8",
        "latency": "student",
        "throughput": "int8",
    }
    assert chosen["size"].constraint.where == "a model may have 15 MB"
    assert chosen["throughput"].constraint.where == "1,000 titles a second are needed"
    assert round(chosen["latency"].loss, 9) == 0.02

    generous = replace(comparison, limits=Limits(200, 50, 100))
    assert within_limits(generous, choices) == []
    impossible = replace(comparison, limits=Limits(1, 0.01, 1e6))
    assert within_limits(impossible, choices) == []


def test_a_limit_that_a_choice_keeps_needs_no_other(make_comparison):
    comparison = make_comparison({"teacher": 940, "int8": 936, "fasttext": 900}, sizes=[90, 14, 1])
    comparison = replace(comparison, limits=Limits(max_mb=20e-6))

    assert [choice.model.name for choice in choose(comparison)] == ["int8"]
    assert within_limits(comparison, choose(comparison)) == []
