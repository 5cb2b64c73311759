"""Sentence pairs for translation: read, split without overlap, cut into subwords."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, trainers
from tokenizers import models as tokenizer_models
from torch import Tensor

from models.errors import DataError

PAD, BOS, EOS, UNKNOWN = "<pad>", "<bos>", "<eos>", "<unk>"
PAD_ID, BOS_ID, EOS_ID = 0, 1, 2

Pair = tuple[str, str]


@dataclass(frozen=True)
class Split:
    """Pairs to train on, to choose the weights by, and to report on."""

    train: list[Pair]
    dev: list[Pair]
    test: list[Pair]


def read_pairs(path: Path) -> list[Pair]:
    """Read `source<TAB>target` lines, each pair once.

    Raises:
        DataError: unreadable, or a line without exactly one tab.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read the sentence pairs: {error}", path) from error
    pairs: dict[Pair, None] = {}
    for number, line in enumerate(lines, start=1):
        source, tab, target = line.partition("\t")
        if not tab or "\t" in target:
            raise DataError("expected 'source<TAB>target'; fix the line", path, number)
        pairs[unicodedata.normalize("NFC", source), unicodedata.normalize("NFC", target)] = None
    return list(pairs)


def split(pairs: Iterable[Pair], held_out_percent: int = 5) -> Split:
    """Share the pairs out by their source, so that no source stands in two parts.

    Which part a source falls into depends on its letters and digits alone: "Go." and "Go!" go
    together, and the order of the file does not matter.

    Args:
        held_out_percent: of the sources for dev, and as much again for test.
    """
    parts = Split([], [], [])
    for pair in pairs:
        place = int(hashlib.sha256(source_key(pair[0]).encode()).hexdigest(), 16) % 100
        if place < held_out_percent:
            parts.test.append(pair)
        elif place < 2 * held_out_percent:
            parts.dev.append(pair)
        else:
            parts.train.append(pair)
    return parts


def source_key(source: str) -> str:
    """The letters and digits of a sentence, case folded."""
    return "".join(character for character in source.casefold() if character.isalnum())


def by_source(pairs: Iterable[Pair]) -> dict[str, list[str]]:
    """Each source and all its translations: the references of a BLEU score."""
    references: dict[str, list[str]] = {}
    for source, target in pairs:
        references.setdefault(source, []).append(target)
    return references


def train_tokenizer(sentences: Sequence[str], vocab_size: int) -> Tokenizer:
    """Byte-pair encoding learned on `sentences`; `Tokenizer.decode` gives the sentence back."""
    tokenizer = Tokenizer(tokenizer_models.BPE(unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[PAD, BOS, EOS, UNKNOWN],
        min_frequency=2,
        show_progress=False,
    )
    tokenizer.train_from_iterator(sentences, trainer)
    return tokenizer


@dataclass(frozen=True)
class TranslationData:
    """The parts of the corpus, their tokens, and the tokenizer of both languages."""

    parts: Split
    tokenizer: Tokenizer

    @classmethod
    def read(cls, path: Path, vocab_size: int, limit: int | None) -> TranslationData:
        pairs = read_pairs(path)
        parts = split(pairs[:: max(1, len(pairs) // limit)] if limit else pairs)
        sentences = [sentence for pair in parts.train for sentence in pair]
        return cls(parts, train_tokenizer(sentences, vocab_size))

    def encode(self, sentences: Sequence[str]) -> list[list[int]]:
        """A source's tokens: each sentence, then <eos>."""
        encoded = self.tokenizer.encode_batch(list(sentences))
        return [[*encoding.ids, EOS_ID] for encoding in encoded]

    def decode(self, ids: Tensor) -> list[str]:
        """(B, T) ids to sentences; <pad>, <bos> and <eos> are left out."""
        return self.tokenizer.decode_batch(ids.tolist())
