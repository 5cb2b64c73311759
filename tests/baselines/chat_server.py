"""A server that speaks OpenAI's protocol, over HTTP, and fails in all the ways that servers do."""

from __future__ import annotations

import json
import math
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FAULTS = (
    "ok", "busy", "broken", "ok", "error", "ok", "cut", "ok", "late", "ok", "html", "empty", "ok",
    "words", "ok", "strange", "ok", "partly", "ok",
)  # fmt: skip
"""What becomes of requests, in turn."""


class ChatServer:
    """Answers with the class whose keyword a title holds.

    Attributes:
        keywords: by the name of a class.
        faults: what becomes of requests, in turn.
        requests: what came, in order.
        headers: of these.
        paid: how often each title was answered, in an answer that was sent whole.
        tokens: that those cost.
        before: called with each request's number, from 1, before it is answered.
    """

    def __init__(self, keywords: dict[str, str], faults: Sequence[str] = ("ok",)):
        self.keywords, self.faults = keywords, faults
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paid: Counter[str] = Counter()
        self.tokens = 0
        self.tells_probabilities = True
        self.refuses: tuple[str, ...] = ()
        """Fields of a request at which it answers 400."""
        self.retry_after = "0.01"
        self.before: Callable[[int], None] = lambda number: None
        self.lock = threading.Lock()
        self.url = ""

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """A chat completion."""
        system, user = (message["content"] for message in request["messages"])
        codes = {
            name: code for code, name in re.findall(r"^(\w+): (\S+)", system, flags=re.MULTILINE)
        }
        titles = re.findall(r"^\d+\. (.*)$", user.split("请分类：\n")[1], flags=re.MULTILINE)
        chosen = {
            str(number): next(codes[name] for name, word in self.keywords.items() if word in title)
            for number, title in enumerate(titles, 1)
        }
        text = json.dumps(chosen)
        choice: dict[str, Any] = {
            "index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text},
        }  # fmt: skip
        if request.get("logprobs") and self.tells_probabilities:
            choice["logprobs"] = {"content": [_token(piece, codes) for piece in _pieces(text)]}
        usage = {"prompt_tokens": len(system + user) // 2, "completion_tokens": 5 * len(titles)}
        usage["total_tokens"] = sum(usage.values())
        return {
            "id": "1", "object": "chat.completion", "created": 1, "model": request["model"],
            "choices": [choice], "usage": usage, "titles": titles,
        }  # fmt: skip


def _pieces(text: str) -> list[str]:
    return re.findall(r'\w+|[^\w"]+|"', text)


def _token(piece: str, codes: dict[str, str]) -> dict[str, Any]:
    others = {piece: 0.8} | ({"B": 0.15, "C": 0.05, " x": 1e-3} if piece in codes.values() else {})
    if piece in codes.values():
        others[piece] = 0.8
    listed = [{"token": t, "logprob": math.log(p), "bytes": None} for t, p in others.items()]
    return {"token": piece, "logprob": math.log(0.8), "bytes": None, "top_logprobs": listed}


@contextmanager
def running(server: ChatServer) -> Iterator[ChatServer]:
    """The server on a free port, until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            request = json.loads(body)
            with server.lock:
                server.requests.append(request)
                server.headers.append({name.lower(): value for name, value in self.headers.items()})
                number = len(server.requests)
            server.before(number)
            if any(field in request and field for field in server.refuses):
                self._send(400, {"error": {"message": "this field is not known here"}})
                return
            form = request.get("response_format", {}).get("type")
            if form in server.refuses:
                self._send(400, {"error": {"message": f"{form} is not known here"}})
                return
            self._act(server.faults[(number - 1) % len(server.faults)], server.answer(request))

        def _act(self, fault: str, answer: dict[str, Any]) -> None:
            titles = answer.pop("titles")
            if fault == "busy":
                self._send(429, {"error": {"message": "slow down"}}, server.retry_after)
            elif fault == "denied":
                self._send(401, {"error": {"message": "no such key"}})
            elif fault == "broken":
                self.connection.close()
            elif fault == "error":
                self._send(500, {"error": {"message": "oops"}})
            elif fault == "cut":
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", "1000")
                self.end_headers()
                self.wfile.write(b'{"id": "1", ')
                self.connection.close()
            elif fault == "late":
                time.sleep(1.5)
                self._send(500, {"error": {"message": "too late"}})
            elif fault == "html":
                self._send(200, "<html>maintenance</html>")
            elif fault == "empty":
                self._send(200, {})
            else:
                content = json.loads(answer["choices"][0]["message"]["content"])
                if fault == "words":
                    self._change(answer, "I am sorry, I cannot do that.")
                elif fault == "strange":
                    self._change(answer, json.dumps(dict.fromkeys(content, "weather")))
                elif fault == "partly":
                    self._change(answer, json.dumps({"1": content["1"]}))
                    titles = titles[:1]
                if fault in ("ok", "partly"):
                    with server.lock:
                        server.paid.update(titles)
                with server.lock:
                    server.tokens += answer["usage"]["total_tokens"]
                self._send(200, answer)

        def _change(self, answer: dict[str, Any], text: str) -> None:
            answer["choices"][0]["message"]["content"] = text
            answer["choices"][0].pop("logprobs", None)

        def _send(self, status: int, content: object, retry_after: str | None = None) -> None:
            html = isinstance(content, str)
            body = content.encode() if isinstance(content, str) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("content-type", "text/html" if html else "application/json")
            self.send_header("content-length", str(len(body)))
            if retry_after is not None:
                self.send_header("retry-after", retry_after)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            """Nothing."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *words: object) -> None:
            """Clients that have gone are no news."""

    with Quiet(("127.0.0.1", 0), Handler) as http:
        server.url = f"http://127.0.0.1:{http.server_port}/v1"
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield server
        http.shutdown()
