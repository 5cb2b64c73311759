import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase

from models.errors import CorruptArtifact
from models.title_text import clean, width
from models.tokenization import TitleTokenizer, clean_first, score_by_length
from models.traditional import WORDS

FIRST, LAST = 2, 3


@pytest.fixture
def tokenizer(tiny_encoder: Path) -> TitleTokenizer:
    file = Tokenizer.from_file(str(tiny_encoder / "tokenizer.json"))
    clean_first(file)
    return TitleTokenizer(file, pad_id=0, max_length=8)


@pytest.fixture
def earlier(tiny_encoder: Path) -> TitleTokenizer:
    """As earlier revisions saved it."""
    return TitleTokenizer.read(tiny_encoder, pad_id=0, max_length=8)


def test_a_title_is_framed_by_the_two_specials(tokenizer: TitleTokenizer):
    (row,) = tokenizer(["股市"]).ids

    assert (row[0], row[-1], len(row)) == (FIRST, LAST, 4)


@pytest.mark.parametrize(
    "title",
    [
        "\u3000股市\u200b涨跌\r\n",
        "<em>股市</em>涨跌&nbsp;",
        "&#32929;市漲跌",
        "[CLS]",
        "股[PAD]市",
        "ＡＢ~",
    ],
)
def test_a_title_is_cleaned_before_it_is_cut(tokenizer: TitleTokenizer, title: str):
    assert tokenizer([title]).ids == tokenizer([clean(title)]).ids == tokenizer([title, ""]).ids[:1]


def test_a_specials_name_is_text(tokenizer: TitleTokenizer):
    (row,) = tokenizer(["[PAD][SEP]股"]).ids

    assert not {0, FIRST, LAST} & set(row[1:-1])


@pytest.mark.parametrize(
    "title",
    [
        " 股市\u3000\u200b涨跌\n",
        "<p>股</p>A&amp;B",
        "股\ufe0f市 ~ ｶ",
        "a  b",
        "漲\u200b跌 大學",
        "看<b>著</b>計畫",
        "著名的\u200b乾\u200b隆",
        "⾞\uf902㊫",  # a radical, a compatibility form, a character in a circle
        "🙂國🇨🇳足é",
        "國\u20dd",
    ],
)
def test_the_file_alone_lets_a_library_read_the_same(tokenizer: TitleTokenizer, title: str):
    assert tokenizer.tokenizer.encode(title).ids == tokenizer([title]).ids[0]
    assert tokenizer.tokenizer.normalizer.normalize_str(title) == clean(title)


def test_a_tokenizer_that_was_saved_earlier_reads_as_it_did(earlier: TitleTokenizer):
    title = "ＡＢ\u200b"

    assert earlier([title]).ids == [earlier.tokenizer.encode(title).ids]
    assert earlier([title]).ids != earlier([clean(title)]).ids


def test_a_tokenizer_that_cleans_is_left_as_it_is(tmp_path: Path, tokenizer: TitleTokenizer):
    tokenizer.save(tmp_path)
    before = (tmp_path / "tokenizer.json").read_bytes()

    TitleTokenizer.read(tmp_path, pad_id=0, max_length=8).save(tmp_path)

    assert (tmp_path / "tokenizer.json").read_bytes() == before


@pytest.fixture
def without_table(tokenizer: TitleTokenizer) -> Tokenizer:
    """As a revision saved it whose file said all but traditional characters."""
    content = json.loads(tokenizer.tokenizer.to_str())
    steps = content["normalizer"]["normalizers"]
    table = [each["type"] for each in steps].index("Precompiled")
    del steps[table : table + 1 + len(WORDS)]
    return Tokenizer.from_str(json.dumps(content))


def test_a_file_that_turns_no_character_is_left_as_it_is_but_read_alike(without_table: Tokenizer):
    before = without_table.to_str()

    (row,) = TitleTokenizer(without_table, pad_id=0, max_length=8)(["股市漲跌"]).ids

    assert without_table.to_str() == before
    assert row == without_table.encode("股市涨跌").ids != without_table.encode("股市漲跌").ids


def test_a_file_that_turns_no_character_learns_to(
    without_table: Tokenizer, tokenizer: TitleTokenizer
):
    clean_first(without_table)

    assert without_table.to_str() == tokenizer.tokenizer.to_str()
    assert without_table.encode("股市漲跌").ids == without_table.encode("股市涨跌").ids


