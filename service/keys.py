"""`biaoti keys add`: a new key for somebody who may ask the service."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, UseAppendAction, arg

from models.bounds import Checked
from models.errors import UsageError
from models.outputs import claim_file
from models.staging import staged_file
from service.auth import SCOPES, ApiKey, digest_of, read_keys

_HEAD = (
    "# Keys of the biaoti service: NAME SCOPE,SCOPE SHA256. To take one back, remove its line.\n"
)


@dataclass(frozen=True, kw_only=True)
class AddKey(Checked):
    """Make a key for the service, print it once, and keep its hash in a file.

    The service reads the file when it starts, from BIAOTI_KEYS_FILE. Clients send the key as
    "Authorization: Bearer KEY".
    """

    name: Annotated[str, Positional, arg(metavar="NAME")]
    """Who is given it; stands in the log."""
    file: Path
    """The file of keys; made if it is not there."""
    scope: Annotated[tuple[str, ...], UseAppendAction, arg(metavar="SCOPE")] = ()
    """What it allows: classify, feedback, or admin, which is everything; repeatable. Without one,
    classify."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.name.startswith("#") or len(self.name.split()) != 1:
            raise UsageError(f"a key's name is one word, not '{self.name}'")
        if unknown := set(self.scope) - set(SCOPES):
            raise UsageError(f"there is no scope '{min(unknown)}'; there are {', '.join(SCOPES)}")


def add_key(settings: AddKey) -> str:
    """The key, which is kept nowhere.

    Raises:
        DataError: the file holds something else.
        UsageError: somebody of that name has a key.
    """
    file = settings.file
    known = read_keys(file) if file.exists() else []
    if settings.name in [key.name for key in known]:
        raise UsageError(f"{settings.name} has a key in {file}; remove its line first")
    claim_file(file, [], force=True)
    key = secrets.token_urlsafe(32)
    scopes = frozenset(settings.scope or ("classify",))
    before = file.read_text("utf-8") if file.exists() else _HEAD
    with staged_file(file) as staging:
        staging.touch(mode=0o600)
        line = ApiKey(settings.name, scopes, digest_of(key)).line
        staging.write_text(f"{before.rstrip()}\n{line}\n", "utf-8")
    return key
