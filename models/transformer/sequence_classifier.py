"""A class for a whole title, from the encoder's vector of its first token.

    logits = W · Dropout(tanh(P · (h₀ + w) + p)) + b        h₀: the output at [CLS]
w, the vector of the title's width, is ours, and 0 without a `WidthEmbedding`.
Source: Devlin et al. 2019, section 4.1; transformers' `BertForSequenceClassification`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

import torch
from torch import Tensor, nn

from models.transformer.bert import PretrainedBert
from models.transformer.encoder import Encoder
from models.transformer.width_embedding import WidthEmbedding


class SequenceClassifier(nn.Module):
    """An encoder, BERT's pooler and a linear layer.

    Args:
        encoder: with an embedding; its vectors are (B, S, d_model).
        d_model: size of its vectors.
        num_classes: size of the output.
        dropout: share of the pooled vector set to 0 in training.
        width: reads how long a title is, where that is to count.
    """

    def __init__(
        self,
        encoder: Encoder,
        d_model: int,
        num_classes: int,
        dropout: float = 0.1,
        width: WidthEmbedding | None = None,
    ):
        super().__init__()
        self.encoder = encoder
        self.pooler = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.classifier = nn.Linear(d_model, num_classes)
        self.width = width

    def forward(self, ids: Tensor, padding_mask: Tensor | None = None) -> Tensor:
        """Score titles.

        Args:
            ids: (B, S) int64, the first one of each row [CLS].
            padding_mask: (B, S) bool; True = padding.
        Returns:
            (B, num_classes) logits.
        """
        return self.read_out(self.encoder(ids, padding_mask), ids)

    def read_out(self, hidden: Tensor, ids: Tensor) -> Tensor:
        """Score titles by the encoder's vectors.

        Args:
            hidden: (B, S, d_model).
            ids: (B, S) int64, what they are the vectors of.
        Returns:
            (B, num_classes) logits.
        """
        first = hidden[:, 0] if self.width is None else hidden[:, 0] + self.width(ids)
        pooled = torch.tanh(self.pooler(first))  # (B, d_model)
        logits: Tensor = self.classifier(self.dropout(pooled))
        return logits

    @classmethod
    def from_bert(cls, folder: Path | str) -> Self:
        """The classifier of a fine-tuned Hugging Face BERT folder, in evaluation mode.

        Raises:
            PretrainedError: not such a folder, or one without pooler and classifier.
        """
        bert = PretrainedBert.read(Path(folder))
        weights = bert.classifier_weights()
        num_classes, d_model = weights["classifier.weight"].shape
        encoder = Encoder(bert.layers(), final_norm=False, embedding=bert.embedding())
        model = cls(encoder, d_model, num_classes, bert.classifier_dropout)
        bert.fill(model, weights)
        return model.eval()
