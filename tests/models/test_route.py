"""What every route promises of one pass over a title and of threads."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from models import artifact
from models.classifier import Scores, predict
from models.encoder import EncoderClassifier
from models.ensemble import EnsembleClassifier
from models.errors import ArtifactError, UsageError
from models.labels import Labels
from models.route import Route, find_route
from models.student import StudentClassifier
from training.compression.export import to_onnx


@pytest.fixture
def torch_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


class CountingTokenizer:
    """A tokenizer of the library that counts how often its methods are called."""

    def __init__(self, tokenizer: Any):
        self._tokenizer, self.calls = tokenizer, Counter[str]()

    def __getattr__(self, name: str) -> Any:
        self.calls[name] += 1
        return getattr(self._tokenizer, name)


@pytest.mark.parametrize("route", ["student", "onnx"])
def test_a_prediction_reads_a_title_once(
    route: str, tmp_path: Path, tiny_student: StudentClassifier
):
    model = tiny_student if route == "student" else to_onnx(tiny_student, tmp_path / "graph")
    model.tokenizer.tokenizer = CountingTokenizer(model.tokenizer.tokenizer)

    (prediction,) = predict(model, ["股" * 40])

    assert prediction.truncated is True
    assert model.tokenizer.tokenizer.calls == {"encode": 1}


def test_a_prediction_of_an_encoder_reads_a_title_once(
    tiny_classifier: EncoderClassifier, monkeypatch: pytest.MonkeyPatch
):
    kind, read = type(tiny_classifier.tokenizer), []
    whole: Callable[..., Any] = kind._encode_plus

    def counting(self: Any, text: list[str], *args: Any, **options: Any) -> Any:
        read.extend(text)
        return whole(self, text, *args, **options)

    monkeypatch.setattr(kind, "_encode_plus", counting)

    predictions = predict(tiny_classifier, ["股" * 40, "a"])

    assert [prediction.truncated for prediction in predictions] == [True, False]
    assert read == ["股" * 40, "a"]


class Constant(Route):
    """Finds all classes alike, with what a route inherits besides."""

    route, probe_tolerance, max_length = "constant", 0.0, None
    labels = Labels.of(["stocks", "sports"])

    def score(self, titles: Sequence[str]) -> Scores:
        return Scores.of_whole_titles(np.full((len(titles), 2), 0.5, dtype=np.float32))

    def save_files(self, folder: Path) -> None: ...

    @classmethod
    def load_files(cls, folder: Path, labels: Labels, max_length: int | None) -> Constant:
        return cls()


def test_a_route_is_given_probabilities_and_needs_no_threads():
    model = Constant()
    model.set_threads(3)
    model.close()

    assert model.predict_proba(["a", "b"]).tolist() == [[0.5, 0.5]] * 2
    assert model.score(["a", "b"]).truncated.tolist() == [False, False]


@pytest.mark.parametrize("route", ["tiny_classifier", "tiny_student"])
def test_threads_are_those_of_torch_and_of_the_tokenizer(
    route: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("RAYON_NUM_THREADS", raising=False)
    before = torch.get_num_threads()

    request.getfixturevalue(route).set_threads(before + 2)

    try:
        assert torch.get_num_threads() == before + 2
        assert os.environ["RAYON_NUM_THREADS"] == str(before + 2)
    finally:
        torch.set_num_threads(before)
        monkeypatch.delenv("RAYON_NUM_THREADS")


def test_a_route_is_found_by_the_name_of_its_entry_point():
    assert find_route("student") is StudentClassifier


def test_an_unknown_route_lists_the_known_ones():
    with pytest.raises(ArtifactError, match="unknown route 'oracle'; this installation has: enc"):
        find_route("oracle")


@pytest.mark.usefixtures("torch_threads")
def test_a_model_is_loaded_with_the_threads_that_it_is_given(
    tmp_path: Path, tiny_student: StudentClassifier, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("RAYON_NUM_THREADS", raising=False)
    monkeypatch.setattr(artifact, "available_threads", lambda: 3)
    artifact.save(tiny_student, tmp_path / "model")

    artifact.load(tmp_path / "model", threads=1)
    assert torch.get_num_threads() == 1
    assert os.environ["RAYON_NUM_THREADS"] == "1"
    artifact.load(tmp_path / "model")
    assert torch.get_num_threads() == 3
    with pytest.raises(UsageError, match="needs at least one thread, not 0"):
        artifact.load(tmp_path / "model", threads=0)


@pytest.mark.usefixtures("torch_threads")
def test_a_model_is_closed_at_the_end_of_its_block_with_all_its_members(
    tmp_path: Path, tiny_student: StudentClassifier
):
    artifact.save(to_onnx(tiny_student, tmp_path / "graph"), tmp_path / "member")
    member = artifact.load(tmp_path / "member")
    artifact.save(EnsembleClassifier({"member": member}, [1.0]), tmp_path / "both")

    with artifact.load(tmp_path / "both", threads=2) as model:
        inner = model.uncalibrated.members["member"]
        assert inner.uncalibrated._pool._max_workers == 2
        assert model.score(["股"]).truncated.tolist() == [False]

    with pytest.raises(UsageError, match="was closed"):
        inner.score(["股"])
    assert member.score(["股"]).probabilities.shape == (1, 3)
