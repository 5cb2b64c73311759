"""Beam search where every probability is written down, so that its choice can be worked out."""

import torch
from torch import Tensor

from models.transformer.seq2seq.beam_search import beam_search
from models.transformer.seq2seq.next_token import NextToken

PAD, BOS, EOS, A, B, C = range(6)
SOURCE = torch.tensor([[A]])


class Written:
    """A model that looks the next token's probabilities up by what stands before it."""

    pad_id, bos_id, eos_id, training = PAD, BOS, EOS, False

    def __init__(self, after: dict[tuple[int, ...], dict[int, float]]):
        self.after = after

    def start(self, source: Tensor) -> Tensor:
        return torch.full((len(source), 1), BOS)

    def encode(self, source: Tensor) -> Tensor:
        return source

    def decode(self, target: Tensor, memory: Tensor, source: Tensor, cache: None = None) -> Tensor:
        logits = torch.full((*target.shape, 6), -torch.inf)
        for row, ids in enumerate(target.tolist()):
            written = tuple(token for token in ids[1:] if token != PAD)
            for token, probability in self.after.get(written, {EOS: 1.0}).items():
                logits[row, -1, token] = torch.tensor(probability).log()
        return logits

    def train(self, mode: bool = True) -> object:
        return self


def _search(after: dict[tuple[int, ...], dict[int, float]], beam_size: int, alpha: float) -> list:
    model = Written(after)
    found = beam_search(NextToken(model, SOURCE, False), 6, beam_size, alpha)[0]
    return [token for token in found.tolist() if token != PAD]


def test_the_final_choice_weighs_the_lengths():
    # [A, EOS]: log 0.55 = −0.598, over 7/6 −0.512, over its square −0.439;
    # [B, C, A, EOS]: log 0.45 = −0.799, over 9/6 −0.532, over its square −0.355
    after = {(): {A: 0.55, B: 0.45}, (B,): {C: 1.0}, (B, C): {A: 1.0}}

    assert _search(after, beam_size=2, alpha=0.0) == [A, EOS]
    assert _search(after, beam_size=2, alpha=1.0) == [A, EOS]
    assert _search(after, beam_size=2, alpha=2.0) == [B, C, A, EOS]


def test_a_finished_target_is_penalised_by_its_own_length_while_others_grow():
    # Second step, α = 1, what is growing over 7/6:  [A, B]: log 0.42 → −0.744;  [A, C]: log 0.28 →
    # −1.091;  [EOS], of length 1: log 0.3 = −1.204, and would be −1.032 if it were of length 2.
    # So [EOS] goes, and [A, C, EOS], log 0.28 over 8/6 = −0.955, is the best that ends.
    after = {
        (): {A: 0.7, EOS: 0.3},
        (A,): {B: 0.6, C: 0.4},
        (A, B): {A: 0.25, B: 0.25, C: 0.25, EOS: 0.25},
    }

    assert _search(after, beam_size=2, alpha=1.0) == [A, C, EOS]


def test_a_wider_beam_finds_what_the_greedy_choice_misses():
    after = {(): {A: 0.6, B: 0.4}, (A,): {A: 0.5, B: 0.5}, (B,): {C: 1.0}}  # 0.30 against 0.40

    assert _search(after, beam_size=1, alpha=0.0)[0] == A
    assert _search(after, beam_size=2, alpha=0.0) == [B, C, EOS]
