import sqlite3
from pathlib import Path

import numpy as np
import pytest

from models.classifier import Scores
from models.errors import DataError, FileError
from scoring.score_table import READ, open_table, title_key

KEYS = [title_key(f"title {i}") for i in range(5)]
ROWS = np.random.default_rng(0).random((5, 3), dtype=np.float32)
SCORES = Scores(ROWS, np.array([True, False, False, True, False]))


def test_rows_are_read_in_the_order_asked_for_and_known_by_their_titles(tmp_path: Path):
    with open_table(tmp_path / "scores.sqlite", 3) as table:
        table.write(KEYS[:4], Scores(ROWS[:4], SCORES.truncated[:4]))

    with open_table(tmp_path / "scores.sqlite", 3) as table:
        (rows, truncated), known = table.read([KEYS[3], KEYS[4], KEYS[2], KEYS[3]])

    assert known.tolist() == [True, False, True, True]
    assert rows[known].tobytes() == ROWS[[3, 2, 3]].tobytes()
    assert truncated[known].tolist() == [True, False, True]


def test_nothing_asked_for_gives_no_rows(tmp_path: Path):
    with open_table(tmp_path / "scores.sqlite", 3) as table:
        (rows, truncated), known = table.read([])

    assert (rows.shape, truncated.shape, known.shape) == ((0, 3), (0,), (0,))


def test_a_few_titles_are_searched_for_and_the_table_is_not_read_through(tmp_path: Path):
    with open_table(tmp_path / "scores.sqlite", 3) as table:
        table.write(KEYS, SCORES)

    connection = sqlite3.connect(tmp_path / "scores.sqlite")
    connection.execute("CREATE TEMP TABLE asked (place INTEGER PRIMARY KEY, title BLOB)")
    plan = [row[-1] for row in connection.execute(f"EXPLAIN QUERY PLAN {READ}")]
    connection.close()

    assert plan == ["SCAN asked", "SEARCH scored USING PRIMARY KEY (title=?)"]


def test_a_reader_leaves_no_lock_that_would_keep_another_from_writing(tmp_path: Path):
    with open_table(tmp_path / "scores.sqlite", 3) as reader:
        reader.read(KEYS)
        with open_table(tmp_path / "scores.sqlite", 3) as writer:
            writer.write(KEYS, SCORES)

        assert reader.read(KEYS)[1].all()


def test_a_file_that_is_no_database_is_named(tmp_path: Path):
    path = tmp_path / "scores.sqlite"
    path.write_text("something else, and long enough to be taken for a page" * 100)

    with (
        pytest.raises(DataError, match=r"scores\.sqlite: scores cannot be kept.*; remove it"),
        open_table(path, 3),
    ):
        pass


def test_a_place_that_cannot_be_written_is_named_with_the_remedy(tmp_path: Path):
    (tmp_path / "file").touch()
    (tmp_path / "folder.sqlite").mkdir()

    with (
        pytest.raises(FileError, match=r"a\.sqlite cannot be written \(.*; a file stands where"),
        open_table(tmp_path / "file" / "a.sqlite", 3),
    ):
        pass
    with (
        pytest.raises(FileError, match=r"folder\.sqlite: scores cannot be kept .* as --cache"),
        open_table(tmp_path / "folder.sqlite", 3),
    ):
        pass


def test_a_row_of_another_length_is_a_damaged_file(tmp_path: Path):
    path = tmp_path / "scores.sqlite"
    with open_table(path, 4) as table:
        table.write(KEYS, Scores(np.zeros((5, 4), np.float32), SCORES.truncated))

    with (
        pytest.raises(DataError, match=r"scores\.sqlite: .* another length; remove it"),
        open_table(path, 3) as table,
    ):
        table.read(KEYS)
