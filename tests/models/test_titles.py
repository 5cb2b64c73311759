import pytest

from models.titles import is_blank


@pytest.mark.parametrize("title", ["", " ", "\u3000\t\n", "\u200b\ufeff", "\x00 \u2028"])
def test_spaces_and_what_is_invisible_are_blank(title: str):
    assert is_blank(title)


@pytest.mark.parametrize("title", ["股", " a ", "！", "\u200b1", "\ue000", "\ufffd"])
def test_one_visible_character_is_enough(title: str):
    assert not is_blank(title)
