"""`biaoti train llm`."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from baselines.llm import LlmClassifier, LlmSettings, choose_examples
from models.artifact import Manifest
from models.bounds import NonNegativeInt, PositiveInt
from recipes.lessons import read_learning
from recipes.saving import calibrate, claim_model, save_model
from recipes.settings import Learning
from recipes.telling import logger
from scoring.metrics import accuracy


@dataclass(frozen=True, kw_only=True)
class TrainLlm(Learning):
    """Make a route of a large language model behind an endpoint: nothing is trained.

    Examples are taken from the training titles, and some dev titles are asked about, to calibrate
    what the answers mean. Any endpoint does that speaks OpenAI's protocol; DeepSeek's key is read
    from DEEPSEEK_API_KEY. Answers are kept in ~/.cache/biaoti/llm: nothing is paid for twice.
    """

    training: LlmSettings = LlmSettings()
    dev_titles: PositiveInt = 300
    """Dev titles that are asked about, drawn at random."""
    seed: NonNegativeInt = 13
    """Of what is drawn."""


def train_llm(settings: TrainLlm) -> Manifest:
    """Choose examples, ask about dev titles, calibrate on them, save.

    Raises:
        UsageError: there is no key for the endpoint.
        EndpointError: it does not answer, or the budget is spent.
    """
    claim_model(settings, settings.learned_files)
    train, dev, remarks, made_from = read_learning(settings)
    examples = choose_examples(train, settings.training, settings.seed)
    model = LlmClassifier(settings.training, train.labels, examples)
    count = min(settings.dev_titles, len(dev))
    drawn = np.random.default_rng(settings.seed).choice(len(dev), count, replace=False)
    asked = dev.take(np.sort(drawn))
    try:
        scores = model.score(asked.titles)
        usage, price = model.answers.usage(), model.price_per_million
        told = f"a million titles cost {price:,.2f}" if price else "pass prices to know the cost"
        logger.info(
            "%s tokens sent, %s answered, of %s titles; %s",
            f"{usage.prompt_tokens:,}", f"{usage.completion_tokens:,}", f"{usage.titles:,}", told,
        )  # fmt: skip
        return save_model(
            settings,
            model,
            calibrate(settings, asked, scores),
            trained_on=train.fingerprint.to_dict(),
            hyperparameters=asdict(settings.training),
            metrics={
                "dev_accuracy": accuracy(scores.probabilities, asked.gold),
                "dev_titles_without_an_answer": model.answers.nonsense,
                "tokens_per_title": usage.tokens / max(1, usage.titles),
            }
            | ({"price_per_million": price} if price else {}),
            made_from=made_from,
            remarks=remarks,
        )
    finally:
        model.close()
