"""Go on pretraining an encoder on unlabelled titles: guess the masked pieces.

Source: Devlin et al. 2019 (masking 80/10/10); Gururangan et al. 2020 (why it helps before
fine-tuning on the same domain).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import torch
from torch import Tensor
from torch.nn import functional as F
from transformers import (
    AutoConfig,
    AutoModelForMaskedLM,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from models.bounds import Bounds, PositiveInt, ShareBelowOne
from models.encoder import read_clean
from models.outputs import OutputKind, holds_others, lacks
from models.staging import staged_folder
from models.title_text import clean
from training.batches import LengthBucketedBatches, pad
from training.compute import device
from training.default_observers import default_observers
from training.finetune import require_positions
from training.history import History
from training.loop import TrainingLoop
from training.settings import LoopSettings, PeakRate, TokensRead


@dataclass(frozen=True)
class PretrainSettings(LoopSettings):
    """The loop's settings with defaults for going on with pretraining on short titles."""

    epochs: PositiveInt = 2
    """Passes over the titles."""
    batch_size: PositiveInt = 64
    """Titles a step."""
    learning_rate: PeakRate = 3e-4
    """Peak rate of AdamW."""
    warmup_ratio: ShareBelowOne = 0.06
    """Share of the steps over which the rate rises from 0; it then falls to 0 linearly."""
    masked_share: Annotated[float, Bounds(above=0, below=1)] = 0.2
    """Share of the pieces to guess; titles are short, so more than BERT's 15 %."""
    max_length: TokensRead = 64
    """Tokens of a title that are read, specials included."""


def continue_pretraining(
    encoder: Path,
    titles: Sequence[str],
    output: Path,
    settings: PretrainSettings,
    run_folder: Path,
    show_progress: bool = True,
) -> History:
    """Train `encoder` on `titles` and write it to the folder `output`, in the same format.

    Raises:
        UsageError: `max_length` exceeds what the encoder can read.
    """
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    config = AutoConfig.from_pretrained(encoder)
    dropout = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    model = AutoModelForMaskedLM.from_pretrained(encoder, trust_remote_code=False, **dropout)
    require_positions(model, settings.max_length)
    read_clean(tokenizer)
    cleaned = [clean(title) for title in titles]
    rows = tokenizer(cleaned, truncation=True, max_length=settings.max_length)["input_ids"]
    batches = LengthBucketedBatches([len(row) for row in rows], settings.batch_size, settings.seed)
    loss = MaskedLanguageLoss(rows, tokenizer, settings)
    identity = hashlib.sha256("\n".join([encoder.name, *titles]).encode()).hexdigest()
    loop = TrainingLoop(
        model,
        loss,
        batches,
        settings,
        run_folder,
        identity=identity,
        observers=default_observers(run_folder, show_progress),
    )
    history = loop.run()
    model.to("cpu")
    with staged_folder(output) as staging:
        model.base_model.save_pretrained(staging)
        config.save_pretrained(staging)
        tokenizer.save_pretrained(staging)
    loop.run_folder.clean()
    return history


_ENCODER_FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
ENCODER = OutputKind(
    "an encoder that biaoti wrote",
    lambda folder: lacks("config.json")(folder) or holds_others(folder, _ENCODER_FILES),
)
"""The folder that `continue_pretraining` writes; a clone from the hub holds more."""


class MaskedLanguageLoss:
    """Cross-entropy over the masked pieces; the vocabulary's logits are computed for them alone."""

    def __init__(
        self,
        rows: Sequence[Sequence[int]],
        tokenizer: PreTrainedTokenizerBase,
        settings: PretrainSettings,
    ):
        self.rows, self.settings = rows, settings
        self.pad_id: int = tokenizer.pad_token_id
        self.mask_id: int = tokenizer.mask_token_id
        self.special_ids = torch.tensor(sorted(set(tokenizer.all_special_ids)))
        self.vocab_size = len(tokenizer)

    def __call__(self, model: PreTrainedModel, indices: list[int]) -> Tensor:
        batch = pad([self.rows[i] for i in indices], self.pad_id)
        targets = batch["input_ids"]
        batch["input_ids"], chosen = self.mask(targets)
        batch = {name: tensor.to(device()) for name, tensor in batch.items()}
        hidden = model.base_model(**batch).last_hidden_state[chosen]  # (chosen, D)
        return F.cross_entropy(model.cls(hidden).float(), targets[chosen].to(hidden.device))

    def mask(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """(B, S) ids to the corrupted ids and the (B, S) bool of those to guess; at least one."""
        allowed = ~torch.isin(ids, self.special_ids)
        chosen = allowed & (torch.rand(ids.shape) < self.settings.masked_share)
        if not chosen.any():
            chosen = allowed
        dice = torch.rand(ids.shape)
        masked = ids.masked_fill(chosen & (dice < 0.8), self.mask_id)
        random_ids = torch.randint(self.vocab_size, ids.shape)
        return torch.where(chosen & (dice >= 0.9), random_ids, masked), chosen
