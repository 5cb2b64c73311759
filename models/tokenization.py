"""Titles to token ids with the `tokenizers` library alone, and their way back into order."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tokenizers import Regex, Tokenizer
from tokenizers.normalizers import NFKC, Normalizer, Precompiled, Replace, Strip
from tokenizers.normalizers import Sequence as InTurn

from models.errors import CorruptArtifact
from models.title_text import RULES, clean, width
from models.traditional import WORDS, simplified_charsmap

FILE = "tokenizer.json"
_UNKNOWN = ("<unk>", "[UNK]")
_ENTITIES = ("quot", "nbsp", "lt", "gt", "apos", "#39", "ldquo", "rdquo", "hellip", "middot", "amp")

ScoreBatch = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(B, S) int64 ids and (B,) int64 lengths to (B, classes) float32 logits."""

Apply = Callable[..., Iterable[np.ndarray]]
"""As the built-in `map`: a function and what it is applied to, to the results in order."""


class Tokenized(NamedTuple):
    """Titles as a model reads them, in their order."""

    ids: list[list[int]]
    """Of each title, the specials included."""
    truncated: np.ndarray
    """(titles,) bool: whether the title was longer and lost its end."""


class TitleTokenizer:
    """Cuts titles into ids, framed by the two specials, no longer than `max_length`.

    They are cleaned first, unless the tokenizer is one that earlier revisions saved (`cleans`).

    The underlying tokenizer is configured here and never again, so threads may share it.

    Args:
        tokenizer: frames a text as `<first> text <last>`.
        pad_id: stands after the end of the shorter titles of a batch.
        max_length: ids of a title that are kept, specials included.
    """

    def __init__(self, tokenizer: Tokenizer, pad_id: int, max_length: int):
        self.tokenizer = tokenizer
        self.pad_id = pad_id
        self.max_length = max_length
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._cleans = tokenizer.encode_special_tokens = cleans(tokenizer)

    @classmethod
    def read(cls, folder: Path, pad_id: int, max_length: int) -> TitleTokenizer:
        """The tokenizer of a model's folder.

        Raises:
            CorruptArtifact: `tokenizer.json` cannot be read.
        """
        try:
            tokenizer = Tokenizer.from_file(str(folder / FILE))
        except Exception as error:  # the library raises bare Exception
            raise CorruptArtifact(f"{folder / FILE} cannot be read: {error}") from error
        return cls(tokenizer, pad_id, max_length)

    def save(self, folder: Path) -> None:
        """Write `tokenizer.json`, on one line."""
        self.tokenizer.save(str(folder / FILE), pretty=False)

    def __call__(self, titles: Sequence[str]) -> Tokenized:
        """Ids of each title; a longer one loses its end, but keeps the closing special."""
        rows, last = self._encode(titles), self.max_length - 1
        truncated = [len(ids) > self.max_length for ids in rows]
        if any(truncated):
            rows = [
                [*ids[:last], ids[-1]] if cut else ids
                for ids, cut in zip(rows, truncated, strict=True)
            ]
        return Tokenized(rows, np.array(truncated, dtype=bool))

    def piece_widths(self, vocab_size: int) -> np.ndarray:
        """(vocab_size, 2) int64: characters and columns of each piece, none for a special.

        A title's width is the sum over its pieces. What no piece spells counts as one wide
        character.
        """
        specials = self.tokenizer.get_added_tokens_decoder()
        widths = np.zeros((vocab_size, 2), dtype=np.int64)
        for i in range(vocab_size):
            piece = self.tokenizer.id_to_token(i)
            if piece in _UNKNOWN:
                widths[i] = 1, 2
            elif piece is not None and i not in specials:
                widths[i] = width(_spelled(piece))
        return widths

    def _encode(self, titles: Sequence[str]) -> list[list[int]]:
        texts = [clean(title) for title in titles] if self._cleans else list(titles)
        if len(texts) == 1:  # without the pool of threads that a batch is cut in
            return [self.tokenizer.encode(texts[0]).ids]
        return [encoding.ids for encoding in self.tokenizer.encode_batch_fast(texts)]


