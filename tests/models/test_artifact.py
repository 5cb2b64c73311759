import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models import artifact
from models.encoder import EncoderClassifier
from models.errors import CorruptArtifact
from models.listed_files import list_files
from models.manifest import Manifest, version_of

TITLES = ["股市今日涨", "球队比赛", "a"]


def test_a_loaded_model_answers_as_the_saved_one(saved: Path, tiny_classifier: EncoderClassifier):
    loaded = artifact.load(saved)

    raw = tiny_classifier.predict_proba(TITLES)
    assert loaded.uncalibrated.predict_proba(TITLES) == pytest.approx(raw, abs=1e-6)
    expected = np.sqrt(raw) / np.sqrt(raw).sum(axis=1, keepdims=True)
    assert loaded.predict_proba(TITLES) == pytest.approx(expected, abs=1e-5)
    assert loaded.labels == tiny_classifier.labels


def test_saving_again_replaces_the_folder(saved: Path, tiny_classifier: EncoderClassifier):
    before = artifact.load(saved).manifest.version

    artifact.save(tiny_classifier, saved, temperature=3.0)

    loaded = artifact.load(saved).manifest
    assert loaded.temperature == 3.0
    assert loaded.version != before


def test_a_changed_byte_is_refused(saved: Path):
    path = saved / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)

    with pytest.raises(CorruptArtifact) as caught:
        artifact.load(saved)

    assert str(caught.value) == (
        f"{path} is not the file that was saved (size or SHA-256 differ); "
        "copy the model's folder again"
    )


def test_a_missing_file_is_refused(saved: Path):
    (saved / "config.json").unlink()

    with pytest.raises(CorruptArtifact, match=r"config\.json is missing"):
        artifact.load(saved)


def test_a_file_that_is_not_listed_is_refused_before_anything_is_read(saved: Path):
    (saved / "modeling_evil.py").write_text("raise SystemExit('executed')")

    with pytest.raises(CorruptArtifact, match=r"modeling_evil\.py is not listed"):
        artifact.load(saved)


def test_a_card_may_stand_beside_a_model_and_outlives_it(
    saved: Path, tiny_classifier: EncoderClassifier
):
    (saved / "README.md").write_text("# What this model is\n")
    artifact.load(saved)

    artifact.save(tiny_classifier, saved)

    assert (saved / "README.md").read_text() == "# What this model is\n"
    artifact.load(saved)


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json", "artifact.json"])
def test_json_with_the_line_ends_that_git_makes_is_the_same(saved: Path, name: str):
    content = (saved / name).read_bytes()
    assert b"\n" in content
    (saved / name).write_bytes(content.replace(b"\n", b"\r\n"))

    artifact.load(saved)


def test_other_line_ends_where_they_may_mean_something_are_named(saved: Path):
    (saved / "vocab.txt").write_bytes(b"a\nb\n")
    _list_files_again(saved)
    artifact.load(saved)
    (saved / "vocab.txt").write_bytes(b"a\r\nb\r\n")

    with pytest.raises(CorruptArtifact) as caught:
        artifact.load(saved)

    assert str(caught.value) == (
        f"{saved / 'vocab.txt'} has other line ends (CR LF) than the file that was saved, as git "
        "makes them with core.autocrlf; mark the folder '-text' in .gitattributes and check it "
        "out again"
    )


def test_what_file_browsers_and_editors_leave_in_a_folder_is_looked_past(saved: Path):
    (saved / ".ipynb_checkpoints").mkdir()
    for name in (".DS_Store", "Thumbs.db", ".ipynb_checkpoints/config-checkpoint.json",
                 ".config.json.swp", "config.json~"):  # fmt: skip
        (saved / name).write_text("litter")

    artifact.load(saved)


def test_a_folder_that_kubernetes_mounts_is_read(saved: Path, tmp_path: Path):
    """Its files lie in a folder of their time, where links of their names lead by way of one."""
    mounted = tmp_path / "mounted"
    dated = mounted / "..2026_01_31_12_00_00.123456789"
    shutil.copytree(saved, dated)
    (mounted / "..data").symlink_to(dated.name)
    for path in dated.iterdir():
        (mounted / path.name).symlink_to(Path("..data") / path.name)

    artifact.load(mounted)

    (dated / "evil.py").touch()
    with pytest.raises(CorruptArtifact, match=r"evil\.py is not listed"):
        artifact.load(mounted)


def test_code_named_by_a_listed_config_is_never_executed(
    tmp_path: Path, tiny_classifier: EncoderClassifier
):
    folder, executed = tmp_path / "evil", tmp_path / "executed"
    artifact.save(tiny_classifier, folder)
    (folder / "evil.py").write_text(f"open({str(executed)!r}, 'w')\nclass Evil: pass\n")
    config = json.loads((folder / "config.json").read_text())
    config["auto_map"] = {
        "AutoConfig": "evil.Evil",
        "AutoModelForSequenceClassification": "evil.Evil",
    }
    (folder / "config.json").write_text(json.dumps(config))
    _list_files_again(folder)

    artifact.load(folder)

    assert not executed.exists()


def _list_files_again(folder: Path) -> None:
    manifest = Manifest.read(folder)
    (folder / "artifact.json").unlink()
    files = list_files(folder)
    version = version_of(files, manifest.labels, manifest.temperature)
    replace(manifest, files=files, version=version).write(folder)
