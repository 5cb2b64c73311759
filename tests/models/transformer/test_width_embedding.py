import torch

from models.transformer.width_embedding import WidthEmbedding

from .references import assert_close


def counting() -> WidthEmbedding:
    """Token 0 is padding, 1 a Latin letter, 2 a Chinese character; vectors tell their row."""
    embedding = WidthEmbedding(3, 2)
    embedding.piece_widths.copy_(torch.tensor([[0, 0], [1, 1], [1, 2]]))
    rows = torch.arange(embedding.table.num_embeddings)
    embedding.table.weight.data = torch.stack([rows, 1000.0 * rows], dim=1)
    return embedding


def test_a_titles_vector_is_that_of_its_characters_plus_that_of_its_columns():
    ids = torch.tensor([[1, 2, 2], [0, 1, 0]])

    characters, columns = torch.tensor([3, 1]), torch.tensor([5, 1])
    row_sums = characters + (65 + columns)  # the rows of columns follow 0 … 64 characters
    assert_close(counting()(ids), torch.stack([row_sums, 1000 * row_sums], dim=1).float())


def test_padding_changes_nothing():
    assert_close(counting()(torch.tensor([[2, 1]])), counting()(torch.tensor([[2, 1, 0, 0]])))


def test_longer_titles_count_as_the_longest_that_is_told_apart():
    embedding = counting()

    assert_close(embedding(torch.full((1, 64), 2)), embedding(torch.full((1, 90), 2)))
    last = embedding.table.weight[64] + embedding.table.weight[-1]
    assert_close(embedding(torch.full((1, 90), 2))[0], last)


def test_the_limits_are_the_models():
    embedding = WidthEmbedding(3, 2, limits=(3, 5))
    embedding.piece_widths.copy_(torch.tensor([[0, 0], [1, 1], [1, 2]]))
    embedding.table.weight.data = torch.arange(20.0).view(10, 2)

    assert embedding(torch.tensor([[2, 2, 2, 2]])).tolist() == [[6.0 + 18.0, 7.0 + 19.0]]
    assert embedding(torch.tensor([[1, 2, 0, 0]])).tolist() == [[4.0 + 14.0, 5.0 + 15.0]]


def test_at_first_every_width_is_the_same():
    ids = torch.tensor([[1, 2, 2], [0, 1, 0]])

    assert WidthEmbedding(3, 4)(ids).tolist() == [[0.0] * 4] * 2
