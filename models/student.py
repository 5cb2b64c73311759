"""A small classifier on our own Transformer encoder (torch).

Its layers may differ in heads and width, and any linear layer may be cut in two of low rank, so
that what distillation, pruning and factorisation leave is an ordinary, dense, loadable model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from models.calibration import softmax
from models.classifier import Scores
from models.errors import CorruptArtifact, MissingDependency, UsageError
from models.labels import Labels
from models.route import Route
from models.tokenization import TitleTokenizer, score_by_length, set_pool_threads
from models.transformer.layer_config import LayerConfig

try:
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file, save_file
    from torch import Tensor

    from models.transformer.embedding import BertEmbedding
    from models.transformer.encoder import Encoder
    from models.transformer.low_rank import find_linear, replace_module, two_layers
    from models.transformer.masks import padding_mask
    from models.transformer.sequence_classifier import SequenceClassifier
    from models.transformer.width_embedding import WidthEmbedding
except ImportError as error:
    raise MissingDependency(error.name or "torch", "train") from error

_CONFIG, _WEIGHTS = "config.json", "model.safetensors"
_UNFIT = (OSError, ValueError, TypeError, LookupError, RuntimeError, UsageError)
"""What reading and building from files raises that were not written by `save_files`."""


@dataclass(frozen=True)
class StudentConfig:
    """What a student is built from."""

    vocab_size: int
    max_positions: int
    """Longest sequence of ids, specials included."""
    pad_id: int
    layers: tuple[LayerConfig, ...]
    """From the embedding upwards."""
    ranks: dict[str, int] = field(default_factory=dict)
    """Linear layers cut in two, by their names in the network, with the size in between."""
    reads_width: bool = False
    """Whether it has a `WidthEmbedding`: those that earlier revisions trained do."""
    width_limits: tuple[int, int] = (64, 128)
    """Characters and columns of a title that it tells apart, if it has one."""
    segments: int = 1
    """Segment vectors, of which a title reads the first."""

    def build(self, classes: int) -> SequenceClassifier:
        """The network, with random weights."""
        top = self.layers[-1]
        embedding = BertEmbedding(
            self.vocab_size,
            top.d_model,
            self.max_positions,
            segments=self.segments,
            dropout=top.dropout,
            eps=top.eps,
        )
        encoder = Encoder(self.layers, final_norm=False, embedding=embedding)
        width = None
        if self.reads_width:
            width = WidthEmbedding(self.vocab_size, top.d_model, self.width_limits)
        network = SequenceClassifier(encoder, top.d_model, classes, top.dropout, width)
        for name, rank in self.ranks.items():
            replace_module(network, name, two_layers(find_linear(network, name), rank))
        return network

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Self:
        """Raises: TypeError, UsageError: not what `asdict` gives."""
        config = cls(**content)
        characters, columns = config.width_limits
        layers = tuple(LayerConfig(**layer) for layer in content["layers"])
        return replace(config, layers=layers, width_limits=(characters, columns))


class StudentClassifier(Route):
    """Scores titles with a `SequenceClassifier`.

    Args:
        network: put into evaluation mode; told the widths of the tokenizer's pieces.
        config: what `network` was built from.
        batch_size: titles scored at once.
    """

    route: ClassVar[str] = "student"
    probe_tolerance: float = 1e-3

    def __init__(
        self,
        network: SequenceClassifier,
        config: StudentConfig,
        tokenizer: TitleTokenizer,
        labels: Labels,
        batch_size: int = 64,
    ):
        self.network = network.eval()
        self.config = config
        self.tokenizer = tokenizer
        self.labels = labels
        self.max_length: int | None = tokenizer.max_length
        self.batch_size = batch_size
        if network.width is not None:
            widths = torch.from_numpy(tokenizer.piece_widths(config.vocab_size))
            network.width.piece_widths.copy_(widths)

    def score(self, titles: Sequence[str]) -> Scores:
        rows, truncated = self.tokenizer(titles)
        return Scores(softmax(self._logits(rows)), truncated)

    def predict_logits(self, titles: Sequence[str]) -> np.ndarray:
        """Logits, (titles, classes) float32, in the titles' order."""
        return self._logits(self.tokenizer(titles).ids)

    def set_threads(self, threads: int) -> None:
        """Of the whole process: torch has one pool for all models."""
        set_pool_threads(threads)
        torch.set_num_threads(threads)

    def save_files(self, folder: Path) -> None:
        (folder / _CONFIG).write_text(json.dumps(asdict(self.config), indent=2) + "\n")
        save_file(self.tensors(), folder / _WEIGHTS)
        self.tokenizer.save(folder)

    @classmethod
    def load_files(cls, folder: Path, labels: Labels, max_length: int | None) -> Self:
        try:
            config = StudentConfig.from_json(json.loads((folder / _CONFIG).read_text()))
            network = config.build(len(labels))
            cls.fill(network, load_file(folder / _WEIGHTS))
        except (*_UNFIT, SafetensorError) as error:
            raise CorruptArtifact(f"{folder}: the student cannot be built: {error}") from error
        length = config.max_positions if max_length is None else max_length
        tokenizer = TitleTokenizer.read(folder, config.pad_id, length)
        return cls(network, config, tokenizer, labels)

    def with_(
        self,
        config: StudentConfig | None = None,
        tokenizer: TitleTokenizer | None = None,
        tensors: Mapping[str, Tensor] | None = None,
    ) -> StudentClassifier:
        """A copy of this student, built anew with some of its parts changed.

        Args:
            config: what it is built from; what then has no place in the network is left out.
            tokenizer: cuts its titles.
            tensors: weights by name that are others than this one's, or that it does not have.
        Raises:
            RuntimeError: the config asks for a tensor that neither has, or of another size.
        """
        config = config or self.config
        network = config.build(len(self.labels))
        weights = {**self.network.state_dict(), **(tensors or {})}
        wanted = network.state_dict().keys()
        network.load_state_dict({name: weights[name] for name in wanted & weights.keys()})
        return StudentClassifier(
            network, config, tokenizer or self.tokenizer, self.labels, self.batch_size
        )

    def tensors(self) -> dict[str, Tensor]:
        """What the weights' file holds, by name."""
        return self.network.state_dict()

    @classmethod
    def fill(cls, network: SequenceClassifier, tensors: dict[str, Tensor]) -> None:
        """Give a network, as it was built, what `tensors` wrote.

        Raises:
            KeyError, RuntimeError: a tensor is missing, or its shape does not fit.
        """
        network.load_state_dict(tensors)

    def _logits(self, rows: Sequence[Sequence[int]]) -> np.ndarray:
        """Of titles by their ids, (titles, classes) float32."""
        return score_by_length(
            rows, self.config.pad_id, len(self.labels), self.batch_size, self._score
        )

    @torch.inference_mode()
    def _score(self, ids: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        device = next(self.network.parameters()).device
        mask = padding_mask(torch.from_numpy(lengths), ids.shape[1]).to(device)
        logits = self.network(torch.from_numpy(ids).to(device), mask)
        scores: np.ndarray = logits.float().cpu().numpy()
        return scores
