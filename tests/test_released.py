"""The model that ships: small, int8, open without torch, and as good as its card says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

from models import artifact
from models.artifact import DEFAULT_FOLDER, LoadedModel
from training import corpus

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "samples" / "test.txt"
TITLE = "国足客场一球小胜 小组赛取得开门红"


@pytest.fixture(scope="module")
def released() -> LoadedModel:
    return artifact.load(DEFAULT_FOLDER)


def folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_it_takes_at_most_15_mb_with_tokenizer_and_card():
    assert (DEFAULT_FOLDER / "README.md").is_file()
    assert (DEFAULT_FOLDER / "tokenizer.json").is_file()
    assert folder_bytes(DEFAULT_FOLDER) <= 15_000_000


def test_its_matrices_are_int8(released: LoadedModel):
    graph = onnx.load(released.folder / "model.onnx").graph
    matrices = [each for each in graph.initializer if len(each.dims) == 2 and min(each.dims) > 64]
    floats = [each.name for each in matrices if each.data_type == onnx.TensorProto.FLOAT]
    assert released.manifest.route == "onnx"
    assert len(matrices) > 10
    assert floats == []


def test_it_reads_two_to_four_times_the_length_of_usual_titles(released: LoadedModel):
    """The 99th percentile of the sample titles' tokens, specials included."""
    titles, _ = corpus.load(corpus.Source(SAMPLES), released.labels)
    lengths = [len(ids) for ids in released.uncalibrated.tokenizer(titles)]
    longest = float(np.percentile(lengths, 99))
    assert 2 * longest <= released.manifest.max_length <= 4 * longest


def test_it_knows_the_sample_titles(released: LoadedModel):
    titles, label_ids = corpus.load(corpus.Source(SAMPLES), released.labels)
    accuracy = (released.predict_proba(titles).argmax(axis=1) == label_ids).mean()
    assert accuracy >= 0.9


def test_its_card_gives_the_reports_figures():
    report = json.loads((ROOT / "docs" / "report" / "report.json").read_text(encoding="utf-8"))
    card = (DEFAULT_FOLDER / "README.md").read_text(encoding="utf-8")
    (shipped,) = [model for model in report["models"] if model["name"] == "released"]
    version = artifact.Manifest.read(DEFAULT_FOLDER).version
    assert shipped["version"] == version
    for figure in ("accuracy", "macro_f1"):
        assert f"{100 * shipped['metrics'][figure]:.2f} %" in card


@pytest.mark.slow
def test_pip_install_without_extras_classifies_with_it(tmp_path: Path):
    """In an environment of its own, outside the checkout, which stays below 250 MB."""
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "-c", ROOT / "constraints.txt", ROOT], check=True)

    answer = subprocess.run(
        [environment / "bin" / "biaoti", "classify", "--json", TITLE],
        cwd=tmp_path, env={"PATH": os.defpath}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["ranking"][0]["label"] == "sports"
    assert not list(environment.glob("lib/*/site-packages/torch"))
    assert folder_bytes(environment) < 250_000_000
