import torch

from models.transformer.seq2seq.key_value_cache import KeyValueCache


def test_keys_and_values_of_later_steps_follow_those_of_earlier_ones():
    cache = KeyValueCache(grows=True)
    keys, values = torch.randn(2, 1, 2, 5, 3)  # (B, H, K, head_dim) each

    assert cache.length == 0
    cache.extend(keys[:, :, :2], values[:, :, :2])
    all_keys, all_values = cache.extend(keys[:, :, 2:], values[:, :, 2:])

    assert cache.length == 5
    assert torch.equal(all_keys, keys)
    assert torch.equal(all_values, values)


def test_reordering_makes_rows_go_on_from_others():
    cache = KeyValueCache(grows=True)
    cache.reorder(torch.tensor([0]))  # empty: nothing to do
    keys = torch.arange(3.0).view(3, 1, 1, 1)
    cache.extend(keys, -keys)

    cache.reorder(torch.tensor([2, 2, 0]))

    assert cache.keys.flatten().tolist() == [2, 2, 0]
    assert cache.values.flatten().tolist() == [-2, -2, 0]
