"""A worker's process: `python -m service.worker SETTINGS LISTENER HEART PARENT`.

Started by `service.supervisor`; SETTINGS are JSON, the others file descriptors.
"""

from __future__ import annotations

import signal
import socket
import sys

from models.errors import BiaotiError
from service import logs
from service.server import Lifeline, serve_on
from service.settings import Settings


def main() -> int:
    """Serve on the supervisor's socket until it says to stop, or is no longer there."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the supervisor passes it on
    settings = Settings.model_validate_json(sys.argv[1])
    logs.configure(settings.log_format)
    listener, heart, parent = map(int, sys.argv[2:])
    lifeline = Lifeline(heart, parent)
    try:
        serve_on(socket.socket(fileno=listener), settings, lifeline.beat, lifeline)
    except BiaotiError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
