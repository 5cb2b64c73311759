import pytest
import torch

from models.errors import ShapeError, UsageError
from models.transformer import masks


def test_padding_mask_hides_what_lies_behind_each_length():
    mask = masks.padding_mask(torch.tensor([3, 1, 0]), 3)

    assert mask.tolist() == [[False, False, False], [False, True, True], [True, True, True]]


def test_a_length_beyond_max_len_is_refused():
    with pytest.raises(UsageError, match=r"lengths must lie in \[0, 3\], got \[2, 4\]"):
        masks.padding_mask(torch.tensor([2, 4]), 3)


def test_lengths_must_be_a_vector():
    with pytest.raises(ShapeError, match=r"lengths are \(1, 2\), expected \(batch,\)"):
        masks.padding_mask(torch.tensor([[2, 1]]), 3)


def test_padding_mask_from_ids_equals_the_one_from_lengths():
    ids = torch.tensor([[5, 6, 7], [5, 1, 1]])

    from_ids = masks.padding_mask_from_ids(ids, pad_id=1)

    assert torch.equal(from_ids, masks.padding_mask(torch.tensor([3, 1]), 3))


def test_causal_mask_hides_the_future_but_not_the_present():
    assert masks.causal_mask(3).int().tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 0]]


def test_hugging_faces_mask_means_the_opposite_and_converts_both_ways():
    attention_mask = torch.tensor([[1, 1, 0], [1, 0, 0]])

    hidden = masks.from_attention_mask(attention_mask)

    assert hidden.tolist() == [[False, False, True], [False, True, True]]
    assert torch.equal(masks.to_attention_mask(hidden), attention_mask)


def test_lifted_masks_have_the_rank_of_the_scores():
    assert masks.over_keys(torch.zeros(4, 10, dtype=torch.bool)).shape == (4, 1, 1, 10)
    assert masks.over_pairs(masks.causal_mask(10)).shape == (1, 1, 10, 10)


def test_hidden_by_any_joins_padding_and_future():
    padding = masks.over_keys(torch.tensor([[False, True], [False, False]]))
    causal = masks.over_pairs(masks.causal_mask(2))

    both = masks.hidden_by_any(padding, None, causal)

    assert both is not None
    assert both[:, 0].int().tolist() == [[[0, 1], [0, 1]], [[0, 1], [0, 0]]]
    assert masks.hidden_by_any(None, None) is None


def test_a_4d_mask_on_3d_scores_is_refused_not_broadcast():
    causal = masks.over_pairs(masks.causal_mask(10))
    silently_wrong = torch.zeros(4, 10, 10).masked_fill(causal, 0.0)
    assert silently_wrong.shape == (1, 4, 10, 10)  # what torch would do: the notes' trap

    with pytest.raises(ShapeError) as caught:
        masks.require_fit(causal, (4, 10, 10))

    assert str(caught.value) == (
        "mask (1, 1, 10, 10) has rank 4, the scores (4, 10, 10) have rank 3; lift it with "
        "masks.over_keys or masks.over_pairs"
    )


@pytest.mark.parametrize("shape", [(3, 1, 1, 10), (4, 8, 9, 10), (4, 1, 1, 9), (4, 1, 10, 1)])
def test_a_size_that_is_neither_equal_nor_1_is_refused(shape: tuple[int, ...]):
    with pytest.raises(ShapeError) as caught:
        masks.require_fit(torch.zeros(shape, dtype=torch.bool), (4, 8, 10, 10))

    assert str(caught.value).startswith(f"mask {shape} does not fit the scores (4, 8, 10, 10)")


def test_a_mask_of_0_and_1_is_refused_because_it_may_mean_the_opposite():
    with pytest.raises(UsageError, match=r"expected bool with True = hidden; convert Hugging Face"):
        masks.over_keys(torch.ones(4, 10, dtype=torch.long))
    with pytest.raises(UsageError, match=r"expected bool"):
        masks.require_fit(torch.ones(4, 8, 10, 10), (4, 8, 10, 10))


def test_only_a_matrix_can_be_lifted():
    with pytest.raises(ShapeError, match=r"padding mask is \(10,\), expected \(batch, key_len\)"):
        masks.over_keys(torch.zeros(10, dtype=torch.bool))
