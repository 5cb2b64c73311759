"""UTF-8 and what Excel and Windows write instead are told apart by their bytes."""

import pytest

from models.text_encoding import decode, encoding_of

TEXT = "国足客场一球小胜,体育\nA股三大指数收涨,财经\n教育部公布高考时间,教育\n"


@pytest.mark.parametrize(
    ("codec", "encoding"),
    [
        ("utf-8", "UTF-8"),
        ("utf-8-sig", "UTF-8"),
        ("gbk", "GB18030"),
        ("gb2312", "GB18030"),
        ("utf-16", "UTF-16LE"),
        ("utf-16-le", "UTF-16LE"),
        ("utf-16-be", "UTF-16BE"),
        ("utf-32", "UTF-32LE"),
    ],
)
def test_an_encoding_is_told_and_the_text_read(codec: str, encoding: str):
    assert encoding_of(TEXT.encode(codec))[0] == encoding
    assert decode(TEXT.encode(codec)) == TEXT


@pytest.mark.parametrize(
    "content",
    [
        b"",
        "國足客場一球小勝\t體育\n教育部公布高考時間\t教育\n".encode("big5"),
        "Crème brûlée à la carte\tfood\n".encode("latin-1"),
        ("好标题\t体育\n" * 9).encode() + "坏".encode("gbk") + b"\t0\n",
        "控\x00制\x00字\x00符\t0\n".encode(),
        b"\xff\xfe\xfd\xfc"[2:],
    ],
)
def test_what_is_not_clearly_another_is_utf_8(content: bytes):
    assert encoding_of(content) == ("UTF-8", 0)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("中国人民镕", "GB18030"), ("中国人镕", "UTF-8"), ("a中国人民镕,b\n", "GB18030")],
)
def test_four_characters_of_five_have_to_be_common(text: str, encoding: str):
    """镕 is in GBK and not in GB2312."""
    assert encoding_of(text.encode("gbk"))[0] == encoding


@pytest.mark.parametrize(("characters", "encoding"), [(100, "GB18030"), (99, "UTF-8")])
def test_one_character_of_a_hundred_may_be_lost(characters: int, encoding: str):
    head = "国".encode("gbk") * (characters - 2) + b"\xff" + b"\n"
    assert head.decode("gb18030", "replace").count("\ufffd") == 1
    assert len(head.decode("gb18030", "replace")) == characters

    assert encoding_of(head)[0] == encoding


def test_a_character_that_is_cut_off_does_not_hide_the_encoding():
    content = TEXT.encode("gbk")
    cut = content[: content.index("胜".encode("gbk")) + 1]

    assert encoding_of(cut)[0] == "GB18030"
    assert encoding_of(TEXT.encode()[:7])[0] == "UTF-8"


def test_a_broken_text_is_not_read():
    with pytest.raises(UnicodeDecodeError):
        decode(b"\xff\n")
