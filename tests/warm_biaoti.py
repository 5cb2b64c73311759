"""`biaoti` for tests that run it many times: its libraries are imported once, each run is a fork.

`python warm_biaoti.py SOCKET` serves; `python -IS warm_biaoti.py SOCKET WORD…` is a run. A run has
the working folder, the environment, the streams and the exit code of whoever started it.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path

IMPORTED = ("torch", "transformers", "sklearn.ensemble", "onnxruntime", "matplotlib.pyplot")


def ask(address: str, words: list[str]) -> int:
    """Have a run made; its exit code."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        told = json.dumps([words, str(Path.cwd()), dict(os.environ)]).encode()
        socket.send_fds(connection, [len(told).to_bytes(4, "big")], [0, 1, 2])
        connection.sendall(told)
        return int(connection.recv(4) or b"1")


def serve(address: str) -> None:
    """Make runs, until killed."""
    for name in IMPORTED:
        __import__(name)
    from cli.main import main

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        while True:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                os._exit(_watch(connection, main))
            connection.close()
            _reap()


def _watch(connection: socket.socket, main) -> int:
    """Fork the run, whose end, however it comes, is told to who asked."""
    size, streams, _, _ = socket.recv_fds(connection, 4, 3)
    told = connection.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL)
    run = os.fork()
    if run == 0:
        words, folder, environment = json.loads(told)
        for place, stream in enumerate(streams):
            os.dup2(stream, place)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - as long as the process lives
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", errors="backslashreplace", closefd=False)  # noqa: SIM115
        sys.argv = ["biaoti", *words]
        os._exit(_ended(main))
    _, status = os.waitpid(run, 0)
    connection.sendall(str(os.waitstatus_to_exitcode(status) % 256).encode())
    return 0


def _ended(main) -> int:
    """The exit code of a run, as the interpreter would give it."""
    try:
        return main()
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    finally:
        sys.stdout.flush()


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


if __name__ == "__main__":
    if len(sys.argv) == 2:
        serve(sys.argv[1])
    else:
        sys.exit(ask(sys.argv[1], sys.argv[2:]))
