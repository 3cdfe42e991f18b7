"""`TodoWrite` anywhere in a line that a shell runs: the call is passed back to the plan it belongs to.

While a native command runs, a socket in a private folder takes the calls; in the shell, `TodoWrite`
is a function that sends them. As a program, this module is what the function runs.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

SOCKET, PYTHON = "TODOWRIGHT_RELAY", "TODOWRIGHT_RELAY_PYTHON"
PRELUDE = f'TodoWrite() {{ "${PYTHON}" -m todowright.shell.relay "$@"; }}; '
_MOST = 32 * 1024 * 1024

Answer = Callable[[list[str], str | None], tuple[str, str, int]]


@contextmanager
def relayed(answer: Answer) -> Iterator[dict[str, str]]:
    """Take calls while the block runs; the variables tell the shell where to send them."""
    import shutil
    import socket
    import tempfile
    import threading

    folder = tempfile.mkdtemp(prefix="todowright-")
    path = os.path.join(folder, "relay")
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:  # closed: the command has ended
                return
            with connection, suppress(OSError, ValueError):
                asked = json.loads(_received(connection))
                reply = answer(asked["arguments"], asked["input"])
                connection.sendall(json.dumps(reply).encode())

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield {SOCKET: path, PYTHON: sys.executable}
    finally:
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(5)
        shutil.rmtree(folder, ignore_errors=True)


def _received(connection: Any) -> bytes:
    """All that the other side sends until it stops sending."""
    parts, size = [], 0
    while part := connection.recv(65536):
        parts.append(part)
        size += len(part)
        if size > _MOST:
            raise ValueError("too long")
    return b"".join(parts)


def main() -> int:
    """Send one call and print what comes back."""
    import socket

    arguments = sys.argv[1:]
    text = sys.stdin.read() if not arguments and not sys.stdin.isatty() else None
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.environ[SOCKET])
        connection.sendall(json.dumps({"arguments": arguments, "input": text}).encode())
        connection.shutdown(socket.SHUT_WR)
        stdout, stderr, code = json.loads(_received(connection))
    if stdout:
        print(stdout)
    if stderr:
        print(stderr, file=sys.stderr)
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
