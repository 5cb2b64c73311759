"""Keep the best few targets at each step, not the best one.

    score(y) = log P(y | x) / ((5 + |y|) / 6)^α       α: length penalty; 0 = the bare probability
Source: Wu et al. 2016, "Google's Neural Machine Translation System", eq. 14.
"""

from __future__ import annotations

import torch
from torch import Tensor

from models.transformer.seq2seq.next_token import NextToken


def beam_search(next_token: NextToken, max_len: int, beam_size: int, alpha: float) -> Tensor:
    """Search for the target with the highest score.

    Args:
        next_token: B sources.
        max_len: tokens of a target, <eos> included, <bos> or prompt not.
        beam_size: targets kept a source, W.
        alpha: length penalty.
    Returns:
        (B, T) ids without <bos> or prompt, padded behind <eos>.
    """
    batch, device = next_token.rows, next_token.source.device
    next_token.reorder(torch.arange(batch, device=device).repeat_interleave(beam_size))
    start = target = next_token.start()  # (B · W, start)
    totals = torch.full((batch, beam_size), -torch.inf, device=device)
    totals[:, 0] = 0.0  # all beams start alike: only one may count
    lengths = torch.zeros_like(totals)
    finished = torch.zeros_like(totals, dtype=torch.bool)
    for _ in range(max_len):
        totals, beam, token = _best_continuations(
            next_token, target, totals, lengths, finished, beam_size, alpha
        )
        rows = (torch.arange(batch, device=device).unsqueeze(1) * beam_size + beam).flatten()
        target = torch.cat((target[rows], token.flatten().unsqueeze(1)), dim=1)
        next_token.reorder(rows)
        lengths = lengths.gather(1, beam) + ~finished.gather(1, beam)
        finished = finished.gather(1, beam) | (token == next_token.model.eos_id)
        if finished.all():
            break
    best = (totals / length_penalty(lengths, alpha)).argmax(dim=1, keepdim=True)  # (B, 1)
    chosen = target.view(batch, beam_size, -1).take_along_dim(best.unsqueeze(-1), dim=1)
    return chosen[:, 0, start.size(1) :]


def length_penalty(lengths: Tensor, alpha: float) -> Tensor:
    """What the logarithm of a probability is divided by; same shape as `lengths`."""
    return ((5 + lengths) / 6) ** alpha


def _best_continuations(
    next_token: NextToken,
    target: Tensor,
    totals: Tensor,
    lengths: Tensor,
    finished: Tensor,
    beam_size: int,
    alpha: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """The W best of a source's W · V continuations: their totals, beams and tokens, each (B, W).

    A finished target goes on with padding alone, at no cost.
    """
    steps = next_token.log_probabilities(target).view(*totals.shape, -1)  # (B, W, V)
    waiting = torch.full_like(steps, -torch.inf)
    waiting[..., next_token.model.pad_id] = 0.0
    steps = torch.where(finished.unsqueeze(-1), waiting, steps)
    continued = totals.unsqueeze(-1) + steps  # (B, W, V)
    penalty = length_penalty(lengths + ~finished, alpha)
    ranking = (continued / penalty.unsqueeze(-1)).flatten(1)  # (B, W · V)
    best = ranking.topk(beam_size, dim=1).indices
    vocab_size = steps.size(-1)
    return continued.flatten(1).gather(1, best), best // vocab_size, best % vocab_size
