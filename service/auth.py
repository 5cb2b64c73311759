"""Who may ask what: API keys, of which only hashes are kept.

A key is 256 random bits, so one round of SHA-256 keeps it as well as a slow hash keeps a password.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from fastapi import Request

from models.errors import DataError, UsageError
from service.problems import Forbidden, Unauthorised

Scope = Literal["classify", "feedback", "admin"]
SCOPES: tuple[Scope, ...] = ("classify", "feedback", "admin")


@dataclass(frozen=True)
class ApiKey:
    """What is kept of a key.

    Attributes:
        name: of who was given it.
        scopes: what it allows; `admin` allows everything.
        digest: SHA-256 of the key, in hexadecimal.
    """

    name: str
    scopes: frozenset[str]
    digest: str

    @property
    def line(self) -> str:
        """Of a file of keys."""
        return f"{self.name} {','.join(sorted(self.scopes))} {self.digest}"

    def allows(self, scope: Scope) -> bool:
        return scope in self.scopes or "admin" in self.scopes


def digest_of(key: str) -> str:
    """SHA-256 in hexadecimal."""
    return sha256(key.encode()).hexdigest()


def read_keys(file: Path) -> list[ApiKey]:
    """The keys in a file of lines `NAME SCOPE,SCOPE SHA256`; comments begin with #.

    Raises:
        DataError: a line that is not so; names it.
    """
    try:
        lines = file.read_text("utf-8").splitlines()
    except OSError as error:
        raise DataError(f"the keys cannot be read: {error.strerror}", str(file)) from error
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split()
        scopes = words[1].split(",") if len(words) == 3 else []
        if not scopes or set(scopes) - set(SCOPES) or not _is_digest(words[2]):
            raise DataError(
                "a line must be NAME SCOPE,SCOPE SHA256, with scopes of "
                f"{', '.join(SCOPES)}; make one with 'biaoti keys add'",
                str(file),
                number,
            )
        found.append(ApiKey(words[0], frozenset(scopes), words[2]))
    return found


def _is_digest(text: str) -> bool:
    return len(text) == 64 and all(character in "0123456789abcdef" for character in text)


@dataclass(frozen=True)
class Doorkeeper:
    """Tells by the keys that there are whether a request may pass; without keys, all may."""

    keys: tuple[ApiKey, ...] = ()

    @classmethod
    def of(cls, file: Path | None) -> Doorkeeper:
        """Raises: DataError: the file of keys cannot be used, or has none."""
        keys = tuple(read_keys(file)) if file else ()
        if file and not keys:
            raise DataError("there is no key; make one with 'biaoti keys add'", str(file))
        return cls(keys)

    def let_in(self, request: Request, scope: Scope) -> None:
        """Raises: Unauthorised: no key, or one that is not known; Forbidden: it does not reach."""
        if not self.keys:
            return
        given = _key_of(request)
        if given is None:
            raise Unauthorised("missing_key", "send a key: Authorization: Bearer KEY")
        digest = digest_of(given)
        # all are compared, each in constant time, so that the time tells nothing
        known = [key for key in self.keys if hmac.compare_digest(key.digest, digest)]
        if not known:
            raise Unauthorised("unknown_key", "the key is not known here; ask for a new one")
        if not any(key.allows(scope) for key in known):
            raise Forbidden(known[0].name, scope)
        request.state.key = known[0].name


def require_keys_or_loopback(host: str, keys: Iterable[ApiKey], without_keys: bool) -> None:
    """Refuse to be open to a network unless that was asked for.

    Raises:
        UsageError: says how to make keys, and how to do without.
    """
    if without_keys or tuple(keys) or _is_loopback(host):
        return
    raise UsageError(
        f"{host} can be reached from other machines, and there are no keys: make one with "
        "'biaoti keys add' and name the file in BIAOTI_KEYS_FILE; or set BIAOTI_WITHOUT_KEYS=true "
        "where something in front of the service decides who may ask"
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _key_of(request: Request) -> str | None:
    kind, _, key = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and key.strip():
        return key.strip()
    return request.headers.get("x-api-key")
