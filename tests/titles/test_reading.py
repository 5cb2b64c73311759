"""One pass gives the records, and a fingerprint that is the same for the same data alone."""

import hashlib
import json
from pathlib import Path

import datasets
import pytest

from models.errors import UsageError
from titles import Source, fingerprint, read


def test_file_is_known_by_its_bytes(tmp_path: Path):
    content = "甲\t0\n乙\t1".encode()
    (tmp_path / "train.txt").write_bytes(content)

    assert fingerprint(Source(tmp_path / "train.txt")).to_dict() == {
        "name": "train.txt",
        "rows": 2,
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def test_dataset_is_known_by_its_rows(tmp_path: Path):
    saved = datasets.DatasetDict(
        {"dev": datasets.Dataset.from_dict({"title": ["甲", "乙"], "label": ["x", None]})}
    )
    saved.save_to_disk(tmp_path / "saved")

    assert fingerprint(Source(tmp_path / "saved", split="dev")).to_dict() == {
        "name": f"{tmp_path}/saved:dev",
        "rows": 2,
        "sha256": hashlib.sha256("甲\tx\n乙\t\n".encode()).hexdigest(),
    }


def test_standard_input_has_none():
    with pytest.raises(UsageError, match="standard input has no fingerprint"):
        fingerprint(Source("-"))


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl", "a.parquet", "saved"])
def test_a_read_tells_the_fingerprint_that_a_read_of_its_own_tells(tmp_path: Path, name: str):
    rows = [{"title": "甲", "label": "x"}, {"title": "乙", "label": "y"}]
    if name == "saved":
        datasets.Dataset.from_list(rows).save_to_disk(tmp_path / name)
    elif name == "a.parquet":
        datasets.Dataset.from_list(rows).to_parquet(tmp_path / name)
    else:
        content = {
            "a.txt": "甲\tx\n乙\ty\n",
            "a.csv": "title,label\n甲,x\n乙,y\n",
            "a.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        }
        (tmp_path / name).write_text(content[name], encoding="utf-8")

    found = read(Source(tmp_path / name))

    assert found.fingerprint == fingerprint(Source(tmp_path / name))
    assert found.fingerprint.rows == 2
    if name != "saved":
        content_hash = hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
        assert found.fingerprint.sha256 == content_hash
