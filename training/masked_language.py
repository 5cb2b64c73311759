"""Go on pretraining an encoder on unlabelled titles: guess the masked pieces.

Source: Devlin et al. 2019 (masking 80/10/10); Gururangan et al. 2020 (why it helps before
fine-tuning on the same domain).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import AutoConfig, AutoModelForMaskedLM, AutoTokenizer, PreTrainedTokenizerBase

from models.staging import staged_folder
from training.batches import LengthBucketedBatches, pad
from training.loop import History, LoopSettings, TrainingLoop

MASKED_SHARE = 0.2
"""Share of the pieces to guess; titles are short, so more than BERT's 15 %."""


def continue_pretraining(
    encoder: Path,
    titles: Sequence[str],
    output: Path,
    settings: LoopSettings,
    run_folder: Path,
    max_length: int = 64,
    show_progress: bool = True,
) -> History:
    """Train `encoder` on `titles` and write it to the folder `output`, in the same format."""
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    config = AutoConfig.from_pretrained(encoder)
    dropout = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    model = AutoModelForMaskedLM.from_pretrained(encoder, trust_remote_code=False, **dropout)
    rows = tokenizer(list(titles), truncation=True, max_length=max_length)["input_ids"]
    batches = LengthBucketedBatches([len(row) for row in rows], settings.batch_size, settings.seed)
    loss = MaskedLanguageLoss(rows, tokenizer)
    history = TrainingLoop(
        model, loss, batches, settings, run_folder, show_progress=show_progress
    ).run()
    with staged_folder(output) as staging:
        model.base_model.save_pretrained(staging)
        config.save_pretrained(staging)
        tokenizer.save_pretrained(staging)
    return history


class MaskedLanguageLoss:
    """Cross-entropy over the masked pieces; the vocabulary's logits are computed for them alone."""

    def __init__(self, rows: Sequence[Sequence[int]], tokenizer: PreTrainedTokenizerBase):
        self.rows = rows
        self.pad_id: int = tokenizer.pad_token_id
        self.mask_id: int = tokenizer.mask_token_id
        self.special_ids = torch.tensor(sorted(set(tokenizer.all_special_ids)))
        self.vocab_size = len(tokenizer)

    def __call__(self, model: nn.Module, indices: list[int]) -> Tensor:
        batch = pad([self.rows[i] for i in indices], self.pad_id)
        targets = batch["input_ids"]
        batch["input_ids"], chosen = self.mask(targets)
        hidden = model.base_model(**batch).last_hidden_state[chosen]  # (chosen, D)
        return F.cross_entropy(model.cls(hidden).float(), targets[chosen])

    def mask(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """(B, S) ids to the corrupted ids and the (B, S) bool of those to guess; at least one."""
        allowed = ~torch.isin(ids, self.special_ids)
        chosen = allowed & (torch.rand(ids.shape) < MASKED_SHARE)
        if not chosen.any():
            chosen = allowed
        dice = torch.rand(ids.shape)
        masked = ids.masked_fill(chosen & (dice < 0.8), self.mask_id)
        random_ids = torch.randint(self.vocab_size, ids.shape)
        return torch.where(chosen & (dice >= 0.9), random_ids, masked), chosen
