"""How long a request waits for its answer: the server's limit, or a client's that is shorter."""

from __future__ import annotations

from collections.abc import Mapping

from service.problems import InvalidRequest

HEADER = "x-timeout-ms"


def timeout_of(headers: Mapping[str, str], limit_s: float) -> float:
    """Seconds.

    Raises:
        InvalidRequest: the header is no number of milliseconds.
    """
    told = headers.get(HEADER)
    if told is None:
        return limit_s
    if not (told.isascii() and told.isdigit() and len(told) < 10 and int(told)):
        raise InvalidRequest(
            "invalid_timeout",
            f"the header X-Timeout-Ms is {told[:20]!r}; it must be a whole number of milliseconds "
            "from 1 on",
            where=HEADER,
        )
    return min(int(told) / 1000, limit_s)
