"""When two titles count as the same, and which leak."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.title_text import clean
from titles import leaked, normalise
from titles.normalisation import comparison_key, digest

words = st.text("股市大涨球队ABCabc0189ａｂ０１", min_size=1)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Ｉｐｈｏｎｅ　１５：涨价！", "iphone15涨价"),
        ("“双11”大促…… 50%", "双11大促50"),
        ("C++与A+H股", "c++与a+h股"),
        ("零\u200b宽\x00控制\ufeff", "零宽控制"),
        ("Straße", "strasse"),
        ("生僻字\ufffd", "生僻字\ufffd"),
        ("！？", ""),
        ("ｶﾞe\u0301ᄀ\u1161\u11a8", "ガé각"),
        ("e，\u0301", "e\u0301"),
    ],
)
def test_width_case_spaces_and_punctuation_are_removed(title: str, expected: str):
    assert normalise(title) == expected


@given(st.text(st.characters() | st.sampled_from("한글ᄀ\u1161\u11a8ㅏｶﾞeé\u0301\u0323\u093c，　")))
def test_characters_that_combine_are_normalised_together(title: str):
    folded = unicodedata.normalize("NFKC", clean(title)).casefold()
    kept = [c for c in folded if unicodedata.category(c)[0] not in "ZP"]

    assert normalise(title) == "".join(
        c for c in kept if unicodedata.category(c) not in ("Cc", "Cf")
    )


@given(words, words, st.sampled_from([" ", "\u3000", "，", "!", "《", "\t", "-", "·", "\u2028"]))
def test_signs_between_words_do_not_count(left: str, right: str, sign: str):
    assert normalise(f"{sign}{left}{sign}{right}{sign}") == normalise(left + right)


@given(words)
def test_normalising_twice_changes_nothing(title: str):
    assert normalise(normalise(title)) == normalise(title)


def test_titles_of_signs_alone_are_told_apart():
    assert comparison_key("！ ！") == comparison_key("!!") == "!!"
    assert comparison_key("？") != comparison_key("！")


def test_digest_is_eight_bytes_of_blake2b():
    # b2sum -l 64, of the title's UTF-8 bytes
    assert digest("股市大涨").hex() == "d0c02bf5512b5e38"


def test_leaked_marks_exact_and_normalised_matches():
    titles = ["股市 大涨", "球队夺冠", "ＧＤＰ增长", "？", "股市"]
    against = iter(["股市大涨！", "球队夺冠", "gdp增长", "！"])

    found = leaked(titles, against)

    np.testing.assert_array_equal(found, [True, True, True, False, False])
    assert found.dtype == bool


def test_nothing_leaks_from_nowhere():
    assert leaked([], ["甲"]).shape == (0,)
    assert leaked(["甲"], []).tolist() == [False]


@pytest.mark.parametrize("jamo", ["\u1160", "\u1161", "\u11a8", "\u11ff"])
def test_vowels_and_finals_of_hangul_join_what_stands_before_them(jamo: str):
    """One by one they would stay, though they are no marks."""
    assert normalise(f"\u1100{jamo}") == normalise(unicodedata.normalize("NFC", f"\u1100{jamo}"))
    assert normalise("가\u11a8") == normalise("각")
