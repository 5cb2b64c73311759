"""One pass gives the records, and a fingerprint that is the same for the same data alone."""

import hashlib
from pathlib import Path

import datasets
import pytest

from models.errors import UsageError
from titles import Source, fingerprint


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
