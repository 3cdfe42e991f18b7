"""What `TodoWrite` runs in a shell: it sends one call back to the program, and prints the answer.

It is started anew for each call, so it loads nothing of the package.
"""

from __future__ import annotations

import json
import os
import sys

SOCKET, NAMES = "TODOWRIGHT_RELAY", "TODOWRIGHT_RELAY_NAMES"


def main() -> int:
    """Send one call and print what comes back."""
    words = sys.argv[1:]
    environ = {name: os.environ.get(name) for name in os.environ.get(NAMES, "").split()}
    text = None
    if not words and sys.stdin is not None and not sys.stdin.isatty():
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    try:
        stdout, stderr, code = _answer({"words": words, "input": text, "environ": environ})
    except (OSError, ValueError, KeyError):
        stdout, code = "", 1
        stderr = "Error: The list could not be kept: the command line that it was in has ended"
    for said, stream in ((stdout, sys.stdout), (stderr, sys.stderr)):
        if said and stream is not None:
            stream.buffer.write(f"{said}\n".encode("utf-8", "replace"))
            stream.flush()
    return int(code)


def _answer(call: dict[str, object]) -> tuple[str, str, int]:
    import socket

    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.environ[SOCKET])
        connection.sendall(json.dumps(call).encode())
        connection.shutdown(socket.SHUT_WR)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    stdout, stderr, code = json.loads(b"".join(parts))
    return stdout, stderr, code


if __name__ == "__main__":
    sys.exit(main())
