"""The application behind uvicorn, in a thread of this process: where a test needs shorter times."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from todowright.web.connections import connection_class


@contextmanager
def running(app: Any) -> Iterator[uvicorn.Server]:
    """The server that serves it."""
    config = uvicorn.Config(
        app, port=0, log_level="error", http=connection_class(), timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    deadline = time.monotonic() + 30
    while not server.started:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    yield server
    server.should_exit = True
    thread.join(30)


def port_of(server: uvicorn.Server) -> int:
    """Where it is reached."""
    return int(server.servers[0].sockets[0].getsockname()[1])
