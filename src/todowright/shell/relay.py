"""`TodoWrite` in a line that a shell runs: the call is passed back to the plan it belongs to.

While a line runs, a socket in a private folder takes the calls; in the shell, `TodoWrite` is a function
that sends them, with `relay_client.py`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from todowright.shell import relay_client
from todowright.shell.line import Call
from todowright.shell.native import CommandResult

PRELUDE = 'TodoWrite() { "$TODOWRIGHT_RELAY_PYTHON" -IS "$TODOWRIGHT_RELAY_CLIENT" "$@"; }; '
_MOST = 32 * 1024 * 1024

Answer = Callable[[Call, Mapping[str, str | None]], CommandResult]


@contextmanager
def relayed(answer: Answer, names: Sequence[str]) -> Iterator[dict[str, str]]:
    """Take calls while the block runs, each with the variables of these names as its shell has them.

    What it gives tells the shell where to send them.
    """
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
            with connection, suppress(OSError):
                connection.sendall(json.dumps(_told(connection, answer)).encode())

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield {
            relay_client.SOCKET: path,
            relay_client.NAMES: " ".join(names),
            "TODOWRIGHT_RELAY_PYTHON": sys.executable,
            "TODOWRIGHT_RELAY_CLIENT": relay_client.__file__,
        }
    finally:
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(5)
        shutil.rmtree(folder, ignore_errors=True)


def _told(connection: Any, answer: Answer) -> list[Any]:
    """The answer to one call; the next one is answered whatever becomes of this."""
    try:
        call, environ = _call(json.loads(_received(connection)))
        reply = answer(call, environ)
    except Exception:  # whoever is in the shell can send anything
        return ["", "Error: The call could not be read", 1]
    return [reply.stdout, reply.stderr, reply.exit_code]


def _call(asked: Any) -> tuple[Call, dict[str, str | None]]:
    words, text, environ = asked["words"], asked["input"], asked["environ"]
    if not all(isinstance(word, str) for word in words) or not isinstance(text, str | None):
        raise TypeError
    if not all(isinstance(value, str | None) for value in environ.values()):
        raise TypeError
    return Call(tuple(words), text), environ


def _received(connection: Any) -> bytes:
    """All that the other side sends until it stops sending."""
    parts, size = [], 0
    while part := connection.recv(65536):
        parts.append(part)
        size += len(part)
        if size > _MOST:
            raise ValueError("too long")
    return b"".join(parts)
