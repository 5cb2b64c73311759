"""Cut a unigram tokenizer down to the pieces that titles use.

An embedding row serves one piece, and most pieces of a big vocabulary stand in few titles. One
that goes is spelled by smaller ones, at worst by its characters, so the characters have to stay.
Source: Kudo 2018, "Subword Regularization" (the unigram model, whose scores are left as they are).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tokenizers import Tokenizer

from models.errors import UsageError
from models.title_text import clean

_BATCH = 10_000


def prune_vocabulary(
    tokenizer: Tokenizer, titles: Sequence[str], size: int
) -> tuple[Tokenizer, list[int]]:
    """Keep the pieces that the titles need, and the most used of the others.

    Needed are the specials, printable ASCII, every character of a piece that occurs, and a piece
    that occurs and cannot be spelled by single characters: no title gets an <unk> that had none.

    Args:
        tokenizer: a unigram one, framed by a template; it is not changed.
        size: pieces to keep, specials included; all of them where there are no more.
    Returns:
        (tokenizer, kept): the smaller one; its piece i is piece `kept[i]` of the larger one.
    Raises:
        UsageError: another kind of tokenizer, or `size` is less than the titles need.
    """
    content = json.loads(tokenizer.to_str())
    _require_supported(content)
    pieces = [piece for piece, _ in content["model"]["vocab"]]
    specials = {token["id"] for token in content["added_tokens"]} | {content["model"]["unk_id"]}
    uses = count_uses(tokenizer, titles)
    needed = specials | _needed(pieces, [i for i in uses if i not in specials])
    if size < len(needed):
        raise UsageError(
            f"the titles need {len(needed)} pieces, so {size} are too few; every character that "
            "occurs is one"
        )
    by_use = sorted(set(range(len(pieces))) - needed, key=lambda i: (-uses[i], i))
    kept = sorted(needed | set(by_use[: size - len(needed)]))
    return Tokenizer.from_str(json.dumps(_cut(content, kept))), kept


def count_uses(tokenizer: Tokenizer, titles: Sequence[str]) -> Counter[int]:
    """How often each piece occurs in the titles, by its id."""
    uses: Counter[int] = Counter()
    for start in range(0, len(titles), _BATCH):
        batch = [clean(title) for title in titles[start : start + _BATCH]]
        for encoding in tokenizer.encode_batch_fast(batch, add_special_tokens=False):
            uses.update(encoding.ids)
    return uses


def _needed(pieces: list[str], used: list[int]) -> set[int]:
    """Ids of the single characters of the pieces used, of ASCII, and of what they cannot spell."""
    singles = {piece: i for i, piece in enumerate(pieces) if len(piece) == 1}
    characters = {character for i in used for character in pieces[i]}
    unspelled = {i for i in used if any(character not in singles for character in pieces[i])}
    ascii_ids = {i for piece, i in singles.items() if piece.isascii() and piece.isprintable()}
    return unspelled | ascii_ids | {singles[c] for c in characters if c in singles}


def _cut(content: dict[str, Any], kept: list[int]) -> dict[str, Any]:
    """The tokenizer's JSON with the pieces `kept` alone, every id moved to its new place."""
    model, new_id = content["model"], {old: new for new, old in enumerate(kept)}
    frame = content["post_processor"]
    return content | {
        "model": model
        | {
            "vocab": [model["vocab"][i] for i in kept if i < len(model["vocab"])],
            "unk_id": new_id[model["unk_id"]],
        },
        "added_tokens": [t | {"id": new_id[t["id"]]} for t in content["added_tokens"]],
        "post_processor": frame
        | {
            "special_tokens": {
                name: token | {"ids": [new_id[i] for i in token["ids"]]}
                for name, token in frame["special_tokens"].items()
            }
        },
    }


def _require_supported(content: dict[str, Any]) -> None:
    model, frame = content["model"], content["post_processor"] or {}
    kind, frame_kind = model["type"], frame.get("type")
    if kind != "Unigram" or frame_kind != "TemplateProcessing" or model.get("byte_fallback"):
        raise UsageError(
            f"the vocabulary of this tokenizer ({kind}, {frame_kind}) cannot be cut, only that of "
            "a SentencePiece unigram one without bytes, framed by a template; keep it whole"
        )
