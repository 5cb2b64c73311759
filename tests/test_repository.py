"""The rooms are top-level packages: nothing that is installed may stand in their way."""

from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = (
    "models",
    "titles",
    "scoring",
    "baselines",
    "training",
    "recipes",
    "evaluation",
    "service",
    "cli",
)


@pytest.mark.parametrize("room", ROOMS)
def test_no_other_distribution_owns_a_room(room: str):
    assert set(packages_distributions().get(room, ["biaoti"])) == {"biaoti"}


@pytest.mark.parametrize("name", ["datasets", "evaluate", "tokenizers", "transformers", "torch"])
def test_no_root_folder_shadows_a_library(name: str):
    assert not (ROOT / name).exists()
    assert not (ROOT / f"{name}.py").exists()


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_is_packaged(room: str):
    pyproject = (ROOT / "pyproject.toml").read_text()

    folders = [p.parent.relative_to(ROOT) for p in (ROOT / room).rglob("__init__.py")]
    assert folders
    for folder in folders:
        assert f'"{".".join(folder.parts)}"' in pyproject
