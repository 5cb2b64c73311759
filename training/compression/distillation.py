"""Train a small classifier on what a large one says, and on labels where there are any.

    loss = (1 − α) · L(y, softmax(z)) + α · T² · KL(softmax(t / T) ‖ softmax(z / T))

z are the student's logits, t the teacher's log-probabilities (which serve as its logits: they
differ by a constant a title), y the label, L cross-entropy or what `training.partial_labels` makes
of a label that says less. T² makes the gradients of the soft term as large at
every T. The loss of a batch is the mean over its titles; a title without a label has no first
term, and its second one weighs the same as that of any other. α = 0 is training without a teacher.
Source: Hinton et al. 2015, "Distilling the Knowledge in a Neural Network".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from models.bounds import NonNegativeFloat, PositiveFloat, PositiveInt, Share, ShareBelowOne
from models.classifier import Scores
from models.errors import UsageError
from models.student import StudentClassifier
from models.transformer.masks import from_attention_mask
from models.transformer.sequence_classifier import SequenceClassifier
from titles import LabelledTitles
from training.augmentation import TitleRows
from training.batches import classifier_batches, pad
from training.compression.hidden_states import HiddenStateLoss
from training.compression.magnitude import zeros_kept
from training.compression.student_start import cut_positions
from training.compute import device
from training.default_observers import default_observers
from training.finetune import score_on
from training.history import History
from training.loop import TrainingLoop
from training.partial_labels import partial_label_loss
from training.run_folder import RunFolder
from training.settings import ClassifierSettings, PeakRate


@dataclass(frozen=True)
class DistillSettings(ClassifierSettings):
    """A classifier's settings with defaults for a small student, and those of distillation."""

    epochs: PositiveInt = 12
    """Passes over the titles, labelled and unlabelled."""
    batch_size: PositiveInt = 64
    """Titles a step."""
    learning_rate: PeakRate = 3e-4
    """Peak rate of AdamW, at the top of the encoder."""
    warmup_ratio: ShareBelowOne = 0.06
    """Share of the steps over which the rate rises from 0; it then falls to 0 linearly."""
    average_decay: ShareBelowOne = 0.999
    """Decay a step of the exponential moving average that is evaluated and kept; 0 = no average."""
    patience: PositiveInt = 6
    """Evaluations without a better score after which training stops."""
    alpha: Share = 0.9
    """Share of the teacher in the loss; the rest is the labels'. 0 = no teacher."""
    softening: PositiveFloat = 2.0
    """T, by which both sides' logits are divided before the student is compared to the teacher."""
    hidden_weight: NonNegativeFloat = 0.0
    """Weight of the difference between hidden states; 0 = off. Needs an encoder as teacher."""


@dataclass(frozen=True)
class Distilled:
    """A student and the run's history."""

    classifier: StudentClassifier
    dev_scores: Scores
    """Its scores on dev, not calibrated."""
    history: History
    run_folder: RunFolder
    """Cleaned by whoever has saved the classifier; until then the same call gives it again."""


def distill(
    start: StudentClassifier,
    examples: LabelledTitles,
    teacher_scores: np.ndarray | None,
    dev: LabelledTitles,
    settings: DistillSettings,
    run_folder: Path,
    teacher: StudentClassifier | None = None,
    show_progress: bool = True,
) -> Distilled:
    """Train a copy of `start`, keep the weights best on `dev`.

    Args:
        start: the student before training; it stays as it is.
        examples: titles with their labels, `NO_LABEL` for those that have none.
        teacher_scores: (titles, classes), the teacher's log-probabilities for each of them; None
            where alpha is 0.
        run_folder: holds checkpoint, curves and events; an interrupted run goes on from it.
        teacher: its network, where hidden states are compared.
    Raises:
        UsageError: scores or teacher are missing, titles without a label have nothing to teach, or
            the run folder holds a checkpoint of another run.
        FileError: the run folder holds a damaged checkpoint.
    """
    student = cut_positions(start, settings.max_length)  # a copy
    _require_what_is_learned_from(examples, teacher_scores, teacher, settings)
    hidden = HiddenStateLoss(teacher, student) if teacher and settings.hidden_weight else None
    models = [start, teacher] if teacher and hidden else [start]
    loss = DistillationLoss(student, examples, teacher_scores, settings, hidden)
    loop = TrainingLoop(
        student.network,
        loss,
        classifier_batches(examples, loss.rows.lengths, settings),
        settings,
        run_folder,
        evaluate=lambda network: score_on(
            StudentClassifier(network, student.config, student.tokenizer, student.labels), dev
        ),
        identity=_identity(models, examples, teacher_scores, dev),
        observers=default_observers(run_folder, show_progress),
    )
    with zeros_kept(student.network):  # else a magnitude-pruned one would not stay so
        history = loop.run()
    student.network.to("cpu")
    scores = student.score(dev.titles)
    return Distilled(student, scores, history, loop.run_folder)