def clean_first(tokenizer: Tokenizer) -> None:
    """Let a tokenizer clean titles itself, as far as its file can say how.

    Then libraries that know nothing but the file read what our own code reads, but for rare
    entities, and for marks that are written over traditional characters. The specials' names are
    read as text.
    """
    cleaning, own = _cleaning(tokenizer), _steps(tokenizer)
    if cleans(tokenizer):
        own = own[len(cleaning) :]
    if not simplifies(tokenizer):
        own = [*_simplifying(), *own]
    tokenizer.normalizer = InTurn([*cleaning, *own])
    tokenizer.encode_special_tokens = True


def cleans(tokenizer: Tokenizer) -> bool:
    """Whether `clean_first` was called for a tokenizer, or for the one that was saved."""
    first = _cleaning(tokenizer)
    return _state(_steps(tokenizer)[: len(first)]) == _state(first)


def simplifies(tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer's file turns traditional characters, as earlier ones did not."""
    normalizer = tokenizer.normalizer
    if normalizer is None:
        return False
    return bool(normalizer.normalize_str("國") == normalizer.normalize_str("国"))


def _steps(tokenizer: Tokenizer) -> list[Normalizer]:
    own = tokenizer.normalizer
    if isinstance(own, InTurn):
        return [own[i] for i in range(len(own))]
    return [own] if own else []


def _state(steps: list[Normalizer]) -> bytes:
    state: bytes = InTurn(steps).__getstate__()
    return state


def _simplifying() -> list[Normalizer]:
    words = (Replace(Regex(pattern), replacement) for pattern, replacement in WORDS)
    return [Precompiled(simplified_charsmap()), *words]


def _cleaning(tokenizer: Tokenizer) -> list[Normalizer]:
    specials = [each.content for each in tokenizer.get_added_tokens_decoder().values()]
    return [
        *(Replace(f"&{name};", html.unescape(f"&{name};")) for name in _ENTITIES),
        *(Replace(Regex(pattern.pattern), by) for pattern, by in RULES),
        NFKC(),
        Replace("~", "～"),
        *(Replace(name, f"{name[0]} {name[1:]}") for name in specials if len(name) > 1),
        Replace(Regex(r"\s+"), " "),
        Strip(),
    ]


def set_pool_threads(threads: int) -> None:
    """Let the library cut batches on so many threads.

    It starts one pool for the whole process, at the first batch, so the first call counts alone,
    and what RAYON_NUM_THREADS says already counts more.
    """
    os.environ.setdefault("RAYON_NUM_THREADS", str(threads))


def _spelled(piece: str) -> str:
    """What a piece stands for in a title: without WordPiece's mark, SentencePiece's as a space."""
    return piece.replace("▁", " ").removeprefix("##")


def score_by_length(
    rows: Sequence[Sequence[int]],
    pad_id: int,
    classes: int,
    batch_size: int,
    score: ScoreBatch,
    apply: Apply = map,
) -> np.ndarray:
    """Score titles in batches of similar length, padded to their longest.

    Args:
        apply: runs `score` over the batches; the `map` of a pool of threads does several at once.
    Returns:
        (rows, classes) float32 logits, in the order of the rows.
    """
    logits = np.empty((len(rows), classes), dtype=np.float32)
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    chosen = [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
    batches = [_pad([rows[i] for i in batch], pad_id) for batch in chosen]
    for batch, scores in zip(chosen, apply(lambda padded: score(*padded), batches), strict=True):
        logits[batch] = scores
    return logits


def _pad(rows: Sequence[Sequence[int]], pad_id: int) -> tuple[np.ndarray, np.ndarray]:
    """(B, longest) int64 ids and (B,) int64 lengths."""
    lengths = np.array([len(row) for row in rows])
    ids = np.full((len(rows), lengths.max()), pad_id, dtype=np.int64)
    for line, row in zip(ids, rows, strict=True):
        line[: len(row)] = row
    return ids, lengths
