from pathlib import Path
from unicodedata import normalize

import opencc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers.normalizers import Precompiled

from models.traditional import WORDS, may_change, simplified, simplified_charsmap, simplify
from titles import Source, read

SAMPLES = Path(__file__).parents[2] / "samples"
HAN = [*map(chr, [*range(0x3400, 0xA000), *range(0x20000, 0x33480)])]
BY_WORDS_IN_OPENCC = "伕揹敍暱枱甦甯痺睪瞭簷粧糭著藉衞衹"
"""What OpenCC turns in words, or by other standards than its own."""


@pytest.fixture(scope="module")
def by_opencc() -> dict[str, str]:
    """Every character of the basic plane, and of the others those that change, to what comes."""
    converted = opencc.OpenCC("t2s").convert("\n".join(HAN)).split("\n")
    pairs = zip(HAN, converted, strict=True)
    return {each: to for each, to in pairs if each < "\U00010000" or each != to}


@pytest.fixture(scope="module")
def by_us(by_opencc: dict[str, str]) -> dict[str, str]:
    return {each: simplify(each) for each in by_opencc}


def test_every_character_is_read_as_the_one_that_opencc_makes_of_it(
    by_opencc: dict[str, str], by_us: dict[str, str]
):
    changing = {each: to for each, to in by_opencc.items() if each != to}

    assert len(changing) > 4000
    assert [each for each, to in changing.items() if by_us[each] != simplify(to)] == []


def test_a_character_alone_is_turned_as_by_opencc(by_opencc: dict[str, str], by_us: dict[str, str]):
    differing = {normalize("NFKC", each) for each in by_opencc if by_us[each] != by_opencc[each]}

    assert differing == {*BY_WORDS_IN_OPENCC, "薴"}
    assert simplify("薴") == simplify("苧") == "苎"  # of OpenCC, one is the other's twin


def test_what_is_simplified_stays(by_us: dict[str, str]):
    assert [to for each, to in by_us.items() if each != to and simplify(to) != to] == []
    assert [each for each, to in by_us.items() if each != to and not may_change(each)] == []


@given(st.text(st.sampled_from("".join(pattern for pattern, _ in WORDS) + "計畫設瞭解國瀋")))
def test_words_that_are_simplified_stay(text: str):
    assert simplify(simplify(text)) == simplify(text)


@pytest.mark.parametrize(
    ("traditional", "expected"),
    [
        ("國足客場一球小勝", "国足客场一球小胜"),
        ("餅乾 乾隆皇帝 扭轉乾坤 康乾盛世", "饼干 乾隆皇帝 扭转乾坤 康乾盛世"),
        ("哪吒 叱吒風雲", "哪吒 叱咤风云"),
        ("看著 隨著 著手 著名 原著 土著", "看着 随着 着手 著名 原著 土著"),
        ("瞭解 明瞭 瞭望塔", "了解 明了 瞭望塔"),
        ("憑藉 藉口 狼藉 慰藉", "凭借 借口 狼藉 慰藉"),
        ("答覆 反覆 顛覆 覆蓋", "答复 反复 颠覆 覆盖"),
        ("沈默 沈重 沈陽 瀋陽 沈騰", "沉默 沉重 沈阳 沈阳 沈腾"),
        ("項鍊 鍛鍊 煉鋼", "项链 锻炼 炼钢"),
        ("計畫 設計畫面", "计划 设计画面"),
        ("經濟復甦 衞生 敍事 揹包", "经济复苏 卫生 叙事 背包"),
        ("頭髮 發現 裡面 裏面 臺灣 颱風 為爲", "头发 发现 里面 里面 台湾 台风 为为"),
    ],
)
def test_words_decide_where_a_character_has_two_twins(traditional: str, expected: str):
    assert simplify(traditional) == expected
    assert simplify(expected) == expected


@pytest.mark.parametrize("standard", ["s2t", "s2tw", "s2hk"])
def test_titles_in_each_standard_are_read_as_their_twins(standard: str):
    titles = [
        title
        for name in ("train", "dev", "test")
        for title in read(Source(SAMPLES / f"{name}.txt")).titles
    ]
    traditional = map(opencc.OpenCC(standard).convert, titles)

    differing = [a for a, b in zip(titles, traditional, strict=True) if simplify(b) != simplify(a)]

    assert len(differing) <= len(titles) / 500


def test_the_file_of_a_tokenizer_turns_each_character_alike():
    text = "".join(HAN)
    table = simplified()

    read = Precompiled(simplified_charsmap()).normalize_str(text)

    assert read == "".join(table.get(each, each) for each in HAN)
