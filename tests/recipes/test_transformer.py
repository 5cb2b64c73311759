import pytest

from models.errors import UsageError
from recipes.transformer import TransformerCost, transformer_cost


def test_both_tables_have_the_lengths_that_are_asked_for():
    layer, others = transformer_cost(
        TransformerCost(d_model=8, heads=2, d_ff=16, lengths=(4, 6))
    ).split("\n\n")

    assert [line.split()[1] for line in layer.splitlines()[2:]] == ["4", "6"]
    assert [line.split()[1] for line in others.splitlines()[2:]] == ["4"] * 3 + ["6"] * 3


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [((0,), "at least 1"), ((4, -1), "at least 1"), ((), "given at least once")],
)
def test_a_length_below_1_or_none_is_refused(lengths: tuple[int, ...], expected: str):
    with pytest.raises(UsageError, match=f"lengths must be {expected}, not"):
        TransformerCost(lengths=lengths)


def test_a_width_that_the_heads_do_not_divide_is_refused():
    with pytest.raises(UsageError, match="d_model 512 cannot be cut into 3 equal heads"):
        TransformerCost(heads=3)


def test_what_does_not_fit_into_memory_is_counted_and_not_measured():
    text = transformer_cost(TransformerCost(d_model=8, heads=1, d_ff=8, lengths=(2_000_000_000,)))

    assert text.splitlines()[2].endswith("| – | – | – |")
    assert all(line.endswith("| – |") for line in text.splitlines()[-3:])
