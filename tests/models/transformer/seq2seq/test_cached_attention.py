import pytest
import torch
from torch.testing import assert_close

from models.transformer.attention import MultiHeadAttention
from models.transformer.masks import causal_mask, over_pairs
from models.transformer.positions import RotaryPositions
from models.transformer.seq2seq.cached_attention import CachedAttention
from models.transformer.seq2seq.key_value_cache import KeyValueCache


@pytest.mark.parametrize("rotary", [None, RotaryPositions(8)])
def test_reading_token_by_token_with_a_cache_equals_reading_all_at_once(
    rotary: RotaryPositions | None,
):
    attention = CachedAttention(16, 2, rotary=rotary).eval()
    x = torch.randn(2, 6, 16)
    at_once, _ = attention(x, x, x, over_pairs(causal_mask(6)))

    cache = KeyValueCache(grows=True)
    steps = [attention(token, token, token, cache=cache)[0] for token in x.split(1, dim=1)]

    assert_close(torch.cat(steps, dim=1), at_once)
    assert cache.length == 6


def test_cross_attention_projects_the_source_once():
    attention = CachedAttention(8, 2).eval()
    memory, cache = torch.randn(1, 4, 8), KeyValueCache(grows=False)
    first, _ = attention(torch.ones(1, 1, 8), memory, memory, cache=cache)

    unread = torch.full_like(memory, torch.nan)
    second, _ = attention(torch.ones(1, 1, 8), unread, unread, cache=cache)

    assert cache.length == 4
    assert torch.equal(first, second)


def test_without_a_cache_it_is_multi_head_attention():
    cached = CachedAttention(16, 2, rotary=RotaryPositions(8)).eval()
    plain = MultiHeadAttention(16, 2, rotary=RotaryPositions(8)).eval()
    plain.load_state_dict(cached.state_dict())
    x, memory = torch.randn(2, 3, 16), torch.randn(2, 5, 16)

    assert torch.equal(cached(x, memory, memory)[0], plain(x, memory, memory)[0])
