"""From a title to the units that the baselines count: words (jieba), characters, n-grams.

The units are cut here, outside of the saved models, so that those hold nothing but what their own
libraries wrote.
"""

from __future__ import annotations

import logging
import re
from functools import cache

from models.errors import MissingDependency
from models.title_text import clean

try:
    import jieba
except ImportError as error:
    raise MissingDependency(error.name or "jieba", "train") from error

jieba.setLogLevel(logging.WARNING)

_LONGEST_NGRAM = 3
_CHARACTERS = re.compile(r"[a-z]+|[0-9]+|\S")


def normalise(title: str) -> str:
    """The title as every model reads it, in lower case."""
    return clean(title).lower()


def words(title: str) -> str:
    """The title's words after `normalise`, separated by single spaces."""
    pieces = _segmenter().cut(normalise(title))
    return " ".join(piece for piece in pieces if not piece.isspace())


def characters(title: str) -> str:
    """The title's characters after `normalise`, separated by single spaces.

    A run of Latin letters or of digits counts as one character: `iphone 15` is two, not eight.
    """
    return " ".join(_CHARACTERS.findall(normalise(title)))


def marked(title: str) -> str:
    """The title after `normalise` between `^` and `$`: how it begins and ends tells its class."""
    return f"^{normalise(title)}$"


def ngrams(title: str) -> str:
    """N-grams of one to three characters of `marked`, then the words, separated by single spaces.

    A space inside an n-gram is written `▁`, and a word begins with `w:`, so that it is another
    unit than the n-gram of the same characters.
    """
    text = marked(title).replace(" ", "▁")
    pieces = [
        text[start : start + length]
        for length in range(1, _LONGEST_NGRAM + 1)
        for start in range(len(text) - length + 1)
    ]
    return " ".join(pieces + [f"w:{word}" for word in words(title).split()])


@cache
def _segmenter() -> jieba.Tokenizer:
    """A jieba of our own, with its own dictionary alone, kept in memory.

    jieba would cache the dictionary in a file that everyone may write to and unmarshal it from
    there; a segmenter that is already initialised leaves that file alone.
    """
    segmenter = jieba.Tokenizer()
    segmenter.FREQ, segmenter.total = segmenter.gen_pfdict(segmenter.get_dict_file())
    segmenter.initialized = True
    return segmenter
