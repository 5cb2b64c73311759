"""What a person had better know about data or a model, and would not see otherwise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Remark:
    """One such thing. It stops nothing: what cannot be gone on with is an error."""

    code: str
    """A name that programs can branch on, such as `leak`."""
    message: str
    """What is remarkable, of what, and what to do about it."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"
