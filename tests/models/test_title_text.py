import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.title_text import Width, clean, is_blank, is_readable, width

TITLE = "国足客场一球小胜 小组赛取得开门红"
PARTS = st.sampled_from(
    [*"国足國赛 A1&;<>~～，…\u3000\u200b\ud800", "&amp;", "<em>", "</em>", "&#x26;"]
)


@pytest.mark.parametrize(
    ("title", "read"),
    [
        (f" {TITLE}\u3000\r\n", TITLE),
        ("国\u200b足\xad客\u200e场\ufe0f一球小胜 \u2060 小组赛取得开门红\x00", TITLE),
        (TITLE.replace(" ", "\u2028"), TITLE),
        (TITLE.replace(" ", "&nbsp;&#12288;"), TITLE),
        (f"<p>{TITLE.replace('客场', '<em class=x>客场</em>')}<br/></p>", TITLE),
        (f"<![CDATA[{TITLE}]]>", TITLE),
        ("國足客場一球小勝 小組賽取得開門紅", TITLE),
        ("&quot;国足&quot; &amp;amp; &#22269;&#x8DB3;", '"国足" & 国足'),
        ("Ｉ＇ｍ：５０％～，", "I'm:50%～,"),
        ("5~10元", "5～10元"),
        ("A&B; AT&T 1<2 <三体>", "A&B; AT&T 1<2 <三体>"),
        ("乾隆皇帝的著名作品", "乾隆皇帝的著名作品"),
        ("价格\ud83d上涨", "价格\ufffd上涨"),
        ("cafe\u0301", "caf\xe9"),
    ],
)
def test_titles_that_look_alike_are_read_alike(title: str, read: str):
    assert clean(title) == read


@given(st.text(st.characters()) | st.lists(PARTS).map("".join))
def test_what_is_clean_stays_as_it_is(title: str):
    assert clean(clean(title)) == clean(title)


@given(st.text(st.sampled_from("国足客场 A1，。“”：…~～；《》℃①ｶ")))
def test_common_text_is_cleaned_as_any_other(title: str):
    """A title that only common characters make up is told by one look, without its steps."""
    assert clean(title) == clean(f"{title}\u200b") == clean("".join(f"&#{ord(c)};" for c in title))


@pytest.mark.parametrize(
    "title", [TITLE, "NBA", "Apple发布iPhone", "國足", "开盘 ? ?", "&#22269;", "股Я"]
)
def test_chinese_and_latin_can_be_read(title: str):
    assert is_readable(title)


@pytest.mark.parametrize(
    "title",
    [
        "??????????????????",
        "锟斤拷锟斤拷国",
        "国足客场".encode().decode("latin-1"),
        "国足客场一球".encode().decode("cp1252", "replace"),
        "5Zu96Laz5a6i5Zy65LiA55CD5bCP6IOc",
        "손흥민 시즌 10호골",
        "Привет мир",
        "2026",
        "🙂",
        "国???",
        "国??",
        "股ЯЯ",
    ],
)
def test_what_says_nothing_cannot_be_read(title: str):
    assert not is_readable(title)


def test_text_in_nfkc_of_common_characters_is_left_to_itself():
    assert unicodedata.is_normalized("NFKC", clean("“股市”：大涨！——《三体》·A"))


@pytest.mark.parametrize(
    "title", ["", " ", "\u3000\t\n", "\u200b\ufeff", "\x00 \u2028", "\u3164\u2800", "<br>&nbsp;"]
)
def test_spaces_and_what_is_invisible_are_blank(title: str):
    assert is_blank(title)


@pytest.mark.parametrize("title", ["股", " a ", "！", "\u200b1", "\ue000", "\ufffd"])
def test_one_visible_character_is_enough(title: str):
    assert not is_blank(title)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Width(0, 0)),
        ("股市A股", Width(4, 7)),
        ("ｶA１", Width(3, 4)),  # half-width, Latin, full-width
        ("“好”…", Width(4, 8)),  # curly quotes are ambiguous, and wide beside Chinese
        ("a b", Width(3, 3)),
    ],
)
def test_wide_characters_take_two_columns(text: str, expected: Width):
    assert width(text) == expected
