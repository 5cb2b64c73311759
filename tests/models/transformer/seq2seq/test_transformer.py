import pytest
import torch
from torch.nn import functional as F

from models.errors import ShapeError
from models.transformer.layer_config import LayerConfig
from models.transformer.seq2seq.transformer import Transformer
from models.transformer.study.torch_reference import TorchTransformer

from ..references import assert_close, scatter

SMALL = LayerConfig(16, 4, 32, dropout=0.0)
SOURCE = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]])
TARGET = torch.tensor([[1, 5, 6, 7, 8], [1, 9, 3, 0, 0]])


def test_logits_of_4_by_20_targets_over_2000_tokens():
    model = Transformer(1000, 2000, LayerConfig(512, 8, 64), num_layers=1)

    logits = model(torch.randint(3, 1000, (4, 10)), torch.randint(3, 2000, (4, 20)))

    assert logits.shape == (4, 20, 2000)
    assert_close(logits.softmax(-1).sum(-1), torch.ones(4, 20))
    assert not torch.allclose(logits.sum(-1), torch.ones(4, 20))


def test_equals_the_model_around_torchs_transformer():
    torch.manual_seed(0)
    theirs = scatter(TorchTransformer(10, 12, SMALL, num_layers=2))
    ours = Transformer(10, 12, SMALL, num_layers=2)
    theirs.copy_to(ours)
    real = TARGET != 0

    assert_close(ours(SOURCE, TARGET)[real], theirs(SOURCE, TARGET)[real])
    assert_close(ours.encode(SOURCE)[SOURCE != 0], theirs.encode(SOURCE)[SOURCE != 0])


@pytest.mark.parametrize("positions", ["fixed", "learned"])
@pytest.mark.parametrize("norm_first", [True, False])
def test_equals_torchs_with_any_positions_and_place_of_the_norm(positions: str, norm_first: bool):
    torch.manual_seed(0)
    layer = LayerConfig(16, 4, 32, dropout=0.0, norm_first=norm_first, activation="gelu_tanh")
    theirs = scatter(TorchTransformer(10, 12, layer, num_layers=2, positions=positions))
    ours = Transformer(10, 12, layer, num_layers=2, positions=positions)
    theirs.copy_to(ours)
    real = TARGET != 0

    assert_close(ours(SOURCE, TARGET)[real], theirs(SOURCE, TARGET)[real])


def test_learned_positions_are_learned_and_saved_on_both_sides_and_end_where_they_end():
    model = Transformer(10, 12, SMALL, num_layers=1, max_len=5, positions="learned")
    model(SOURCE, TARGET).sum().backward()

    for side, length in ((model.encoder, 4), (model.decoder, 5)):
        gradient = side.embedding.positions.table.grad
        assert gradient[:length].ne(0).any(dim=1).all()
        assert gradient[length:].eq(0).all()
        assert "embedding.positions.table" in side.state_dict()
    with pytest.raises(ShapeError, match=r"ends at 6, but the position table \(5, 16\) ends at 5"):
        model(SOURCE, F.pad(TARGET, (0, 1), value=3))


def test_learned_positions_tell_the_order():
    model = Transformer(10, 12, SMALL, num_layers=1, positions="learned").eval()

    assert not torch.allclose(model(SOURCE[:1].flip(1), TARGET[:1]), model(SOURCE[:1], TARGET[:1]))


def test_softmax_before_cross_entropy_would_take_most_of_the_gradient():
    answer = torch.tensor([2])
    gradients = []
    for prepare in (lambda logits: logits, lambda logits: logits.softmax(-1)):
        logits = torch.tensor([[4.0, 0.0, 0.0, 0.0]], requires_grad=True)  # sure, and wrong
        F.cross_entropy(prepare(logits), answer).backward()
        gradients.append(logits.grad.norm().item())

    once, twice = gradients
    assert once > 1
    assert twice < 0.05 * once


def test_one_pass_over_the_target_gives_what_step_by_step_reading_gives():
    model = Transformer(10, 12, SMALL, num_layers=2).eval()
    at_once = model(SOURCE, TARGET)

    memory, cache = model.encode(SOURCE), model.new_cache()
    steps = [model.decode(token, memory, SOURCE, cache) for token in TARGET.split(1, dim=1)]

    real = TARGET != 0
    assert_close(torch.cat(steps, dim=1)[real], at_once[real])


def test_padding_the_source_further_changes_nothing():
    model = Transformer(10, 12, SMALL, num_layers=2).eval()

    assert_close(model(F.pad(SOURCE, (0, 3)), TARGET), model(SOURCE, TARGET))


def test_the_right_shifted_target_learns_to_copy_the_source():
    torch.manual_seed(0)
    model = Transformer(9, 9, LayerConfig(32, 4, 64, dropout=0.0), num_layers=1)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    losses = []
    for _ in range(60):
        source = torch.randint(3, 9, (32, 4))
        target = F.pad(F.pad(source, (1, 0), value=1), (0, 1), value=2)  # <bos> … <eos>
        logits = model(source, target[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    assert losses[0] > 1.8
    assert losses[-1] < 0.5


def test_rotary_layers_need_no_position_table():
    model = Transformer(10, 12, LayerConfig(16, 4, 32, rotary=True), num_layers=1, max_len=2)

    assert model(SOURCE, TARGET).shape == (2, 5, 12)
