"""The rooms are top-level packages: nothing that is installed may stand in their way."""

import shutil
import subprocess
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from models import artifact

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


def test_a_clone_in_which_git_changes_line_ends_has_the_model_that_ships(tmp_path: Path):
    """As with core.autocrlf=true, which git's installer for Windows sets."""
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    origin.mkdir()
    for name in (".gitattributes", "Makefile"):
        shutil.copy(ROOT / name, origin)
    shutil.copytree(ROOT / "models" / "released", origin / "models" / "released")

    def git(*words: object) -> None:
        subprocess.run(["git", *map(str, words)], cwd=origin, check=True, capture_output=True)

    git("init")
    git("add", "--all")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--message", "all")
    git("-c", "core.autocrlf=true", "-c", "core.eol=crlf", "clone", origin, clone)

    for path in (p.relative_to(origin) for p in origin.glob("[!.]*/**/*") if p.is_file()):
        assert (clone / path).read_bytes() == (origin / path).read_bytes(), path
    assert b"\r\n" not in (clone / "Makefile").read_bytes()
    artifact.load(clone / "models" / "released").close()
