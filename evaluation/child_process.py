"""A process that is asked in lines of JSON: started, asked one question at a time, and ended."""

from __future__ import annotations

import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from models.errors import BiaotiError

_ENDING_S = 5
_SHOWN_LINES = 3


class ChildProcess:
    """A child that answers each line of JSON with one; it says one line by itself when ready.

    Leaving the `with` block ends the child, whatever it is doing; should this process be killed,
    the child ends by itself, since its standard input does.

    Args:
        name: whom errors are about.
        command: the program and its arguments.
        environment: variables set besides those of this process.
        timeout_s: how long an answer may take.
    """

    def __init__(
        self, name: str, command: Sequence[str], environment: Mapping[str, str], timeout_s: float
    ):
        self.name = name
        self.timeout_s = timeout_s
        self._messages = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the child
        self._unread = b""
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._messages,
            env=os.environ | dict(environment),
        )

    @property
    def process_id(self) -> int:
        return self._process.pid

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send one request and wait for its answer.

        Raises:
            BiaotiError: the child failed, died or took longer than `timeout_s`.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._died() from None
        return self.answer()

    def answer(self) -> dict[str, Any]:
        """Wait for the next line. Raises as `ask` does."""
        line = self._read_line()
        try:
            found = json.loads(line)
        except ValueError:
            raise BiaotiError(f"{self.name}: its process answered {line[:200]!r}") from None
        if "error" in found:
            raise BiaotiError(f"{self.name} cannot be measured: {found['error']}")
        return dict(found)

    def _read_line(self) -> bytes:
        assert self._process.stdout is not None
        output, deadline = self._process.stdout.fileno(), time.monotonic() + self.timeout_s
        while b"\n" not in self._unread:
            left = max(0.0, deadline - time.monotonic())
            if not select.select([output], [], [], left)[0]:
                raise BiaotiError(
                    f"{self.name}: no answer within {self.timeout_s:g} s; allow more time or "
                    "measure fewer titles"
                )
            received = os.read(output, 1 << 16)
            if not received:
                raise self._died()
            self._unread += received
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _died(self) -> BiaotiError:
        code = self._process.wait(self.timeout_s)
        self._messages.seek(0)
        lines = self._messages.read().decode(errors="replace").strip().splitlines()
        said = " / ".join(line.strip() for line in lines[-_SHOWN_LINES:]) or "nothing"
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return BiaotiError(f"{self.name}: its process {how}; it said: {said}")

    def close(self) -> None:
        """End the child: by closing its standard input, or, if it goes on, by killing it."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
        try:
            self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._messages.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._process.kill()  # what it is doing is of no use any more
        self.close()
