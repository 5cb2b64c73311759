"""TF-IDF features of titles: n-grams of characters beside n-grams of words (scikit-learn).

N-grams are hashed into a table of fixed size instead of listed in a vocabulary: a vocabulary of
260,000 n-grams makes a skops file of over 100 MB of JSON, a hash needs none. An n-gram is counted
once a title, since titles are short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from baselines.segmentation import marked, words
from models.bounds import Checked, NonNegativeFloat, PositiveInt, Whole
from models.errors import DataError, MissingDependency

try:
    from scipy.sparse import csr_matrix
    from sklearn.compose import ColumnTransformer
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
    from sklearn.feature_selection import VarianceThreshold
    from sklearn.pipeline import Pipeline
except ImportError as error:
    raise MissingDependency("scikit-learn", "train") from error


@dataclass(frozen=True)
class FeatureSettings(Checked):
    """Which n-grams are counted."""

    character_ngrams: PositiveInt = 3
    """Characters of the longest character n-gram; all shorter ones are counted too."""
    word_ngrams: PositiveInt = 2
    """Words of the longest word n-gram; all shorter ones are counted too."""
    word_weight: NonNegativeFloat = 0.85
    """Factor on the word columns; the character columns have 1."""
    min_titles: PositiveInt = 2
    """Training titles that an n-gram must occur in to be counted."""
    table_bits: Annotated[int, Whole(least=4, most=26)] = 21
    """Base-2 logarithm of the columns that character n-grams, and again words, are hashed into."""


def title_columns(titles: Sequence[str]) -> np.ndarray:
    """(n, 2) object: the title with its ends marked, and its words separated by spaces."""
    columns = np.empty((len(titles), 2), dtype=object)
    for row, title in enumerate(titles):
        columns[row] = marked(title), words(title)
    return columns


def tfidf_columns(settings: FeatureSettings, titles: int) -> ColumnTransformer:
    """An unfitted transformer of `title_columns` to (n, columns) float32 CSR.

    Either half of a row, characters and words, is of length 1 before `word_weight`.

    Args:
        titles: how many it will be fitted on.
    """
    threshold = variance_threshold(settings.min_titles, titles)
    characters: dict[str, object] = {
        "analyzer": "char",
        "ngram_range": (1, settings.character_ngrams),
    }
    separated: dict[str, object] = {
        "analyzer": "word",
        "token_pattern": r"\S+",
        "ngram_range": (1, settings.word_ngrams),
    }
    return ColumnTransformer(
        [
            ("characters", _half(characters, settings.table_bits, threshold), 0),
            ("words", _half(separated, settings.table_bits, threshold), 1),
        ],
        transformer_weights={"words": settings.word_weight},
        sparse_threshold=1.0,
    )


def fit_features(
    settings: FeatureSettings, titles: Sequence[str]
) -> tuple[ColumnTransformer, csr_matrix]:
    """A transformer that is fitted on the titles, and its (n, columns) of them.

    Where the titles are so few that none shares an n-gram with another, all n-grams are counted.

    Raises:
        DataError: no n-gram tells one title from another.
    """
    columns = title_columns(titles)
    for chosen in (settings, replace(settings, min_titles=1)):
        features = tfidf_columns(chosen, len(titles))
        try:
            return features, features.fit_transform(columns)
        except ValueError as error:
            if "variance threshold" not in str(error):
                raise
    raise DataError(
        f"the {len(titles)} training titles are all alike, to the last n-gram; give more titles"
    )


def variance_threshold(min_titles: int, titles: int) -> float:
    """What the variance of a column exceeds if at least `min_titles` of `titles` rows hold a 1.

    A column that holds a 1 in a share p of the rows has the variance p (1 - p). The largest
    number of titles that is asked for is a tenth of them.
    """
    share = min((min_titles - 0.5) / titles, 0.1)
    return share * (1 - share)


def _half(analysis: dict[str, object], table_bits: int, threshold: float) -> Pipeline:
    counts = HashingVectorizer(
        **analysis,
        n_features=2**table_bits,
        lowercase=False,
        binary=True,
        norm=None,
        alternate_sign=False,
        dtype=np.float32,
    )
    steps = [
        ("counts", counts),
        ("frequent", VarianceThreshold(threshold)),
        ("tfidf", TfidfTransformer()),
    ]
    return Pipeline(steps)
