"""What the translator learns from: the target, shifted right; padding does not count."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from sentence_pairs import BOS_ID, EOS_ID, PAD_ID, TranslationData
from torch import Tensor, nn

LINES = [f"{a} {b}\t{b}{end} {a}" for a in ("un", "deux", "trois") for b in ("o", "e")
         for end in ("", " o o")]  # fmt: skip


class Constant(nn.Module):
    """Gives every next token the same logits, and remembers what it was shown."""

    def __init__(self, logits: Tensor):
        super().__init__()
        self.logits = nn.Parameter(logits)
        self.seen: list[tuple[Tensor, Tensor]] = []

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        self.seen.append((source, target))
        return self.logits.expand(*target.shape, -1)


@pytest.fixture
def data(tmp_path: Path) -> TranslationData:
    path = tmp_path / "pairs.txt"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return TranslationData.read(path, vocab_size=40, limit=None)


def _loss(data: TranslationData, logits: Tensor, smoothing: float) -> tuple[float, Constant]:
    from translate import TranslationLoss

    model = Constant(logits)
    pairs = [("un o", "o un"), ("un o", "o o o deux un")]
    return TranslationLoss(data, pairs)(model, [0, 1], smoothing).item(), model


def test_the_model_reads_the_target_behind_bos_and_answers_with_what_comes_next(
    data: TranslationData,
):
    _, model = _loss(data, torch.zeros(data.tokenizer.get_vocab_size()), 0.0)

    ((source, shifted),) = model.seen
    short, long = data.encode(["o un", "o o o deux un"])
    assert shifted.tolist() == [
        [BOS_ID, *short[:-1], EOS_ID, *[PAD_ID] * (len(long) - len(short) - 1)],
        [BOS_ID, *long[:-1]],
    ]
    assert source.tolist() == data.encode(["un o"] * 2)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_is_the_mean_over_the_targets_tokens_padding_left_out(
    data: TranslationData, smoothing: float
):
    torch.manual_seed(0)
    logits = torch.randn(data.tokenizer.get_vocab_size())

    found, _ = _loss(data, logits, smoothing)

    costs = -logits.log_softmax(0)
    answers = [token for row in data.encode(["o un", "o o o deux un"]) for token in row]
    expected = (1 - smoothing) * costs[answers].mean() + smoothing * costs.mean()
    assert found == pytest.approx(expected.item(), rel=1e-5)


def test_the_dev_loss_counts_every_token_once(data: TranslationData):
    from translate import TranslationLoss

    torch.manual_seed(0)
    model = Constant(torch.randn(data.tokenizer.get_vocab_size()))
    pairs = [("un o", "o un"), ("deux e", "e o o deux"), ("un e", "e un o deux")]

    found = TranslationLoss(data, pairs).dev_score(model, batch_size=2)

    answers = [token for row in data.encode([target for _, target in pairs]) for token in row]
    expected = -model.logits.log_softmax(0)[answers].mean().item()
    assert found["loss"] == pytest.approx(expected, rel=1e-5)
    assert found["score"] == -found["loss"]
