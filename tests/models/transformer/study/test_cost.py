import pytest
import torch

from models.transformer.encoder import EncoderLayer
from models.transformer.layer_config import LayerConfig
from models.transformer.seq2seq.decoder import DecoderLayer
from models.transformer.seq2seq.language_model import LanguageModel
from models.transformer.study import cost

BASE = LayerConfig()


@pytest.mark.parametrize("layer", [LayerConfig(64, 4, 128), LayerConfig(10, 3, 7, head_dim=4)])
def test_parameters_by_component_are_those_of_the_layer(layer: LayerConfig):
    parts = cost.parameters_by_component(layer)

    assert sum(parts.values()) == cost.parameters(EncoderLayer(layer))
    assert 2 * parts["attention"] + parts["feed_forward"] + 3 * parts["norms"] // 2 == (
        cost.parameters(DecoderLayer(layer))
    )


def test_the_notes_split_of_33472_parameters():
    assert cost.parameters_by_component(LayerConfig(64, 4, 128)) == {
        "attention": 12_480 + 4_160,
        "feed_forward": 8_320 + 8_256,
        "norms": 256,
    }


def test_six_encoder_and_six_decoder_layers_of_the_base_model_hold_44_million_parameters():
    layers = [EncoderLayer(BASE), DecoderLayer(BASE)]

    assert 6 * sum(map(cost.parameters, layers)) == 44_138_496


@pytest.mark.parametrize(
    ("length", "attention", "feed_forward"),
    [(128, 33.6, 268.4), (512, 536.9, 1073.7), (1024, 2147.5, 2147.5), (2048, 8590, 4295)],
)
def test_the_notes_table_counts_feed_forward_at_half_our_unit(
    length: int, attention: float, feed_forward: float
):
    found = cost.flops(BASE, length)

    assert found.attention / 1e6 == pytest.approx(attention, rel=2e-3)
    assert found.feed_forward / 1e6 == pytest.approx(2 * feed_forward, rel=2e-3)


def test_attention_meets_feed_forward_at_d_ff_and_with_its_projections_2d_earlier():
    assert cost.crossing(BASE) == 2048
    assert cost.crossing(BASE, with_projections=True) == 1024

    there = cost.flops(BASE, 2048)
    assert there.attention == there.feed_forward
    with_projections = cost.flops(BASE, 1024)
    assert with_projections.attention + with_projections.projections == (
        with_projections.feed_forward
    )


def test_flops_are_what_torch_counts():
    from torch.utils.flop_counter import FlopCounterMode

    layer = LayerConfig(32, 4, 80, head_dim=6)
    with FlopCounterMode(display=False) as counter:
        EncoderLayer(layer)(torch.randn(1, 17, 32), need_weights=True)

    assert counter.get_total_flops() == cost.flops(layer, 17).total


def test_attentions_memory_grows_with_the_square_of_the_length():
    short, long = cost.activation_bytes(BASE, 256), cost.activation_bytes(BASE, 512)

    assert short.attention == 4 * 8 * 256 * 256
    assert short.projections == 4 * 256 * (512 + 4 * 512)  # the input, Q, K, V and the output
    assert short.feed_forward == 4 * 256 * (512 + 2 * 2048)
    assert long.attention == 4 * short.attention
    assert long.feed_forward == 2 * short.feed_forward


def test_what_generation_keeps_grows_with_each_token():
    layer = LayerConfig(12, 2, 16, head_dim=5)
    model = LanguageModel(9, layer, num_layers=3).eval()
    cache = model.new_cache()
    for tokens in (1, 2, 3):
        model(torch.tensor([[4]]), cache)
        kept = [tensor for each in cache.layers for tensor in (each.own.keys, each.own.values)]

        assert sum(tensor.nbytes for tensor in kept) == cost.cache_bytes(layer, 3, tokens)


def test_the_table_has_a_row_a_length_with_measured_times():
    lines = cost.table(LayerConfig(16, 2, 32), [8, 2048], repeats=1).splitlines()

    assert len(lines) == 4
    assert {line.count("|") for line in lines} == {10}
    assert lines[2].startswith("| 8 | 0.0 | 0.0 | 0.0 | 0.25 |")
    assert lines[3].startswith("| 2,048 | 4.2 | 268.4 | 4.2 | 64.00 |")
    assert all(float(cell) >= 0 for cell in lines[3].split("|")[-4:-1])


def test_layers_that_would_not_fit_into_memory_are_not_measured(monkeypatch: pytest.MonkeyPatch):
    layer = LayerConfig(16, 2, 32)
    weights = sum(cost.parameters_by_component(layer).values())
    vectors = 8 * (16 + 4 * 16 + 32)  # inputs, the four projections, the neurons

    for numbers, measured in ((weights + vectors, True), (weights + vectors - 1, False)):
        monkeypatch.setattr(cost, "MEASURED_NUMBERS", numbers)
        row = cost.table(layer, [8], repeats=1).splitlines()[-1]
        assert row.endswith("| – | – | – |") != measured


def test_times_may_be_left_out():
    assert cost.table(LayerConfig(16, 2, 32), [8], repeats=0).endswith("| – | – | – |")
