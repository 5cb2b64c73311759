import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.segmentation import characters, ngrams, normalise, words


def test_normalise_folds_width_case_and_space():
    assert normalise("　ＡＰＰＬＥ　发布　ｉＰｈｏｎｅ１５！\n") == "apple 发布 iphone15!"


def test_normalise_replaces_half_a_surrogate_pair():
    assert normalise("价格\ud83d上涨") == "价格\ufffd上涨"


def test_words_are_separated_by_single_spaces():
    assert words("北京大学  公布成绩") == "北京大学 公布 成绩"


def test_latin_words_and_numbers_count_as_one_character():
    assert characters("iPhone 15涨价3.5%") == "iphone 15 涨 价 3 . 5 %"


def test_ngrams_are_pieces_of_up_to_three_characters_and_marked_words():
    assert ngrams("涨 3") == "^ 涨 ▁ 3 $ ^涨 涨▁ ▁3 3$ ^涨▁ 涨▁3 ▁3$ w:涨 w:3"


@given(st.text())
@pytest.mark.parametrize("cut", [words, characters])
def test_cutting_loses_nothing_but_spaces(cut, title):
    assert "".join(cut(title).split()) == "".join(normalise(title).split())


@given(st.text())
@pytest.mark.parametrize("cut", [normalise, words, characters, ngrams])
def test_every_title_becomes_one_line_that_utf8_can_encode(cut, title):
    line = cut(title)
    assert len(line.splitlines()) <= 1
    assert line.encode("utf-8").decode("utf-8") == line


def test_segmenting_prints_nothing_and_leaves_no_cache_file(tmp_path: Path):
    code = "from baselines.segmentation import words; words('北京大学')"
    root = Path(__file__).parents[2]
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=root, env={"TMPDIR": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert (run.stdout, run.stderr) == ("", "")
    assert list(tmp_path.iterdir()) == []
    assert tempfile.gettempdir() != str(tmp_path)