def test_a_tokenizer_cleans_before_it_does_what_it_did():
    file = Tokenizer(WordLevel({"[UNK]": 0, "股市a": 1}, unk_token="[UNK]"))
    file.normalizer = Lowercase()

    clean_first(file)

    assert file.encode("股\u200b市Ａ ").ids == [1]


def test_a_longer_title_loses_its_end_and_keeps_the_closing_special(tokenizer: TitleTokenizer):
    (exact, longer), truncated = tokenizer(["股市涨跌球队", "股市涨跌球队比赛"])

    assert longer == exact
    assert (len(exact), exact[-1]) == (8, LAST)
    assert truncated.tolist() == [False, True]


def test_one_title_is_cut_as_in_a_batch(tokenizer: TitleTokenizer):
    titles = ["股市", "", "股" * 20, "🙂"]

    assert [tokenizer([title]).ids[0] for title in titles] == tokenizer(titles).ids


def test_no_title_gives_nothing(tokenizer: TitleTokenizer):
    ids, truncated = tokenizer([])

    assert ids == []
    assert truncated.tolist() == []


def test_settings_saved_in_the_file_do_not_cut_or_pad(tmp_path: Path, tokenizer: TitleTokenizer):
    tokenizer.tokenizer.enable_truncation(3)
    tokenizer.tokenizer.enable_padding(length=30)
    tokenizer.save(tmp_path)

    read = TitleTokenizer.read(tmp_path, pad_id=0, max_length=8)

    assert [len(row) for row in read(["股", "股市涨跌"]).ids] == [3, 6]


def test_threads_may_share_a_tokenizer(tokenizer: TitleTokenizer):
    titles = ["股市" * (i % 5) for i in range(400)]
    expected = tokenizer(titles).ids

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda title: tokenizer([title]).ids[0], titles))

    assert found == expected


def test_a_file_that_is_no_tokenizer_is_named(tmp_path: Path):
    (tmp_path / "tokenizer.json").write_text("{}")

    with pytest.raises(CorruptArtifact, match=r"tokenizer\.json cannot be read"):
        TitleTokenizer.read(tmp_path, pad_id=0, max_length=8)


@given(
    st.lists(st.lists(st.integers(1, 99), min_size=1, max_size=9), max_size=20), st.integers(1, 7)
)
def test_scores_come_back_in_the_rows_order(rows: list[list[int]], batch_size: int):
    def score(ids: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        assert len(ids) <= batch_size
        assert ids.shape[1] == lengths.max()
        real = np.arange(ids.shape[1]) < lengths[:, None]
        assert (ids[~real] == 0).all()
        return np.stack([(ids * real).sum(axis=1), lengths], axis=1)

    scores = score_by_length(rows, 0, 2, batch_size, score)

    assert scores.tolist() == [[sum(row), len(row)] for row in rows]
    assert scores.shape == (len(rows), 2)
    assert scores.dtype == np.float32


def test_titles_of_similar_length_share_a_batch():
    shapes = []

    def score(ids: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        shapes.append(ids.shape)
        return np.zeros((len(ids), 1))

    score_by_length([[1] * n for n in (9, 2, 8, 1)], 0, 1, 2, score)

    assert shapes == [(2, 2), (2, 9)]


def test_the_widths_of_a_titles_pieces_add_up_to_the_titles(tokenizer: TitleTokenizer):
    pieces = tokenizer.tokenizer.get_vocab_size()

    widths = tokenizer.piece_widths(pieces + 2)

    assert widths[pieces:].tolist() == [[0, 0]] * 2
    for title in ("股市 A", "新的大学", "", "🙂"):
        assert tuple(widths[tokenizer([title]).ids[0]].sum(axis=0)) == width(title)


def test_marks_of_pieces_have_no_width_but_that_of_a_space():
    pieces = {"[UNK]": 0, "▁股市": 1, "##ab": 2, "##": 3, "▁": 4}
    tokenizer = TitleTokenizer(Tokenizer(WordLevel(pieces, unk_token="[UNK]")), 0, 8)

    assert tokenizer.piece_widths(5).tolist() == [[1, 2], [3, 5], [2, 2], [0, 0], [1, 1]]
