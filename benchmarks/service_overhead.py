"""What a request costs the processor, without HTTP: ours beside a plain FastAPI handler.

    python benchmarks/service_overhead.py --model FOLDER

Both are asked in this process, in turn, one request after another; what is told is processor time,
of all threads, so that a machine that others use, too, disturbs it less than `service_speed.py`.
With a model that takes next to no time (fastText's) it is the serving alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp

from models.artifact import DEFAULT_FOLDER
from service import logs
from service.app import create_app

_BODY = json.dumps({"titles": ["国足客场一球小胜 小组赛取得开门红"]}).encode()
_HEADERS = [
    (b"host", b"127.0.0.1"),
    (b"content-type", b"application/json"),
    (b"content-length", str(len(_BODY)).encode()),
]


async def ask(app: ASGIApp) -> int:
    """The status of the answer."""
    messages = [{"type": "http.request", "body": _BODY, "more_body": False}]
    answered: list[Any] = []

    async def receive() -> Any:
        if messages:
            return messages.pop()
        return await asyncio.Future()  # the client stays, and says nothing more

    async def send(message: Any) -> None:
        answered.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST",
        "scheme": "http", "path": "/v1/classify", "raw_path": b"/v1/classify", "query_string": b"",
        "root_path": "", "headers": _HEADERS, "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000), "state": {},
    }  # fmt: skip
    await app(scope, receive, send)
    return int(answered[0]["status"])


async def measure(apps: dict[str, ASGIApp], rounds: int, requests: int) -> dict[str, float]:
    """Milliseconds of processor time a request, the median of the rounds."""
    found: dict[str, list[float]] = {name: [] for name in apps}
    for _ in range(rounds):
        for name, app in apps.items():
            started = time.process_time()
            for _ in range(requests):
                assert await ask(app) == 200
            found[name].append(1000 * (time.process_time() - started) / requests)
    return {name: statistics.median(each) for name, each in found.items()}


async def main() -> None:
    """Print what each costs, and the ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--model", type=Path, default=DEFAULT_FOLDER, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--requests", type=int, default=500, help="of each round")
    options = parser.parse_args()
    os.environ["BIAOTI_MODEL"] = str(options.model.resolve())
    sys.path.insert(0, str(Path(__file__).parent / "rivals"))
    import plain

    sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - the log is written, but not read
    logs.configure("text")
    ours = create_app()
    async with ours.router.lifespan_context(ours):
        found = await measure({"ours": ours, "plain": plain.app}, options.rounds, options.requests)
    print(json.dumps({**found, "ratio": found["ours"] / found["plain"]}, indent=2))


if __name__ == "__main__":
    asyncio.run(main())
