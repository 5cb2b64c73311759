import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers.normalizers import Precompiled

from models.charsmap import charsmap

CHARACTERS = st.characters(categories=["Ll", "Lo"], max_codepoint=0x7F) | st.sampled_from(
    [*map(chr, range(0x4E00, 0x4F00)), *map(chr, range(0x9F00, 0x9F80)), "𠀀", "𠮷", "𰻝"]
)


def test_the_trie_of_one_character_by_hand():
    """Each byte's base is the first at which what follows is free, and no other byte's."""
    size, trie, replacements = (data := charsmap({"é": "e"}))[:4], data[4:-2], data[-2:]
    units = [int.from_bytes(trie[i : i + 4], "little") for i in range(0, len(trie), 4)]

    assert int.from_bytes(size, "little") == len(trie) == 4 * 256
    assert replacements == b"e\0"
    first = 0xC3 ^ 1  # é is C3 A9; the root's child takes place 1, the first that is free
    second = 0xA9 ^ 2
    assert units[0] == first << 10
    assert units[1] == (second ^ 1) << 10 | 0xC3
    assert units[2] == (3 ^ 2) << 10 | 1 << 8 | 0xA9
    assert units[3] == 1 << 31
    assert units[4:] == [0] * 252


@given(st.dictionaries(CHARACTERS, CHARACTERS), st.text(CHARACTERS))
def test_the_tokenizers_library_replaces_by_the_table(table: dict[str, str], text: str):
    text += "".join(table)

    read = Precompiled(charsmap(table or {"a": "a"})).normalize_str(text)

    assert read == "".join(table.get(character, character) for character in text)


@pytest.mark.parametrize("character", ["a", "é", "國", "𠮷"])
def test_no_replacement_leaves_nothing_and_a_longer_one_is_whole(character: str):
    table = {character: "", "中": "中国。", "b": "中国。"}

    assert Precompiled(charsmap(table)).normalize_str(f"中{character}b") == "中国。中国。"
