from itertools import pairwise

import torch
from hypothesis import given
from hypothesis import strategies as st

from training.batches import LengthBucketedBatches, pad


@given(
    lengths=st.lists(st.integers(1, 64), min_size=1, max_size=400),
    batch_size=st.integers(1, 40),
    epoch=st.integers(0, 5),
)
def test_every_row_occurs_once_an_epoch(lengths: list[int], batch_size: int, epoch: int):
    batches = LengthBucketedBatches(lengths, batch_size, seed=3)

    rows = batches.epoch(epoch)

    assert sorted(i for batch in rows for i in batch) == list(range(len(lengths)))
    assert len(rows) == len(batches)
    assert max(map(len, rows)) <= batch_size


def test_an_epochs_order_is_fixed_by_seed_and_number():
    batches = LengthBucketedBatches([5, 9, 7, 3] * 30, 8, seed=1)

    assert batches.epoch(2) == LengthBucketedBatches([5, 9, 7, 3] * 30, 8, seed=1).epoch(2)
    assert batches.epoch(2) != batches.epoch(3)
    assert batches.epoch(2) != LengthBucketedBatches([5, 9, 7, 3] * 30, 8, seed=2).epoch(2)


def test_little_is_padded():
    generator = torch.Generator().manual_seed(0)
    lengths = torch.randint(5, 40, (6400,), generator=generator).tolist()

    batches = LengthBucketedBatches(lengths, 32, seed=0).epoch(0)

    padded = sum(max(lengths[i] for i in batch) * len(batch) for batch in batches)
    assert padded / sum(lengths) < 1.03  # in random order it would be 1.75


def test_pad_fills_the_right_end_and_masks_it():
    batch = pad([[7, 8, 9], [5]], pad_id=1)

    assert batch["input_ids"].tolist() == [[7, 8, 9], [5, 1, 1]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1], [1, 0, 0]]


def test_rows_are_shuffled_before_they_share_a_batch_and_batches_before_they_are_read():
    lengths = list(range(200))  # two pools of 50 batches of 2

    first, second = (LengthBucketedBatches(lengths, 2, seed=0).epoch(i) for i in (0, 1))

    assert {frozenset(batch) for batch in first} != {frozenset(batch) for batch in second}
    shortest = [min(batch) for batch in first]
    descents = sum(a > b for a, b in pairwise(shortest))
    assert 35 < descents < 65  # sorted pools would give 1, a random order gives half of 99
