import pytest

from models.litter import is_litter

LISTED = {"artifact.json", "members/a/config.json"}


@pytest.mark.parametrize(
    "path",
    [
        ".DS_Store",
        "members/a/.DS_Store",
        "._model.onnx~",
        "._config.json",
        "Thumbs.db",
        "desktop.ini",
        ".ipynb_checkpoints/config-checkpoint.json",
        "members/a/.ipynb_checkpoints/config-checkpoint.json",
        ".config.json.swp",
        ".config.json.swo",
        "config.json~",
        "#config.json#",
        ".#config.json",
        ".nfs0000000000c3bd4a00000001",
        "..2026_01_31_12_00_00.123/artifact.json",
        "..2026_01_31_12_00_00.123/members/a/config.json",
    ],
)
def test_what_browsers_editors_and_kubernetes_leave_is_litter(path: str):
    assert is_litter(path, LISTED)


@pytest.mark.parametrize(
    "path",
    [
        "evil.py",
        "notes.txt",
        ".hidden",
        "..evil.py",
        "pytorch_model.bin",
        ".ipynb_checkpoints/evil-checkpoint.py",
        "..2026_01_31_12_00_00.123/evil.py",
        "..2026_01_31_12_00_00.123/notes.txt",
        "._evil.py",
        "DS_Store",
        "Thumbs.db.onnx",
    ],
)
def test_what_a_person_or_a_program_may_have_meant_is_not(path: str):
    assert not is_litter(path, LISTED)
