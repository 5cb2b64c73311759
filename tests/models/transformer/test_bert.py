import json
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertModel

from models.errors import PretrainedError
from models.transformer.bert import PretrainedBert
from models.transformer.bert_weights import to_bert
from models.transformer.encoder import Encoder
from models.transformer.masks import from_attention_mask

from .references import SMALL_BERT, assert_close, scatter


def _bert(**options: object) -> BertModel:
    config = BertConfig(**SMALL_BERT | options)
    return scatter(BertModel(config, add_pooling_layer=False)).eval()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    torch.manual_seed(0)
    _bert().save_pretrained(tmp_path / "bert")
    return tmp_path / "bert"


@settings(deadline=None, max_examples=10)
@given(
    heads=st.integers(1, 3),
    layers=st.integers(1, 2),
    activation=st.sampled_from(["gelu", "gelu_new", "relu"]),
    seed=st.integers(0, 2**20),
)
def test_equals_bert_model_under_random_padding_gradients_included(
    tmp_path_factory: pytest.TempPathFactory, heads: int, layers: int, activation: str, seed: int
):
    torch.manual_seed(seed)
    theirs = _bert(
        hidden_size=8 * heads,
        num_attention_heads=heads,
        num_hidden_layers=layers,
        hidden_act=activation,
    )
    folder = tmp_path_factory.mktemp("bert")
    theirs.save_pretrained(folder)
    ours = Encoder.from_bert(folder)
    ids = torch.randint(1, 30, (3, 7))  # the reference never trains the vector of id 0
    attention_mask = (torch.rand(3, 7) < 0.6).long()
    attention_mask[:, 0] = 1
    real = attention_mask == 1

    found = ours(ids, from_attention_mask(attention_mask))[real]
    expected = theirs(input_ids=ids, attention_mask=attention_mask).last_hidden_state[real]
    assert_close(found, expected)

    found.square().sum().backward()
    expected.square().sum().backward()
    found_gradients = _gradients_by_berts_names(ours)
    for name, parameter in theirs.named_parameters():
        torch.testing.assert_close(found_gradients[name], parameter.grad, atol=2e-5, rtol=1e-4)


def _gradients_by_berts_names(encoder: Encoder) -> dict[str, torch.Tensor]:
    """The encoder's gradients by BERT's names."""
    grads = {name: p.grad for name, p in encoder.named_parameters()}
    return to_bert(grads)


def test_training_drops_where_bert_drops():
    layer = PretrainedBert(Path(), BertConfig(hidden_dropout_prob=0.2).to_dict(), {}).layers()[0]

    assert (layer.dropout, layer.dropout_of_weights, layer.dropout_inside) == (0.2, 0.1, 0.0)


def test_what_a_config_leaves_out_is_berts_own():
    config = {"vocab_size": 9, "hidden_size": 8}

    embedding = PretrainedBert(Path(), config, {}).embedding()

    assert embedding.dropout.p == BertConfig().hidden_dropout_prob == 0.1
    assert embedding.norm.eps == BertConfig().layer_norm_eps
    assert embedding.segments.weight.shape == (BertConfig().type_vocab_size, 8)
    assert len(embedding.positions.table) == BertConfig().max_position_embeddings


@pytest.mark.parametrize("variant", ["prefixed", "first names", "sharded", "bf16"])
def test_every_way_a_bert_is_stored_reads_the_same(folder: Path, variant: str):
    ids = torch.randint(30, (2, 5))
    expected = Encoder.from_bert(folder)(ids)
    tensors = load_file(folder / "model.safetensors")

    if variant == "prefixed":
        tensors = {f"bert.{name}": tensor for name, tensor in tensors.items()}
    if variant == "first names":
        tensors = {
            name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
                "LayerNorm.bias", "LayerNorm.beta"
            ): tensor
            for name, tensor in tensors.items()
        }
    if variant == "bf16":
        tensors = {name: tensor.bfloat16() for name, tensor in tensors.items()}
    save_file(tensors, folder / "model.safetensors")
    if variant == "sharded":
        (folder / "model.safetensors").unlink()
        _bert_of(tensors).save_pretrained(folder, max_shard_size="4KB")
        assert (folder / "model.safetensors.index.json").exists()

    tolerance = 0.1 if variant == "bf16" else 0.0
    found = Encoder.from_bert(folder)(ids)
    torch.testing.assert_close(found, expected, atol=tolerance, rtol=tolerance)


def _bert_of(tensors: dict[str, torch.Tensor]) -> BertModel:
    model = _bert()
    model.load_state_dict(tensors)
    return model


def test_a_missing_tensor_is_named(folder: Path):
    tensors = load_file(folder / "model.safetensors")
    del tensors["encoder.layer.1.output.dense.bias"]
    save_file(tensors, folder / "model.safetensors")

    with pytest.raises(PretrainedError) as caught:
        Encoder.from_bert(folder)

    assert str(caught.value) == (
        f"{folder} has no tensor 'encoder.layer.1.output.dense.bias'; it is not a whole BERT, "
        "download it again"
    )


def test_a_folder_without_safetensors_is_refused_with_the_remedy(folder: Path):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")

    with pytest.raises(PretrainedError, match="has to be saved again with safetensors"):
        Encoder.from_bert(folder)


def test_a_folder_that_is_none_is_refused(tmp_path: Path):
    with pytest.raises(PretrainedError, match=r"config\.json cannot be read"):
        Encoder.from_bert(tmp_path)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"model_type": "gpt2"}, "model_type is 'gpt2'"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type is 'relative_key'"),
        ({"hidden_act": "silu"}, "hidden_act is 'silu'"),
        ({"is_decoder": True}, "is_decoder is True"),
    ],
)
def test_a_model_of_another_kind_is_refused(folder: Path, change: dict[str, object], told: str):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | change))

    with pytest.raises(PretrainedError, match=told):
        Encoder.from_bert(folder)


def test_a_changed_size_is_refused(folder: Path):
    path = folder / "config.json"
    path.write_text(path.read_text().replace('"intermediate_size": 24', '"intermediate_size": 25'))

    with pytest.raises(PretrainedError, match=r"do not have the sizes that config\.json gives"):
        Encoder.from_bert(folder)


@pytest.mark.slow
def test_the_built_in_encoder_reads_the_same(tmp_path: Path):
    from training.pretrained import resolve

    folder = resolve("e5-small-zh", ["央行开展千亿元逆回购", "主场逆转对手"], tmp_path)
    theirs = BertModel.from_pretrained(folder, add_pooling_layer=False).eval()
    ids, attention_mask = torch.randint(5, 300, (2, 12)), torch.ones(2, 12, dtype=torch.long)
    attention_mask[1, 7:] = 0

    with torch.inference_mode():
        found = Encoder.from_bert(folder)(ids, from_attention_mask(attention_mask))
        expected = theirs(input_ids=ids, attention_mask=attention_mask).last_hidden_state

    assert_close(found[attention_mask == 1], expected[attention_mask == 1])
