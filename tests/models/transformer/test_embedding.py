import pytest
import torch
from torch import nn

from models.errors import ShapeError, UsageError
from models.transformer.embedding import BertEmbedding, PositionedEmbedding, TokenEmbedding
from models.transformer.layer_config import LayerConfig
from models.transformer.positions import LearnedPositions, NoPositions, SinusoidalPositions


def test_ids_of_2_by_20_become_vectors_of_2_by_20_by_512():
    ids = torch.randint(1000, (2, 20))

    assert TokenEmbedding(1000, 512)(ids).shape == (2, 20, 512)


def test_the_vector_is_the_tables_row_times_the_root_of_d_model():
    embedding = TokenEmbedding(5, 16)

    assert torch.equal(embedding(torch.tensor([[3]]))[0, 0], 4 * embedding.weight[3])


def test_scaled_vectors_have_unit_variance_where_torchs_default_has_d_model():
    torch.manual_seed(0)
    ids = torch.arange(4000).unsqueeze(0)

    ours = TokenEmbedding(4000, 64)(ids)
    torchs = nn.Embedding(4000, 64)(ids) * 64**0.5

    assert ours.var(dim=1).mean().item() == pytest.approx(1, abs=0.05)
    assert torchs.var(dim=1).mean().item() == pytest.approx(64, abs=3)


def test_positions_are_added_not_concatenated():
    embedding = PositionedEmbedding(TokenEmbedding(9, 8), SinusoidalPositions(8), dropout=0.0)
    ids = torch.tensor([[4, 4]])

    vectors = embedding(ids, offset=3)

    assert vectors.shape == (1, 2, 8)
    expected = embedding.tokens(ids) + SinusoidalPositions(8).table[3:5]
    assert torch.equal(vectors, expected)


@pytest.mark.parametrize(
    ("positions", "rotary", "kind"),
    [
        ("fixed", False, SinusoidalPositions),
        ("learned", False, LearnedPositions),
        ("fixed", True, NoPositions),
    ],
)
def test_a_stack_gets_the_positions_it_asks_for(positions: str, rotary: bool, kind: type):
    layer = LayerConfig(8, 2, 16, dropout=0.3, rotary=rotary)

    embedding = PositionedEmbedding.of(9, layer, max_len=7, positions=positions)

    assert type(embedding.positions) is kind
    assert embedding.dropout.p == 0.3
    assert rotary or embedding.positions.table.shape == (7, 8)


@pytest.mark.parametrize(("positions", "rotary"), [("sines", False), ("learned", True)])
def test_positions_that_a_stack_cannot_have_are_refused(positions: str, rotary: bool):
    with pytest.raises(UsageError, match=f"got '{positions}' with rotary={rotary}"):
        PositionedEmbedding.of(9, LayerConfig(8, 2, 16, rotary=rotary), 7, positions)


def test_bert_embedding_refuses_a_sequence_beyond_its_positions():
    with pytest.raises(ShapeError, match=r"ends at 6, but the position table \(5, 4\) ends at 5"):
        BertEmbedding(9, 4, max_len=5)(torch.zeros(1, 6, dtype=torch.long))
