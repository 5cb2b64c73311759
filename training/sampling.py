"""How often the titles of each newsroom, and of each of its labels, are read."""

from __future__ import annotations

import numpy as np

from titles import LabelledTitles


def sampling_weights(
    titles: LabelledTitles, newsroom_balance: float, label_balance: float, epoch_titles: int = 0
) -> np.ndarray | None:
    """How often a title is read in an epoch, (n,) float64; None: each once.

    A newsroom of n titles is read in proportion to n^(1 − newsroom_balance), and within it a label
    of m titles in proportion to m^(1 − label_balance); titles without a label are a newsroom. Where
    the classes themselves are the labels, there is one newsroom. The sum is `epoch_titles`, or n.
    Source: as languages are sampled in Devlin 2018, "Multilingual BERT", and Conneau et al. 2020.
    """
    size = epoch_titles or len(titles)
    if not newsroom_balance and not label_balance:
        return None if size == len(titles) else np.full(len(titles), size / len(titles))
    labels = titles.by_newsroom
    weights = np.zeros(len(titles))
    shares = _flattened(labels.newsroom_ids, newsroom_balance)
    for newsroom, share in shares.items():
        its = labels.newsroom_ids == newsroom
        for label, part in _flattened(labels.ids[its], label_balance).items():
            rows = its & (labels.ids == label)
            weights[rows] = share * part / rows.sum()
    return weights * size


def _flattened(ids: np.ndarray, balance: float) -> dict[int, float]:
    """The share of each id, by its count to the power of 1 − balance."""
    found, counts = np.unique(ids, return_counts=True)
    powers = counts ** (1 - balance)
    return dict(zip(found.tolist(), (powers / powers.sum()).tolist(), strict=True))
