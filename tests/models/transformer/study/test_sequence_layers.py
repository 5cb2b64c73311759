"""The table's columns, each against torch's own layers."""

import pytest
import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from models.transformer.attention import MultiHeadAttention
from models.transformer.study.sequence_layers import KERNEL, LAYERS, comparison

ATTENTION, LSTM, CONVOLUTION = LAYERS
N, D = 9, 8


def _flops(run: object, *inputs: Tensor) -> int:
    with FlopCounterMode(display=False) as counter:
        run(*inputs)
    return counter.get_total_flops()


def test_flops_are_what_torch_counts():
    x = torch.randn(1, N, D)
    attention = MultiHeadAttention(D, 1)
    assert _flops(lambda x: attention(x, x, x, need_weights=True), x) == ATTENTION.flops(N, D)

    cell = nn.LSTMCell(D, D)  # one step of an LSTM
    assert N * _flops(lambda x: cell(x[:, 0]), x) == LSTM.flops(N, D)

    convolution = nn.Conv1d(D, D, KERNEL, padding="same")
    assert _flops(convolution, x.transpose(1, 2)) == CONVOLUTION.flops(N, D)


def _reaches(layers: list, n: int) -> bool:
    """Whether the last token's output depends on the first token's input."""
    x = torch.randn(1, n, D, requires_grad=True)
    y = x
    for layer in layers:
        y = layer(y)
    (gradient,) = torch.autograd.grad(y[0, -1].sum(), x)
    return bool(gradient[0, 0].ne(0).any())


@pytest.mark.parametrize("n", [2, 5, 8])
def test_so_many_convolutions_lie_between_the_ends_and_one_attention(n: int):
    stack = [nn.Conv1d(D, D, KERNEL, padding="same") for _ in range(CONVOLUTION.path(n))]
    layers = [lambda x, c=c: c(x.transpose(1, 2)).transpose(1, 2) for c in stack]
    attention = MultiHeadAttention(D, 1).eval()

    assert _reaches(layers, n)
    assert not _reaches(layers[:-1], n)
    assert _reaches([lambda x: attention(x, x, x)[0]], n)
    assert (ATTENTION.path(n), LSTM.path(n)) == (1, n - 1)


def test_a_token_is_no_way_from_itself():
    assert [layer.path(1) for layer in LAYERS] == [0, 0, 0]


def test_only_recurrence_waits_for_itself():
    assert [layer.serial_steps(512) for layer in LAYERS] == [1, 512, 1]


def test_attention_costs_less_than_an_lstm_below_twice_its_width():
    assert ATTENTION.flops(2 * D, D) == LSTM.flops(2 * D, D)
    assert ATTENTION.flops(2 * D - 1, D) < LSTM.flops(2 * D - 1, D)


def test_the_table_has_a_row_a_length_and_layer():
    lines = comparison(512, [32, 2048], repeats=0).splitlines()

    assert lines[2] == "| 32 | self-attention | 69.2 | 1 | 1 | – |"
    assert lines[3] == "| 32 | LSTM | 134.2 | 31 | 32 | – |"
    assert lines[4] == "| 32 | convolution of 3 | 50.3 | 31 | 1 | – |"
    assert lines[6] == "| 2,048 | LSTM | 8,589.9 | 2,047 | 2,048 | – |"
    assert len(lines) == 8


def test_times_are_measured_on_request():
    lines = comparison(8, [4], repeats=1).splitlines()[2:]

    assert all(float(line.split("|")[-2]) >= 0 for line in lines)
