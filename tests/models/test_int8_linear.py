from types import SimpleNamespace

import pytest
import torch
from torch import nn

from models import int8_linear
from models.errors import ArtifactError


@pytest.mark.parametrize("bias", [True, False])
def test_a_layer_is_built_again_from_its_tensors(bias: bool):
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(6, 4, bias=bias), nn.Tanh())
    quantized = int8_linear.quantize_linears(network)
    assert [int8_linear.is_int8(part) for part in quantized] == [True, False]

    tensors = int8_linear.to_tensors(quantized[0])
    again = int8_linear.from_tensors(tensors)

    assert tensors["rows"].dtype == torch.int8
    assert tensors["rows"].shape == (4, 6)
    assert ("bias" in tensors) == bias
    largest = network[0].weight.abs().amax(dim=1)
    assert (tensors["scales"] * 127).tolist() == pytest.approx(largest.tolist(), rel=0.01)
    x = torch.randn(3, 6)
    assert torch.equal(again(x), quantized[0](x))


def test_tensors_that_do_not_fit_raise():
    rows, scales = torch.ones(4, 6, dtype=torch.int8), torch.ones(4)

    with pytest.raises(KeyError):
        int8_linear.from_tensors({"rows": rows})
    with pytest.raises(RuntimeError):
        int8_linear.from_tensors({"rows": rows, "scales": scales[:3]})


def test_without_an_engine_for_int8_it_is_named_with_the_way_without_it(
    monkeypatch: pytest.MonkeyPatch,
):
    network = nn.Sequential(nn.Linear(6, 4))
    tensors = int8_linear.to_tensors(int8_linear.quantize_linears(network)[0])
    monkeypatch.setattr(torch.backends, "quantized", SimpleNamespace(engine="none"))

    said = r"no engine for int8 \(torch\.backends\.quantized\.engine is 'none'\).*--method onnx"
    with pytest.raises(ArtifactError, match=said):
        int8_linear.quantize_linears(network)
    with pytest.raises(ArtifactError, match=said):
        int8_linear.from_tensors(tensors)
