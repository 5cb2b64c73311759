import pytest
import torch
from torch.nn import functional as F

from training.compute import autocast, device, training_step


@pytest.mark.parametrize(
    ("precision", "native", "enabled"),
    [
        ("auto", True, True),
        ("auto", False, False),
        ("bf16", False, True),
        ("fp32", True, False),
    ],
)
def test_auto_is_bf16_where_the_processor_computes_in_it(
    monkeypatch: pytest.MonkeyPatch, precision: str, native: bool, enabled: bool
):
    monkeypatch.setattr("training.compute.has_native_bf16", lambda: native)
    monkeypatch.setattr("training.compute.device", lambda: torch.device("cpu"))

    with autocast(precision):
        product = torch.ones(2, 2) @ torch.ones(2, 2)

    assert product.dtype == (torch.bfloat16 if enabled else torch.float32)


@pytest.mark.skipif(device().type == "cuda", reason="they are for processors")
def test_on_a_processor_a_step_takes_our_kernels_and_what_follows_torchs():
    query = torch.ones(1, 4, 8, 5, requires_grad=True)

    def kernel() -> str:
        return F.scaled_dot_product_attention(query, query, query).grad_fn.name()

    with training_step("fp32"):
        assert kernel() == "_TitleAttentionBackward"
    assert "Flash" in kernel()
