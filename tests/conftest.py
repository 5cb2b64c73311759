"""What several rooms' tests stand on: a tiny encoder in the hub's format, and titles to learn."""

from __future__ import annotations

import os
import string
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch
from hypothesis import settings
from tokenizers import Tokenizer, pre_tokenizers, processors
from tokenizers import models as tokenizer_models
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from models.artifact import Manifest, Provenance
from models.encoder import EncoderClassifier
from models.labels import Labels
from models.machine import available_threads
from models.student import StudentClassifier, StudentConfig
from models.tokenization import TitleTokenizer
from models.transformer.layer_config import LayerConfig
from scoring import store
from titles import LabelledTitles
from training.finetune import open_encoder

SAMPLES = Path(__file__).parent.parent / "samples"
CHARACTERS = "股市涨跌球队比赛冠军高考录取分数楼盘房价涨幅今日新的大学生 " + string.ascii_letters
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


settings.register_profile("cores are shared", deadline=None)
settings.load_profile("cores are shared")


def pytest_configure() -> None:
    """Of workers that run side by side, each has cores of its own, and so has what it starts."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker and hasattr(os, "sched_setaffinity"):
        cores, workers = sorted(os.sched_getaffinity(0)), os.environ["PYTEST_XDIST_WORKER_COUNT"]
        first = int(worker.removeprefix("gw"))
        os.sched_setaffinity(0, cores[first :: int(workers)] or cores)
        torch.set_num_threads(available_threads())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins first: the README's commands, then the other slow tests."""
    items.sort(
        key=lambda item: (
            not item.path.name.startswith("test_readme"),
            item.get_closest_marker("slow") is None,
        )
    )


@pytest.fixture(autouse=True)
def no_score_is_known(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch):
    """The default store is a new one for each test."""
    monkeypatch.setattr(store, "default_cache", lambda: tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of 2 layers, 32 wide, with random weights and a tokenizer of single characters."""
    folder = tmp_path_factory.mktemp("tiny") / "encoder"
    pieces = [*SPECIALS, *dict.fromkeys(CHARACTERS)]
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=80,
        initializer_range=0.2,  # wide, so that titles score apart
    )
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    character_tokenizer(pieces).save_pretrained(folder)
    return folder


def character_tokenizer(pieces: list[str]) -> PreTrainedTokenizerFast:
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    tokenizer = Tokenizer(tokenizer_models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_input_names=["input_ids", "attention_mask"],
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


@pytest.fixture(scope="session")
def three_labels() -> Labels:
    return Labels.of(["stocks", "sports", "education"])


@pytest.fixture(scope="session")
def make_manifest() -> Callable[..., Manifest]:
    """Manifests of models that no folder holds; `metrics` are those of their provenance."""

    def make(
        name: str, labels: Labels, version: str = "0123456789ab", **metrics: float
    ) -> Manifest:
        provenance = Provenance({"name": "train.txt", "rows": 40}, {}, metrics)
        return Manifest(
            name, version, "linear", labels.names, labels.display_names, None, 1.0,
            provenance, "unknown", {}, [],
        )  # fmt: skip

    return make


@pytest.fixture(scope="session")
def three_topics(three_labels: Labels) -> LabelledTitles:
    """60 short titles of three classes that single characters tell apart."""
    stems = ["股市涨跌", "球队比赛冠军", "高考录取分数"]
    endings = ["", "今日", "新", "的", "大", "学生", "今", "日新", "大的", "新的", "今大", "日"]
    fillers = ["a", "bb", "C", "de", "f"]
    titles = [
        f"{stem}{ending} {fillers[i % 5]}" for stem in stems for i, ending in enumerate(endings)
    ]
    return LabelledTitles.of(titles, [c for c in range(3) for _ in endings], three_labels)


@pytest.fixture
def tiny_classifier(tiny_encoder: Path, three_labels: Labels) -> EncoderClassifier:
    """The tiny encoder with a random head for three classes, reading 16 tokens of a title."""
    torch.manual_seed(1)
    return open_encoder(tiny_encoder, three_labels, max_length=16)


@pytest.fixture(scope="session")
def make_student(tiny_encoder: Path, three_labels: Labels) -> Callable[..., StudentClassifier]:
    """Builds students with random weights; `sizes`: each layer's heads, 8 wide, and its d_ff."""

    def make(
        activation: str = "gelu",
        sizes: Sequence[tuple[int, int]] = ((4, 64),) * 3,
        reads_width: bool = False,
    ) -> StudentClassifier:
        habits = {"head_dim": 8, "activation": activation, "norm_first": False}
        layers = tuple(LayerConfig(32, heads, d_ff, **habits) for heads, d_ff in sizes)
        tokenizer = TitleTokenizer.read(tiny_encoder, pad_id=0, max_length=16)
        pieces = tokenizer.tokenizer.get_vocab_size()
        config = StudentConfig(pieces, 16, 0, layers, reads_width=reads_width)
        torch.manual_seed(2)
        network = config.build(len(three_labels))
        for weight in network.parameters():  # wide, so that titles score apart
            weight.data += 0.2 * torch.randn_like(weight)
        return StudentClassifier(network, config, tokenizer, three_labels)

    return make


@pytest.fixture
def tiny_student(make_student: Callable[..., StudentClassifier]) -> StudentClassifier:
    """A student of 3 layers, 32 wide, reading 16 tokens of a title."""
    return make_student()
