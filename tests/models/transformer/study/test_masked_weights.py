import torch

from models.transformer.attention import scaled_dot_product_attention
from models.transformer.study.masked_weights import masked_weights


def test_hidden_cells_of_the_heat_map_are_exactly_zero_and_rows_sum_to_one():
    for causal in (False, True):
        found = masked_weights(causal)

        assert found.weights[found.hidden].eq(0.0).all()
        assert found.weights[~found.hidden].gt(0.0).all()
        torch.testing.assert_close(found.weights.sum(dim=1), torch.ones(6))


def test_padding_hides_columns_and_the_future_what_is_right_of_the_diagonal():
    assert masked_weights(causal=False).hidden.int().tolist() == [[0, 0, 0, 0, 1, 1]] * 6
    assert masked_weights(causal=True).hidden.int().tolist() == [
        [0, 1, 1, 1, 1, 1],
        [0, 0, 1, 1, 1, 1],
        [0, 0, 0, 1, 1, 1],
        *[[0, 0, 0, 0, 1, 1]] * 3,
    ]


def test_the_weights_are_those_of_attention():
    found = masked_weights(causal=True)
    query, key = found.scores * 6**0.5, torch.eye(6)  # q kᵀ / √d_k is `scores`

    _, weights = scaled_dot_product_attention(query, key, key, found.hidden)

    torch.testing.assert_close(weights, found.weights)
