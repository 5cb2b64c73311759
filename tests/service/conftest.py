"""Two models for the service's tests: one that counts keywords, and a tiny real encoder."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import pytest
from prometheus_client import REGISTRY
from starlette.testclient import TestClient

from models.artifact import LoadedModel, Manifest, Provenance, Route
from models.classifier import Scores
from models.labels import DISPLAY_NAMES, Labels
from models.remark import Remark
from service.app import create_app
from service.settings import Settings

LABELS = Labels.of(["stocks", "sports", "game"])
KEYWORDS = ("股", "球", "玩")


def until(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    """Whether it holds within the time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class KeywordRoute(Route):
    """Scores a class by e to the number of times its keyword occurs, divided by the sum."""

    route: ClassVar[str] = "keyword"
    probe_tolerance: float = 1e-6

    def __init__(self, labels: Labels = LABELS, max_length: int | None = 8):
        self.labels = labels
        self.max_length = max_length
        self.before_scoring: Callable[[], None] = lambda: None

    def score(self, titles: Sequence[str]) -> Scores:
        self.before_scoring()
        counts = [[title.count(word) for word in KEYWORDS] for title in titles]
        weights = np.exp(np.array(counts, dtype=np.float64).reshape(len(titles), len(KEYWORDS)))
        probabilities = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
        limit = np.inf if self.max_length is None else self.max_length
        return Scores(probabilities, np.array([len(title) > limit for title in titles]))

    def save_files(self, folder: Path) -> None:
        (folder / "keywords.txt").write_text("\n".join(KEYWORDS), encoding="utf-8")

    @classmethod
    def load_files(cls, folder: Path, labels: Labels, max_length: int | None) -> Self:
        return cls(labels, max_length)


Grown = Callable[..., float]


@pytest.fixture
def grown() -> Grown:
    """By how much a metric of this process has grown since the test began, by name and labels."""
    before: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in REGISTRY.collect()
        for sample in family.samples
    }

    def since(name: str, **labels: str) -> float:
        now = REGISTRY.get_sample_value(name, labels) or 0.0
        return now - before.get((name, tuple(sorted(labels.items()))), 0.0)

    return since


@pytest.fixture
def route() -> KeywordRoute:
    """The route of `model`: its `before_scoring` makes it fail or hang."""
    return KeywordRoute()


@pytest.fixture
def model(route: KeywordRoute) -> LoadedModel:
    """A loaded keyword model with temperature 2."""
    manifest = Manifest(
        name="keywords",
        version="0123456789ab",
        route="keyword",
        labels=LABELS.names,
        display_names=LABELS.display_names,
        max_length=8,
        temperature=2.0,
        provenance=Provenance(
            metrics={"accuracy": 0.75, "undefined": float("nan")},
            remarks=(Remark("leak", "dev stands in train"),),
        ),
        code_revision="unknown",
        files={"a.txt": {"bytes": 1000, "sha256": ""}, "b.txt": {"bytes": 24, "sha256": ""}},
        probes=[],
    )
    return LoadedModel(Path("keywords"), manifest, route)


@pytest.fixture
def settings() -> Settings:
    """Limits small enough to exceed in a line."""
    return Settings(
        max_titles=4,
        max_title_chars=20,
        max_body_bytes=4096,
        max_top_k=50,
        deadline_s=60,
        hung_after_s=60,
        shutdown_timeout_s=1,
    )


@pytest.fixture
def client(settings: Settings, model: LoadedModel) -> Iterator[TestClient]:
    """The service in this process; an unexpected exception is answered, not raised."""
    with TestClient(create_app(settings, model), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="session")
def encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The artifact of a two-layer BERT with random weights that reads characters."""
    import torch
    import transformers

    from models.artifact import PROBE_TITLES, save
    from models.encoder import EncoderClassifier

    torch.manual_seed(0)
    tokenizer = _character_tokenizer("".join(PROBE_TITLES))
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        num_labels=len(DISPLAY_NAMES),
        initializer_range=0.5,
    )
    encoder = transformers.BertForSequenceClassification(config)
    folder = tmp_path_factory.mktemp("models") / "tiny"
    save(EncoderClassifier(encoder, tokenizer, Labels.of(DISPLAY_NAMES)), folder, temperature=1.5)
    return folder


def _character_tokenizer(text: str):
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *sorted(set(text) - {" "})]
    ids = {token: i for i, token in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split(Regex("."), "isolated")]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )
