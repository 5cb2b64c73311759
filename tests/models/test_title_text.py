import pytest

from models.title_text import Width, is_blank, width


@pytest.mark.parametrize("title", ["", " ", "\u3000\t\n", "\u200b\ufeff", "\x00 \u2028"])
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
