import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.features import (
    FeatureSettings,
    fit_features,
    tfidf_columns,
    title_columns,
    variance_threshold,
)
from models.errors import DataError, UsageError


def test_columns_are_the_marked_title_and_its_words():
    columns = title_columns(["北京大学　ABC", ""])

    assert columns.tolist() == [["^北京大学 abc$", "北京大学 abc"], ["^$", ""]]


def test_no_titles_give_no_rows():
    assert title_columns([]).shape == (0, 2)


def test_each_half_of_a_row_is_of_unit_length_times_its_weight():
    titles = ["股市 上涨", "球队 上涨", "股市 夺冠", "球队 夺冠"]
    settings = FeatureSettings(word_weight=0.5, table_bits=12)

    features = tfidf_columns(settings, len(titles))
    matrix = features.fit_transform(title_columns(titles))

    characters = features.transformers_[0][1]["tfidf"].n_features_in_
    assert matrix.dtype == np.float32
    assert np.linalg.norm(matrix[:, :characters].toarray(), axis=1) == pytest.approx(np.ones(4))
    assert np.linalg.norm(matrix[:, characters:].toarray(), axis=1) == pytest.approx(
        np.full(4, 0.5)
    )


def test_a_rare_word_weighs_more_than_a_common_one():
    titles = ["股市 上涨", "股市 下跌", "股市 震荡", "球队 夺冠"]
    features = tfidf_columns(FeatureSettings(min_titles=1, table_bits=16), len(titles))
    features.fit(title_columns(titles))

    row = features.transform(title_columns(["股市 上涨"]))
    characters = features.transformers_[0][1]["tfidf"].n_features_in_

    # idf = ln((1 + n) / (1 + df)) + 1; the pair of words stands in one title, as 上涨 does
    common, rare, pair = sorted(row[:, characters:].data)
    assert pair == pytest.approx(rare)
    assert rare / common == pytest.approx((np.log(5 / 2) + 1) / (np.log(5 / 4) + 1))


@pytest.mark.parametrize(("longest", "expected"), [(1, 4), (2, 4 + 5), (3, 4 + 5 + 4)])
def test_n_grams_up_to_the_longest_are_counted(longest, expected):
    titles = ["甲乙丙丁", "戊己庚辛"]
    settings = FeatureSettings(character_ngrams=longest, word_weight=0.0, min_titles=1)

    matrix = tfidf_columns(settings, 2).fit_transform(title_columns(titles))

    # the ends alone, ^ and $, are in every title: they vary no more and are dropped
    assert np.count_nonzero(matrix[0].toarray()) == expected


@pytest.mark.parametrize("min_titles", [1, 2, 3])
def test_n_grams_of_too_few_titles_are_dropped(min_titles):
    # 甲 occurs in one title, 乙 in two, 丙 in three; 丁 is many times in one
    titles = ["甲乙丙", "乙丙", "丙", "丁丁丁丁", *["其他"] * 36]
    settings = FeatureSettings(character_ngrams=1, min_titles=min_titles, table_bits=20)
    features = tfidf_columns(settings, len(titles)).fit(title_columns(titles))

    known = [
        title for title in "甲乙丙丁" if features.transform(title_columns([title])).toarray().any()
    ]

    assert known == {1: list("甲乙丙丁"), 2: list("乙丙"), 3: ["丙"]}[min_titles]


@given(titles=st.integers(100, 10**6), min_titles=st.integers(1, 10))
def test_the_threshold_lies_between_two_numbers_of_titles(titles, min_titles):
    def variance(holding: int) -> float:
        return holding / titles * (1 - holding / titles)

    threshold = variance_threshold(min_titles, titles)
    assert variance(min_titles - 1) < threshold < variance(min_titles)


@pytest.mark.parametrize(
    ("min_titles", "titles", "share"), [(2, 1000, 0.0015), (2, 15, 0.1), (2, 3, 0.1), (9, 20, 0.1)]
)
def test_the_threshold_never_asks_for_more_than_a_tenth_of_the_titles(min_titles, titles, share):
    assert variance_threshold(min_titles, titles) == pytest.approx(share * (1 - share))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"character_ngrams": 0}, "character_ngrams must be at least 1, not 0"),
        ({"table_bits": 40}, r"table_bits must be in \[4, 26\], not 40"),
        ({"word_weight": float("nan")}, "word_weight must be at least 0, not nan"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(change, message):
    with pytest.raises(UsageError, match=message):
        FeatureSettings(**change)


def test_ten_titles_that_share_no_n_gram_are_told_apart_by_all_of_theirs():
    titles = [chr(ord("一") + 2 * i) + chr(ord("一") + 2 * i + 1) for i in range(10)]
    settings = FeatureSettings(word_weight=0.0, character_ngrams=1)

    _, matrix = fit_features(settings, titles)

    assert np.count_nonzero(matrix.toarray(), axis=1).tolist() == [2] * 10


def test_titles_that_are_all_the_same_are_refused():
    with pytest.raises(DataError, match="the 2 training titles are all alike"):
        fit_features(FeatureSettings(), ["股市大涨", "股市大涨"])
