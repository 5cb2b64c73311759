"""What a predictions file looks like."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models.artifact import Manifest
from models.errors import UsageError
from models.labels import Labels
from models.outputs import claim_file
from scoring.predictions import PREDICTIONS, write_predictions
from titles import NO_LABEL, LabelledTitles

LABELS = Labels.of(["stocks", "sports"])
DATA = LabelledTitles.of(["涨, 跌", "球队"], [0, NO_LABEL], LABELS, "test.txt")
SHA256 = DATA.fingerprint.sha256


@pytest.fixture
def write(make_manifest: Callable[..., Manifest]) -> Callable[[Path], str]:
    def write(path: Path) -> str:
        scores = np.array([[0.1, 0.9], [1e-8, 1.0]], np.float32)
        write_predictions(path, make_manifest("teacher", LABELS), DATA, scores)
        return path.read_text(encoding="utf-8-sig" if path.suffix == ".csv" else "utf-8")

    return write


def test_a_csv_row_names_model_and_data_and_gives_the_shortest_float32(
    tmp_path: Path, write: Callable[[Path], str]
):
    of = f"teacher,0123456789ab,test.txt,{SHA256}"

    assert write(tmp_path / "scored.csv").splitlines() == [
        "title,gold,predicted,confidence,model,model_version,data,data_sha256,unknown,stocks,sports",
        f'"涨, 跌",stocks,sports,0.9,{of},false,0.1,0.9',
        f"球队,,sports,1.0,{of},false,1e-08,1.0",
    ]


def test_excel_is_told_that_a_csv_is_utf_8(tmp_path: Path, write: Callable[[Path], str]):
    for name, mark in (("scored.csv", b"\xef\xbb\xbf"), ("scored.jsonl", b"")):
        write(tmp_path / name)

        assert (tmp_path / name).read_bytes()[:3].startswith(mark or b"{")


def test_a_json_line_holds_the_same(tmp_path: Path, write: Callable[[Path], str]):
    first, second = map(json.loads, write(tmp_path / "scored.jsonl").splitlines())

    assert first == {
        "title": "涨, 跌",
        "gold": "stocks",
        "predicted": "sports",
        "confidence": 0.9,
        "model": "teacher",
        "model_version": "0123456789ab",
        "data": "test.txt",
        "data_sha256": SHA256,
        "unknown": False,
        "scores": {"stocks": 0.1, "sports": 0.9},
    }
    assert second["gold"] is None


def test_what_is_unsure_or_cannot_be_read_is_unknown(
    tmp_path: Path, make_manifest: Callable[..., Manifest]
):
    manifest = replace(make_manifest("teacher", LABELS), threshold=0.8)
    data = LabelledTitles.of(["涨", "球队", "????????"], [0, 0, 1], LABELS, "test.txt")
    scores = np.array([[0.2, 0.8], [0.21, 0.79], [0.0, 1.0]], np.float32)

    write_predictions(tmp_path / "scored.jsonl", manifest, data, scores)
    write_predictions(tmp_path / "scored.csv", manifest, data, scores)

    lines = (tmp_path / "scored.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["unknown"] for line in lines] == [False, True, True]
    rows = (tmp_path / "scored.csv").read_text("utf-8-sig").splitlines()
    assert [row.split(",")[8] for row in rows] == ["unknown", "false", "true", "true"]


def test_another_suffix_is_refused(tmp_path: Path, write: Callable[[Path], str]):
    with pytest.raises(UsageError, match=r"written as \.csv or \.jsonl"):
        write(tmp_path / "scored.txt")


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_only_predictions_are_replaced_by_predictions(
    suffix: str, tmp_path: Path, write: Callable[[Path], str]
):
    mine = tmp_path / f"train{suffix}"
    mine.write_text("title,label\n涨,stocks\n", encoding="utf-8")
    write(tmp_path / f"scored{suffix}")

    claim_file(tmp_path / f"scored{suffix}", [mine], PREDICTIONS)
    with pytest.raises(UsageError, match="is not a predictions file: its first line does not name"):
        claim_file(mine, [], PREDICTIONS)