class DistillationLoss:
    """The loss of a batch of titles, tokenised once; the equation stands at the top of the file.

    Args:
        teacher_scores: (titles, classes) log-probabilities; None where alpha is 0.
        hidden: adds `settings.hidden_weight` times its value.
    """

    def __init__(
        self,
        student: StudentClassifier,
        examples: LabelledTitles,
        teacher_scores: np.ndarray | None,
        settings: DistillSettings,
        hidden: HiddenStateLoss | None = None,
    ):
        self.settings, self.hidden = settings, hidden
        self.pad_id = student.config.pad_id
        self.rows = TitleRows(
            examples.titles,
            lambda titles: student.tokenizer(titles).ids,
            settings.augmentation > 0,
            settings.seed,
        )
        self.may_be = torch.tensor(examples.may_be)
        self.teacher_scores = None if teacher_scores is None else torch.tensor(teacher_scores)

    def __call__(self, network: SequenceClassifier, indices: list[int]) -> Tensor:
        batch = pad(self.rows(indices), self.pad_id, device())
        ids, padding = batch["input_ids"], from_attention_mask(batch["attention_mask"])
        extra: Tensor | float = 0.0
        if self.hidden is None:
            logits = network(ids, padding)
        else:
            states = network.encoder.trace(ids, padding).hidden_states
            logits = network.read_out(network.encoder.final_norm(states[-1]), ids)
            extra = self.settings.hidden_weight * self.hidden(states, ids, padding)
        titles = self.rows.titles_of(indices)
        alpha, may_be = self.settings.alpha, self.may_be[titles].to(device())
        loss = (1 - alpha) * partial_label_loss(
            logits.float(), may_be, outside_weight=self.settings.outside_weight
        ).mean()
        if self.teacher_scores is not None and alpha:
            scores = self.teacher_scores[titles].to(device())
            loss = loss + alpha * soft_loss(logits.float(), scores, self.settings.softening)
        return loss + extra


def soft_loss(logits: Tensor, teacher_scores: Tensor, softening: float) -> Tensor:
    """T² · KL(teacher ‖ student), both softened by T, the mean over the titles.

    Args:
        logits: (B, classes), the student's.
        teacher_scores: (B, classes), the teacher's logits or log-probabilities.
    """
    student = (logits / softening).log_softmax(dim=-1)
    teacher = (teacher_scores / softening).log_softmax(dim=-1)
    divergence = F.kl_div(student, teacher, reduction="batchmean", log_target=True)
    return softening**2 * divergence


def _require_what_is_learned_from(
    examples: LabelledTitles,
    teacher_scores: np.ndarray | None,
    teacher: StudentClassifier | None,
    settings: DistillSettings,
) -> None:
    if settings.alpha and teacher_scores is None:
        raise UsageError(f"alpha is {settings.alpha}, so the teacher's scores are needed")
    if settings.hidden_weight and teacher is None:
        raise UsageError("hidden states are compared to those of a teacher with a Transformer")
    learns_without_label = settings.alpha or settings.hidden_weight
    if not learns_without_label and not examples.has_label.all():
        raise UsageError("without a teacher nothing is learned from unlabelled titles; omit them")


def _identity(
    models: Sequence[StudentClassifier],
    examples: LabelledTitles,
    scores: np.ndarray | None,
    dev: LabelledTitles,
) -> str:
    """SHA-256 of all that a run depends on besides its settings."""
    digest = hashlib.sha256((examples.content_sha256 + dev.content_sha256).encode())
    digest.update(b"" if scores is None else scores.tobytes())
    for model in models:
        digest.update(json.dumps(asdict(model.config)).encode())
        for tensor in model.network.state_dict().values():
            digest.update(tensor.cpu().numpy().tobytes())
    return digest.hexdigest()
