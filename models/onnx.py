"""The torch-free runner: tokenizers, ONNX Runtime and NumPy alone.

The graph takes `input_ids` (B, S) and `lengths` (B,), both int32, and gives `logits`
(B, classes) float32.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import onnxruntime

from models.calibration import softmax
from models.classifier import Scores
from models.errors import CorruptArtifact, UsageError
from models.labels import Labels
from models.machine import available_threads
from models.route import Route
from models.tokenization import TitleTokenizer, score_by_length, set_pool_threads

_CONFIG, _GRAPH = "config.json", "model.onnx"


@dataclass(frozen=True)
class OnnxConfig:
    """What must be known of a graph to run it, and is not in it: the content of `config.json`."""

    pad_id: int
    """Stands after the end of the shorter titles of a batch."""
    probe_tolerance: float = 0.02
    """The largest difference of a probe's score that another machine may show: sums of int8
    products differ a little between instruction sets, those of floats hardly."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Raises: CorruptArtifact: not what `save_files` writes."""
        try:
            config = cls(**json.loads(path.read_text()))
            return cls(int(config.pad_id), float(config.probe_tolerance))
        except (OSError, ValueError, TypeError) as error:
            raise CorruptArtifact(f"{path} cannot be read: {error!r}") from error


class OnnxClassifier(Route):
    """Scores titles with an exported graph.

    Each batch runs on one thread, and as many batches at once as there are threads: for networks
    this small that is faster than sharing a batch among cores, and a single title wakes no thread.

    Args:
        graph: the file of the graph.
        batch_size: titles in a batch; small enough for a core's own cache.
        probe_tolerance: as in `OnnxConfig`.
    Raises:
        CorruptArtifact: ONNX Runtime cannot open the graph.
    """

    route: ClassVar[str] = "onnx"
    shared_by_threads: ClassVar[bool] = True

    def __init__(
        self,
        graph: Path,
        tokenizer: TitleTokenizer,
        labels: Labels,
        batch_size: int = 16,
        probe_tolerance: float = OnnxConfig.probe_tolerance,
    ):
        self.graph = graph
        self.tokenizer = tokenizer
        self.labels = labels
        self.max_length: int | None = tokenizer.max_length
        self.batch_size = batch_size
        self.probe_tolerance = probe_tolerance
        self._session: onnxruntime.InferenceSession | None = open_session(graph)
        self._pool = ThreadPoolExecutor(available_threads(), "onnx")  # starts none before a batch

    def score(self, titles: Sequence[str]) -> Scores:
        rows, truncated = self.tokenizer(titles)
        return Scores(softmax(self._logits(rows)), truncated)

    def predict_logits(self, titles: Sequence[str]) -> np.ndarray:
        """Logits, (titles, classes) float32, in the titles' order."""
        return self._logits(self.tokenizer(titles).ids)

    def set_threads(self, threads: int) -> None:
        set_pool_threads(threads)
        self._pool.shutdown()
        self._pool = ThreadPoolExecutor(threads, "onnx")

    def close(self) -> None:
        self._pool.shutdown()
        self._session = None

    def save_files(self, folder: Path) -> None:
        shutil.copyfile(self.graph, folder / _GRAPH)
        config = OnnxConfig(self.tokenizer.pad_id, self.probe_tolerance)
        (folder / _CONFIG).write_text(json.dumps(asdict(config)) + "\n")
        self.tokenizer.save(folder)

    @classmethod
    def load_files(cls, folder: Path, labels: Labels, max_length: int | None) -> Self:
        config = OnnxConfig.read(folder / _CONFIG)
        if max_length is None:
            raise CorruptArtifact(f"{folder}: artifact.json gives no max_length")
        tokenizer = TitleTokenizer.read(folder, config.pad_id, max_length)
        return cls(folder / _GRAPH, tokenizer, labels, probe_tolerance=config.probe_tolerance)

    def _logits(self, rows: Sequence[Sequence[int]]) -> np.ndarray:
        """Of titles by their ids, (titles, classes) float32."""
        apply = map if len(rows) <= self.batch_size else self._pool.map
        return score_by_length(
            rows, self.tokenizer.pad_id, len(self.labels), self.batch_size, self._score, apply
        )

    def _score(self, ids: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        if self._session is None:
            raise UsageError("the model was closed; load it again")
        feed = {"input_ids": ids.astype(np.int32), "lengths": lengths.astype(np.int32)}
        logits: np.ndarray = self._session.run(["logits"], feed)[0]
        return logits


def open_session(graph: Path) -> onnxruntime.InferenceSession:
    """A session that computes on the calling thread.

    Raises:
        CorruptArtifact: ONNX Runtime cannot open the graph.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors
    # Without VNNI, products of uint8 and int8 saturate in 16 bits and scores go wrong. ONNX Runtime
    # then computes exactly, if asked to, among its extended optimisations. Their only fusion that
    # fits our graphs is kept out: the fused operator is the slower one.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.add_session_config_entry("session.x64quantprecision", "1")
    try:
        return onnxruntime.InferenceSession(
            graph,
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=["SkipLayerNormFusion"],
        )
    except Exception as error:  # the library's errors share no other base
        raise CorruptArtifact(f"{graph}: ONNX Runtime cannot open it: {error}") from error
