import pwd
from pathlib import Path

import pytest

from models.cache import default_cache
from models.errors import UsageError
from models.outputs import claim_folder


def test_a_user_without_a_home_is_told_what_to_set_and_may_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """As a container's user has none that no line of its /etc/passwd names."""

    def unknown(_: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    claim_folder(tmp_path / "model", [])
    with pytest.raises(UsageError, match="set HOME or XDG_CACHE_HOME"):
        default_cache()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache() == tmp_path / "biaoti"
