"""Batches of titles of similar length, so that next to nothing is spent on padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from titles import LabelledTitles
from training.sampling import sampling_weights
from training.settings import ClassifierSettings

_BATCHES_PER_POOL = 50


@dataclass(frozen=True, eq=False)
class LengthBucketedBatches:
    """Shuffled batches whose members differ little in length.

    The rows are shuffled, cut into pools of 50 batches, sorted by length within a pool, cut into
    batches, and the batches shuffled. An epoch's order depends on the seed and its number alone,
    so an interrupted run can find its place again.

    Args:
        lengths: tokens of each row.
        batch_size: rows in a batch; the last one of a pool may hold fewer.
        seed: of the order.
        weights: (n,) how often each row is read in an epoch on average, of a sum that is whole. A
            row of weight 0.4 is read in four epochs of ten. None: each once an epoch.
        other_share: of the readings; where there is one, there are 2n rows, and row n + i is read
            in place of row i.
    """

    lengths: Sequence[int]
    batch_size: int
    seed: int
    weights: np.ndarray | None = None
    other_share: float = 0.0

    def __len__(self) -> int:
        return -(-self.rows_read // self.batch_size)

    @property
    def rows_read(self) -> int:
        """In an epoch."""
        return self._titles if self.weights is None else round(float(self.weights.sum()))

    def epoch(self, number: int) -> list[list[int]]:
        """The batches of epoch `number`, each a list of row indices."""
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + number)
        order = self._order(generator)
        if self.other_share:
            is_other = torch.rand(len(order), generator=generator) < self.other_share
            order = order + self._titles * is_other
        pool_size = self.batch_size * _BATCHES_PER_POOL
        batches = []
        for start in range(0, len(order), pool_size):
            pool = order[start : start + pool_size].tolist()
            pool.sort(key=lambda row: self.lengths[row])
            batches += [pool[i : i + self.batch_size] for i in range(0, len(pool), self.batch_size)]
        shuffled = torch.randperm(len(batches), generator=generator).tolist()
        return [batches[i] for i in shuffled]

    @property
    def _titles(self) -> int:
        """n: rows that do not stand for others."""
        return len(self.lengths) // 2 if self.other_share else len(self.lengths)

    def _order(self, generator: torch.Generator) -> torch.Tensor:
        """The rows of an epoch, shuffled, (read,) int64."""
        shuffled = torch.randperm(self._titles, generator=generator)
        if self.weights is None:
            return shuffled
        passed = torch.tensor(self.weights)[shuffled].cumsum(dim=0)
        start = torch.rand(1, generator=generator, dtype=torch.float64)
        ends = (passed + start).floor().long()
        ends[-1] = self.rows_read  # whatever the sum was rounded to
        drawn = shuffled.repeat_interleave(ends.diff(prepend=torch.zeros(1, dtype=torch.long)))
        # else copies of a row would share a batch
        return drawn[torch.randperm(len(drawn), generator=generator)]


def classifier_batches(
    titles: LabelledTitles, lengths: Sequence[int], settings: ClassifierSettings
) -> LengthBucketedBatches:
    """The batches in which a classifier reads its titles.

    Args:
        lengths: tokens of each of `training.augmentation.TitleRows`.
    """
    weights = sampling_weights(
        titles, settings.newsroom_balance, settings.label_balance, settings.epoch_titles
    )
    share = settings.augmentation
    return LengthBucketedBatches(lengths, settings.batch_size, settings.seed, weights, share)


def pad(
    rows: Sequence[Sequence[int]], pad_id: int, device: torch.device | str = "cpu"
) -> dict[str, torch.Tensor]:
    """Token ids to `input_ids` and `attention_mask` (1 = real), each (rows, longest) int64."""
    longest = max(map(len, rows))
    input_ids = torch.full((len(rows), longest), pad_id)
    attention_mask = torch.zeros_like(input_ids)
    for i, row in enumerate(rows):
        input_ids[i, : len(row)] = torch.tensor(row)
        attention_mask[i, : len(row)] = 1
    return {"input_ids": input_ids.to(device), "attention_mask": attention_mask.to(device)}
