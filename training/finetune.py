"""Fine-tune a pretrained encoder on labelled titles."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel

from models.bounds import NonNegativeFloat, ShareBelowOne
from models.calibration import softmax
from models.classifier import Scores
from models.encoder import EncoderClassifier, positions, read_clean
from models.errors import PretrainedError, UsageError
from models.labels import Labels
from models.student import StudentClassifier
from scoring.metrics import accuracy, log_loss, macro_f1
from scoring.newsrooms import mean_of_recalls, newsroom_scores
from titles import LabelledTitles
from training.augmentation import TitleRows
from training.batches import classifier_batches, pad
from training.compute import device
from training.default_observers import default_observers
from training.first_token import logits_of
from training.history import History
from training.loop import TrainingLoop
from training.partial_labels import partial_label_loss
from training.run_folder import RunFolder
from training.settings import ClassifierSettings


@dataclass(frozen=True)
class FineTuneSettings(ClassifierSettings):
    """The settings of a classifier, and those of fine-tuning; defaults are a full-size BERT's."""

    label_smoothing: ShareBelowOne = 0.0
    """Share of the target spread evenly over all classes."""
    consistency: NonNegativeFloat = 0.0
    """Weight of R-Drop, which reads each title twice; 0 = off (Liang et al. 2021)."""


_RECOMMENDED = {
    "e5-small-zh": FineTuneSettings(
        epochs=5, learning_rate=1e-4, consistency=2.0, average_decay=0.999
    )
}


def recommended(encoder: str) -> FineTuneSettings:
    """What was found on dev for the encoder of this name, else the settings of a full-size BERT."""
    return _RECOMMENDED.get(encoder, FineTuneSettings())


HEAD_SEED = 13
"""Of a new head's weights: the same in all runs, so that their weights can be averaged."""


@dataclass(frozen=True)
class FineTuned:
    """A fine-tuned classifier and the run's history."""

    classifier: EncoderClassifier
    dev_scores: Scores
    """Its scores on dev, not calibrated."""
    history: History
    run_folder: RunFolder
    """Cleaned by whoever has saved the classifier; until then the same call gives it again."""


def fine_tune(
    encoder: Path,
    train: LabelledTitles,
    dev: LabelledTitles,
    settings: FineTuneSettings,
    run_folder: Path,
    show_progress: bool = True,
) -> FineTuned:
    """Fine-tune `encoder` on `train`, keep the weights best on `dev`.

    Args:
        encoder: a Hugging Face folder that `AutoModelForSequenceClassification` opens.
        run_folder: holds checkpoint, curves and events; an interrupted run goes on from it.
    Raises:
        PretrainedError: the folder cannot be opened as an encoder.
        UsageError: `max_length` exceeds what the encoder can read, or the run folder holds a
            checkpoint of another run.
        FileError: the run folder holds a damaged checkpoint.
        DataError: a training title without a label, or fewer than two classes.
    """
    train.require_two_classes()
    torch.manual_seed(HEAD_SEED)
    classifier = open_encoder(encoder, train.labels, settings.max_length)
    loss = ClassificationLoss(classifier, train, settings)
    batches = classifier_batches(train, loss.lengths, settings)
    loop = TrainingLoop(
        classifier.model,
        loss,
        batches,
        settings,
        run_folder,
        evaluate=lambda model: score_on(
            EncoderClassifier(model, classifier.tokenizer, train.labels, settings.max_length), dev
        ),
        identity=f"{encoder.name} {train.content_sha256} {dev.content_sha256}",
        observers=default_observers(run_folder, show_progress),
    )
    history = loop.run()
    classifier.model.to("cpu")
    scores = classifier.score(dev.titles)
    return FineTuned(classifier, scores, history, loop.run_folder)


def open_encoder(folder: Path, labels: Labels, max_length: int) -> EncoderClassifier:
    """The encoder with a new head for `labels`; the folder's own code is never run."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
        model = AutoModelForSequenceClassification.from_pretrained(
            folder,
            num_labels=len(labels),
            id2label=dict(enumerate(labels.names)),
            label2id=labels.ids,
            trust_remote_code=False,
            ignore_mismatched_sizes=True,
        )
    except (OSError, ValueError) as error:
        raise PretrainedError(
            f"{folder} cannot be opened as an encoder with its tokenizer: {error}"
        ) from error
    require_positions(model, max_length)
    read_clean(tokenizer)
    return EncoderClassifier(model, tokenizer, labels, max_length)


def require_positions(model: PreTrainedModel, max_length: int) -> None:
    """Refuse to read more tokens than the encoder has positions for.

    Raises:
        UsageError: says how many it has.
    """
    limit = positions(model)
    if limit is not None and max_length > limit:
        raise UsageError(
            f"max_length must be at most {limit} with this encoder, which has no more positions, "
            f"not {max_length}"
        )


class ClassificationLoss:
    """The loss of a batch of titles, tokenised once: see `training.partial_labels`.

    With `consistency` c > 0 each title is read twice under different dropout, p and q, and
    c · (KL(p‖q) + KL(q‖p)) / 2 is added (R-Drop, Liang et al. 2021).
    """

    def __init__(
        self, classifier: EncoderClassifier, train: LabelledTitles, settings: FineTuneSettings
    ):
        self.settings = settings
        self.pad_id: int = classifier.tokenizer.pad_token_id
        self.rows = TitleRows(
            train.titles,
            lambda titles: classifier.tokenize(titles, settings.max_length).ids,
            settings.augmentation > 0,
            settings.seed,
        )
        self.may_be = torch.tensor(train.may_be)

    @property
    def lengths(self) -> list[int]:
        """Tokens of each row."""
        return self.rows.lengths

    def __call__(self, model: PreTrainedModel, indices: list[int]) -> Tensor:
        twice = indices * 2 if self.settings.consistency else indices
        batch = pad(self.rows(twice), self.pad_id, device())
        may_be = self.may_be[self.rows.titles_of(twice)].to(device())
        logits = logits_of(model, **batch).float()  # (batch, classes)
        settings = self.settings
        loss = partial_label_loss(
            logits, may_be, settings.label_smoothing, settings.outside_weight
        ).mean()
        if self.settings.consistency:
            loss = loss + self.settings.consistency * _disagreement(logits)
        return loss


def _disagreement(logits: Tensor) -> Tensor:
    """Mean symmetric KL divergence between the first and the second half of the rows."""
    p, q = logits.log_softmax(dim=-1).chunk(2)
    forward = F.kl_div(q, p, reduction="batchmean", log_target=True)
    backward = F.kl_div(p, q, reduction="batchmean", log_target=True)
    return (forward + backward) / 2


def score_on(
    classifier: EncoderClassifier | StudentClassifier, dev: LabelledTitles
) -> dict[str, float]:
    """Accuracy and loss on `dev`, and `score`, by which the best is chosen.

    That is macro-F1; of newsrooms' labels, the mean of the newsrooms' macro recalls.
    """
    probabilities = softmax(classifier.predict_logits(dev.titles))
    found = {
        "accuracy": accuracy(probabilities, dev.gold),
        "loss": log_loss(probabilities, dev.gold),
    }
    if dev.newsroom_labels is None:
        f1 = macro_f1(probabilities, dev.label_ids)
        return {"score": f1, "macro_f1": f1, **found}
    rows = newsroom_scores(probabilities, dev)
    mean = mean_of_recalls(rows)
    by_newsroom = {
        f"macro_recall_{row.newsroom}": row.macro_recall
        for row in rows
        if row.macro_recall is not None
    }
    return {"score": mean, "macro_recall": mean, **by_newsroom, **found}
