"""The address that is listened on."""

from __future__ import annotations

import errno
import socket

from models.errors import UsageError

_EXAMPLE = '{"titles": ["三大股指午后拉升 券商板块涨逾3%"], "top_k": 3}'


def open_listener(host: str, port: int) -> socket.socket:
    """A socket that listens on the address; who connects now waits until the model is there.

    Raises:
        UsageError: names the address, the reason and the remedy.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise UsageError(f"host '{host}' is not known here; pass --host 127.0.0.1") from error
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen()  # else two services that start at once would both bind
    except OSError as error:
        listener.close()
        raise UsageError(_explain(error, host, port)) from error
    return listener


def announcement(host: str, port: int) -> str:
    """Where the service listens, where its documentation is, and a line to paste."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    url = f"http://[{reachable}]:{port}" if ":" in reachable else f"http://{reachable}:{port}"
    return (
        f"Listening on {host} port {port}: {url}\n"
        f"Documentation: {url}/docs\n"
        f"Try it: curl {url}/v1/classify -H 'Content-Type: application/json' -d '{_EXAMPLE}'"
    )


def _explain(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} on {host} is already in use; stop the program that uses it, or pass "
            "--port with another number (0 takes a free one)"
        )
    if error.errno == errno.EACCES:
        return f"port {port} is reserved for the system; pass --port with a number above 1023"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is not an address of this machine; pass --host 127.0.0.1"
    return f"cannot listen on {host} port {port}: {error.strerror}"
