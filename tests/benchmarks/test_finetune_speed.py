import json
import sys
from pathlib import Path

import finetune_speed
import pytest

from titles import LabelledTitles

RUNS = {"ours", "careful Trainer", "ours with R-Drop"}


def test_ours_and_the_trainer_take_turns_and_are_evaluated_alike(
    tmp_path: Path, tiny_encoder: Path, three_topics: LabelledTitles,
    monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    rows = zip(three_topics.titles, three_topics.label_ids, strict=True)
    (tmp_path / "train.txt").write_text("".join(f"{title}\t{i}\n" for title, i in rows), "utf-8")
    (tmp_path / "class.txt").write_text("stocks\nsports\neducation\n")
    data = str(tmp_path / "train.txt")
    options = ["--train", data, "--dev", data, "--encoder", str(tiny_encoder)]
    options += ["--steps", "1", "--rounds", "2", "--epochs", "4", "--target", "0.1"]
    output = tmp_path / "result.json"
    monkeypatch.setattr(sys, "argv", ["finetune_speed", *options, "--output", str(output)])

    finetune_speed.main()

    found = json.loads(output.read_text())
    assert found["titles"] == 32
    assert set(found["speed"]) == {*RUNS, finetune_speed.REFERENCE}
    ratio = found["times_careful_trainer"]
    assert 0 < ratio["slowest"] <= ratio["median"] <= ratio["fastest"]
    told = found["time_to_accuracy"]
    assert set(told["seconds_to_target"]) == set(told["curves"]) == RUNS
    assert all(len(curve) >= 4 for curve in told["curves"].values())
    for name, curve in told["curves"].items():
        assert told["best_accuracy"][name] == max(row["accuracy"] for row in curve)
        assert [row["seconds"] for row in curve] == sorted(row["seconds"] for row in curve)
