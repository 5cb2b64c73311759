import pytest

from evaluation.advice import CLOSE, advise, is_good_enough
from evaluation.limits import Limits


def test_close_or_not_told_apart_is_good_enough(make_comparison):
    """Of 1,000 titles: 0.6 points less; 2 points less but both ways; 2 points less one way."""
    right = {
        "best": 940,
        "close": 934,
        "uneven": [True] * 920 + [False] * 80,
        "worse": 920,
    }
    comparison = make_comparison(right)
    best, _, other, _ = comparison.models

    enough = {model.name: is_good_enough(comparison, model, best) for model in comparison.models}

    uneven = comparison.pair(best, other)
    assert (uneven.only_first, uneven.only_second) == (80, 60)
    assert uneven.p_value > 0.05
    assert enough == {"best": True, "close": True, "uneven": True, "worse": False}


def test_a_loss_of_exactly_what_is_close_is_close(make_comparison):
    comparison = make_comparison({"best": 957, "close": 950, "far": 949})
    best, close, far = comparison.models

    assert best.score - close.score > CLOSE  # as binary fractions
    assert comparison.pair(best, close).p_value < 0.05
    assert is_good_enough(comparison, close, best)
    assert not is_good_enough(comparison, far, best)


def test_a_large_loss_is_never_good_enough_however_few_the_titles(make_comparison):
    """Of 50 titles 3 points may be chance, and so may 6; the latter are too much all the same."""
    comparison = make_comparison({"best": 48, "near": 46, "far": 45}, of=50)
    best, near, far = comparison.models

    assert comparison.pair(best, far).p_value > 0.05
    assert is_good_enough(comparison, near, best)
    assert not is_good_enough(comparison, far, best)


@pytest.mark.parametrize("names", [("exact", "rough"), ("rough", "exact")])
def test_of_models_that_cost_the_same_the_more_accurate_is_chosen(make_comparison, names):
    right = {"exact": 938, "rough": 936}
    comparison = make_comparison(
        {"best": 940} | {name: right[name] for name in names},
        sizes=[90, 14, 14],
        speeds=[(9, 100, 900), (1, 2000, 300), (1, 2000, 300)],
    )

    advice = advise(comparison)

    assert [(role, model.name) for role, model in advice.picks] == [
        ("Most accurate", "best"),
        ("Smallest good one", "exact"),
        ("Fastest good one", "exact"),
    ]


def test_the_fastest_good_one_is_recommended_and_the_smallest_without_speeds(make_comparison):
    right = {"teacher": 940, "student": 936, "int8": 935, "fasttext": 900, "forest": 820}
    sizes = [450, 50, 14, 16, 54]
    speeds = [(15, 100, 900), (0.9, 2000, 300), (1.1, 2600, 200), (0.1, 7000, 140), (40, 17, 10)]

    timed, untimed = (
        advise(make_comparison(right, sizes=sizes, speeds=given)) for given in (speeds, ())
    )

    assert timed.recommended.name == "student"
    assert timed.smallest.name == "int8"
    assert untimed.recommended.name == "int8"
    assert [role for role, _ in untimed.picks] == ["Most accurate", "Smallest good one"]


def test_no_limit_counts_unless_it_is_given():
    assert Limits().words == []
    assert Limits().allow(10**12, None)
    assert Limits(15, 2, 1000).words == [
        "at most 15 MB",
        "at most 2 ms a title",
        "at least 1,000 titles/s",
    ]


def test_within_limits_the_good_ones_are_those_beside_the_best_that_keeps_them(make_comparison):
    """The teacher is too large; beside the student, int8 is good, and fastText is not."""
    comparison = make_comparison(
        {"teacher": 940, "student": 920, "int8": 919, "fasttext": 900},
        sizes=[107_500_000, 45_100_000, 12_100_000, 16_100_000],
        speeds=[(35.8, 255, 900), (1.9, 952, 300), (1.0, 2538, 200), (0.1, 9074, 140)],
        limits=Limits(max_mb=50, max_ms=2),
    )

    advice = advise(comparison)

    assert advice.within_limits
    assert (advice.best.name, advice.recommended.name) == ("student", "int8")
    assert comparison.best.name == "teacher"


@pytest.mark.parametrize(
    ("limits", "allowed"),
    [
        (Limits(max_mb=45), True),
        (Limits(max_mb=44), False),
        (Limits(max_ms=1.9), True),
        (Limits(max_ms=1.8), False),
        (Limits(min_titles_per_s=952), True),
        (Limits(min_titles_per_s=953), False),
    ],
)
def test_a_limit_is_kept_up_to_its_value(make_comparison, limits: Limits, allowed: bool):
    comparison = make_comparison({"a": 900}, sizes=[45_000_000], speeds=[(1.9, 952, 300)])
    (model,) = comparison.models

    assert limits.allow(model.size_bytes, model.speed) == allowed
    assert not Limits(max_ms=1e9).allow(1, None)


def test_limits_that_no_model_keeps_are_left_aside(make_comparison):
    comparison = make_comparison({"a": 940, "b": 900}, sizes=[90, 14], limits=Limits(max_mb=1e-6))

    advice = advise(comparison)

    assert not advice.within_limits
    assert advice.recommended.name == "a"


def test_a_model_that_has_learned_nothing_is_good_only_where_all_are_like_it(make_comparison):
    guessing = make_comparison({"large": 350, "small": 349}, sizes=[90, 1])

    assert advise(guessing).recommended.name == "large"
