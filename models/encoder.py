"""A Hugging Face encoder with a classification head (torch).

The folder is an ordinary one of the ecosystem: `transformers.pipeline("text-classification", …)`
opens it as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from models.calibration import softmax
from models.classifier import Scores
from models.errors import CorruptArtifact, MissingDependency
from models.labels import Labels
from models.route import Route
from models.title_text import clean
from models.tokenization import Tokenized, clean_first, cleans, set_pool_threads

try:
    import torch
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        PreTrainedModel,
        PreTrainedTokenizerBase,
    )
except ImportError as error:
    raise MissingDependency(error.name or "torch", "train") from error


def read_clean(tokenizer: PreTrainedTokenizerBase) -> None:
    """As `clean_first`, for a tokenizer of transformers, which has its own word on specials."""
    clean_first(tokenizer.backend_tokenizer)
    tokenizer.split_special_tokens = tokenizer.init_kwargs["split_special_tokens"] = True


def positions(model: PreTrainedModel) -> int | None:
    """Tokens that a network can read at once; None where it has no limit.

    Those of the RoBERTa family count positions from behind the padding's.
    """
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            first = 0 if module.padding_idx is None else module.padding_idx + 1
            return module.num_embeddings - first
    limit: int | None = getattr(model.config, "max_position_embeddings", None)
    return limit


class EncoderClassifier(Route):
    """Scores titles with an encoder, in length-sorted batches padded to their longest.

    Args:
        model: any model of `AutoModelForSequenceClassification`, put into evaluation mode.
        tokenizer: its fast tokenizer.
        max_length: tokens of a title that are read, specials included; never more than the model
            has positions.
        batch_size: titles scored at once.
    """

    route: ClassVar[str] = "encoder"
    probe_tolerance: float = 1e-3

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        labels: Labels,
        max_length: int | None = 64,
        batch_size: int = 64,
    ):
        self.model = model.eval()
        self.tokenizer = tokenizer
        self._cleans = cleans(tokenizer.backend_tokenizer)
        self.labels = labels
        self.max_length = min(filter(None, [max_length, positions(model)]), default=None)
        self.batch_size = batch_size

    def score(self, titles: Sequence[str]) -> Scores:
        rows, truncated = self.tokenize(titles)
        return Scores(softmax(self._logits(rows)), truncated)

    def predict_logits(self, titles: Sequence[str]) -> np.ndarray:
        """Logits, (titles, classes) float32, in the titles' order."""
        return self._logits(self.tokenize(titles).ids)

    def set_threads(self, threads: int) -> None:
        """Of the whole process: torch has one pool for all models."""
        set_pool_threads(threads)
        torch.set_num_threads(threads)

    def tokenize(self, titles: Sequence[str], max_length: int | None = None) -> Tokenized:
        """Ids of each title, cleaned first if its tokenizer is one that cleans.

        Args:
            max_length: of a title, specials included; by default the classifier's.
        """
        if not titles:
            return Tokenized([], np.zeros(0, dtype=bool))
        batch = self.tokenizer(
            [clean(title) for title in titles] if self._cleans else list(titles),
            truncation=True,
            max_length=max_length or self.max_length,
            verbose=False,
        )
        truncated = [bool(encoding.overflowing) for encoding in batch.encodings or ()]
        return Tokenized(batch["input_ids"], np.array(truncated))

    def _logits(self, rows: Sequence[Sequence[int]]) -> np.ndarray:
        """Of titles by their ids, (titles, classes) float32."""
        logits = np.empty((len(rows), len(self.labels)), dtype=np.float32)
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        for start in range(0, len(order), self.batch_size):
            chosen = order[start : start + self.batch_size]
            batch = self.tokenizer.pad(
                {"input_ids": [rows[i] for i in chosen]}, return_tensors="pt"
            )
            with torch.inference_mode():
                output = self.model(**batch.to(self.model.device))
            logits[chosen] = output.logits.float().cpu().numpy()
        return logits

    def save_files(self, folder: Path) -> None:
        self.model.config.id2label = dict(enumerate(self.labels.names))
        self.model.config.label2id = dict(self.labels.ids)
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)

    @classmethod
    def load_files(cls, folder: Path, labels: Labels, max_length: int | None) -> Self:
        try:
            model = AutoModelForSequenceClassification.from_pretrained(
                folder, trust_remote_code=False, use_safetensors=True, local_files_only=True
            )
            tokenizer = AutoTokenizer.from_pretrained(
                folder, trust_remote_code=False, local_files_only=True
            )
        except (OSError, ValueError) as error:
            raise CorruptArtifact(f"{folder}: transformers cannot open it: {error}") from error
        return cls(model, tokenizer, labels, max_length)
