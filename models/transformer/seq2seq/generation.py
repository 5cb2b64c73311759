"""Write a target, one token after another.

Training scores a whole target in one pass, because the true past is known. Here each token waits
for the one before it; what spares work is that the source is read once, and with a cache each
token too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import torch
from torch import Tensor

from models.errors import UsageError
from models.transformer.seq2seq.beam_search import beam_search
from models.transformer.seq2seq.next_token import NextToken, WritingModel
from models.transformer.seq2seq.sampling import keep_top_k, keep_top_p, sample

STRATEGIES = ("greedy", "beam", "top_k", "top_p")


@torch.inference_mode()
def generate(
    model: WritingModel,
    source: Tensor,
    strategy: str = "greedy",
    temperature: float = 1.0,
    max_len: int = 64,
    use_cache: bool = True,
    *,
    beam_size: int = 4,
    length_penalty: float = 0.6,
    top_k: int = 10,
    top_p: float = 0.9,
    seed: int | None = None,
) -> Tensor:
    """Write a target for each source, or go on with each prompt.

    The model is put into evaluation mode meanwhile.

    Args:
        model: what generates.
        source: (B, S) ids, padded with the model's `pad_id`; of a `LanguageModel`, the prompts, all
            of one length.
        strategy: greedy: the most probable token; beam: the best few targets; top_k, top_p: by
            chance among the most probable.
        temperature: divides the logits before a token is drawn; of top_k and top_p.
        max_len: tokens of a target, <eos> included.
        use_cache: keep keys and values; the tokens are the same without.
        beam_size, length_penalty: of beam; a higher penalty favours longer targets.
        top_k, top_p: of the strategies of that name.
        seed: of the draws; None: torch's global generator.
    Returns:
        (B, T) ids, T ≤ max_len, without <bos> or prompt, padded behind <eos>.
    Raises:
        UsageError: an unknown strategy, or an option out of its range.
        ShapeError: `max_len` reaches beyond the model's positions.
    """
    _check(strategy, temperature, max_len, beam_size, length_penalty, top_k, top_p)
    with _evaluation_mode(model):
        next_token = NextToken(model, source, use_cache)
        if strategy == "beam":
            return beam_search(next_token, max_len, beam_size, length_penalty)
        if strategy == "greedy":
            return _write(next_token, max_len, lambda scores: scores.argmax(dim=-1))
        keep = {"top_k": partial(keep_top_k, k=top_k), "top_p": partial(keep_top_p, p=top_p)}
        generator = None if seed is None else torch.Generator(source.device).manual_seed(seed)
        return _write(
            next_token,
            max_len,
            lambda scores: sample(keep[strategy](scores), generator),
            temperature,
        )


def _write(
    next_token: NextToken,
    max_len: int,
    choose: Callable[[Tensor], Tensor],
    temperature: float = 1.0,
) -> Tensor:
    """Write until every row has ended; `choose`: (B, V) log-probabilities to (B,) ids."""
    start = target = next_token.start()  # (B, start)
    finished = torch.zeros_like(target[:, 0], dtype=torch.bool)
    for _ in range(max_len):
        token = choose(next_token.log_probabilities(target, temperature))
        token = token.masked_fill(finished, next_token.model.pad_id)
        target = torch.cat((target, token.unsqueeze(1)), dim=1)
        finished |= token == next_token.model.eos_id
        if finished.all():
            break
    return target[:, start.size(1) :]


@contextmanager
def _evaluation_mode(model: WritingModel) -> Iterator[None]:
    was_training = model.training
    model.train(False)
    try:
        yield
    finally:
        model.train(was_training)


def _check(
    strategy: str,
    temperature: float,
    max_len: int,
    beam_size: int,
    length_penalty: float,
    top_k: int,
    top_p: float,
) -> None:
    if strategy not in STRATEGIES:
        raise UsageError(f"unknown strategy '{strategy}'; expected one of: {', '.join(STRATEGIES)}")
    if not 0 < temperature < math.inf:
        raise UsageError(f"temperature must be above 0, got {temperature}; or take greedy")
    if min(max_len, beam_size, top_k) < 1:
        raise UsageError("max_len, beam_size and top_k must be at least 1")
    if not math.isfinite(length_penalty):
        raise UsageError(f"length_penalty must be a number, got {length_penalty}")
    if not 0 < top_p <= 1:
        raise UsageError(f"top_p must lie in (0, 1], got {top_p}")
