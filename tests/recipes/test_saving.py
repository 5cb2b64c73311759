"""What is remarkable is said before the work, and again in what was made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli import main
from models.manifest import Manifest

SAMPLES = Path(__file__).parents[2] / "samples"


def test_dev_that_equals_train_is_said_before_training_and_stands_in_the_manifest(
    titles: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    output = tmp_path / "linear"
    data = ["--train", str(titles), "--dev", str(titles), "--output", str(output)]

    assert main(["train", "linear", *data]) == 0

    said = capsys.readouterr().err
    leak = "leak: all 36 titles of titles.txt stand in titles.txt, too: a score on them says what"
    assert said.index(f"warning: {leak}") < said.index("counting n-grams")
    remarks = Manifest.read(output).provenance.remarks
    assert [remark.code for remark in remarks] == ["leak", "few-titles"]
    assert all(f"warning: {remark}\n" in said for remark in remarks)

    assert main(["verify", str(output)]) == 0
    assert f"  said when it was made: {leak}" in capsys.readouterr().out
    assert main(["verify", str(output), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["remarks"]
    assert [remark["code"] for remark in told] == ["leak", "few-titles"]


def test_a_model_that_learned_nothing_is_said_to_have_learned_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data = ["--train", str(SAMPLES / "train.txt"), "--dev", str(SAMPLES / "dev.txt")]
    output = tmp_path / "fasttext"

    assert main(["train", "fasttext", *data, "--epochs", "1", "--output", str(output)]) == 0

    said = capsys.readouterr().err
    assert "warning: no-better-than-majority: fasttext gets 1" in said
    codes = {remark.code for remark in Manifest.read(output).provenance.remarks}
    assert {"no-better-than-majority", "class-never-right"} <= codes


@pytest.mark.parametrize("verb", [["train", "encoder"], ["train", "linear"]])
def test_titles_of_a_single_class_are_refused_before_training(
    verb: list[str], titles: Path, tiny_encoder: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    one = tmp_path / "one.txt"
    one.write_text("股市涨\t0\n股市跌\t0\n", encoding="utf-8")
    data = ["--train", str(one), "--dev", str(titles), "--output", str(tmp_path / "out")]
    encoder = ["--encoder", str(tiny_encoder)] if "encoder" in verb else []

    assert main([*verb, *data, *encoder]) == 3
    assert "the training titles are of 1 class(es)" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
