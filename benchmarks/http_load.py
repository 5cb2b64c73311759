"""A load generator that costs little: connections that ask again as soon as they are answered.

Each connection sends one request after another, all prepared before, and reads just enough of an
answer to know its status and its end. On two cores it shares them with what it measures.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import uvloop


@dataclass
class Measured:
    """What came of a load.

    Attributes:
        seconds: that it took.
        latencies: (status, seconds) of each request that was answered.
        broken: requests that were not.
    """

    seconds: float = 0.0
    latencies: list[tuple[int, float]] = field(default_factory=list)
    broken: int = 0

    def of(self, status: int = 200) -> list[float]:
        """Sorted seconds of the requests that were answered so."""
        return sorted(seconds for got, seconds in self.latencies if got == status)


def quantile(found: list[float], share: float) -> float:
    """Of sorted seconds; NaN where there are none."""
    return found[min(len(found) - 1, int(share * len(found)))] if found else float("nan")


def request_bytes(path: str, content: object, headers: dict[str, str] | None = None) -> bytes:
    """A request in HTTP/1.1 on a connection that stays open."""
    body = json.dumps(content, ensure_ascii=False).encode()
    lines = [f"POST {path} HTTP/1.1", "host: 127.0.0.1", "content-type: application/json"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    lines += [f"content-length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


def put_under_load(
    port: int,
    requests: Sequence[bytes],
    connections: int,
    seconds: float,
    per_s: float | None = None,
) -> Measured:
    """Ask on so many connections for so long; requests are taken in turn.

    Args:
        per_s: requests a second of all connections together, where these keep up; else each asks
            again as soon as it is answered.
    """
    interval_s = connections / per_s if per_s else 0.0
    return uvloop.run(_load(port, requests, connections, seconds, interval_s))


async def _load(
    port: int, requests: Sequence[bytes], connections: int, seconds: float, interval_s: float
) -> Measured:
    measured, loop = Measured(), asyncio.get_running_loop()
    until = time.perf_counter() + seconds
    started = time.perf_counter()
    clients = [_Client(requests, i, until, interval_s, measured) for i in range(connections)]
    for client in clients:
        await loop.create_connection(lambda client=client: client, "127.0.0.1", port)  # type: ignore[misc]
    await asyncio.gather(*(client.ended for client in clients))
    measured.seconds = time.perf_counter() - started
    return measured


class _Client(asyncio.Protocol):
    def __init__(
        self,
        requests: Sequence[bytes],
        first: int,
        until: float,
        interval_s: float,
        measured: Measured,
    ):
        self._requests, self._next, self._until = requests, first, until
        self._interval_s, self._measured = interval_s, measured
        self._buffer = b""
        self._sent = 0.0
        self._is_asking = False
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is no subclass
        self._ask()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head_end = self._buffer.find(b"\r\n\r\n")
        if head_end < 0:
            return
        head = self._buffer[:head_end].lower()
        end = _end_of_body(self._buffer, head, head_end + 4)
        if end is None:
            return
        now = time.perf_counter()
        self._measured.latencies.append((int(head[9:12]), now - self._sent))
        self._buffer, self._is_asking = b"", False
        if now >= self._until or b"\r\nconnection: close" in head:
            self._transport.close()
            return
        wait_s = self._sent + self._interval_s - now
        if wait_s > 0:
            asyncio.get_running_loop().call_later(wait_s, self._ask)
        else:
            self._ask()

    def connection_lost(self, error: Exception | None) -> None:
        self._measured.broken += self._is_asking
        if not self.ended.done():
            self.ended.set_result(None)

    def _ask(self) -> None:
        if self._transport.is_closing():
            return
        self._is_asking = True
        self._sent = time.perf_counter()
        self._transport.write(self._requests[self._next % len(self._requests)])
        self._next += 1


def _end_of_body(data: bytes, head: bytes, start: int) -> int | None:
    """Where the answer ends; None where its end has not come."""
    place = head.find(b"content-length:")
    if place >= 0:
        length = int(head[place + 15 :].split(b"\r\n", 1)[0])
        return start + length if len(data) >= start + length else None
    return len(data) if data.endswith(b"0\r\n\r\n") else None  # chunked
