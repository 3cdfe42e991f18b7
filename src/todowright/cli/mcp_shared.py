"""The process of the server that all windows of a user share; `todowright mcp` starts it, and it ends by itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from todowright.cli.place import SESSION, absolute, used_store_url

if TYPE_CHECKING:
    from todowright.mcp.server import PlanServer
    from todowright.mcp.shared import Hello
    from todowright.mcp.subscriptions import Subscriptions
    from todowright.stores import Store

LINGER = "TODOWRIGHT_LINGER"
"""Seconds that it stays when no window is left."""


class Windows:
    """The stores of the windows that are open: each is opened once, and closed with its last window."""

    def __init__(self) -> None:
        self._stores: dict[str, tuple[Store, Subscriptions, int]] = {}

    @contextmanager
    def open(self, hello: Hello) -> Iterator[PlanServer]:
        """The server of one window, for its folder, its environment and its options."""
        from todowright.host.host_process import host_pids
        from todowright.host.identity import Window
        from todowright.host.records import Records
        from todowright.mcp.server import PlanServer
        from todowright.private_files import state_folder

        options = dict(zip(hello.arguments[::2], hello.arguments[1::2], strict=True))
        url = options.get("--store") or used_store_url(hello.environ, hello.folder)
        url = absolute(url, hello.folder)
        store, subscriptions = self._opened(url)
        pids = tuple(host_pids(hello.environ, hello.parent))
        try:
            yield PlanServer(
                store,
                dialect=options.get("--dialect", "lean"),
                session=options.get("--session") or hello.environ.get(SESSION) or None,
                agent=options.get("--agent", "main"),
                root=hello.folder,
                window=Window(hello.folder, "", pids, hello.environ, hello.mark, hello.pid),
                records=Records(state_folder(hello.environ)),
                subscriptions=subscriptions,
            )
        finally:
            self._left(url)

    def _opened(self, url: str) -> tuple[Store, Subscriptions]:
        from todowright.mcp.subscriptions import Subscriptions
        from todowright.stores import open_store

        store, subscriptions, windows = self._stores.get(url) or (None, None, 0)
        if store is None or subscriptions is None:
            store = open_store(url)
            subscriptions = Subscriptions(store)
        self._stores[url] = store, subscriptions, windows + 1
        return store, subscriptions

    def _left(self, url: str) -> None:
        store, subscriptions, windows = self._stores.pop(url)
        if windows > 1:
            self._stores[url] = store, subscriptions, windows - 1
        else:
            store.close()


def main() -> int:
    """Serve on the socket that was inherited, until nobody needs it."""
    import fcntl
    import signal
    import socket

    import anyio

    from todowright.mcp.rendezvous import socket_path
    from todowright.mcp.shared import SharedServer, replace_older

    path = sys.argv[1]
    os.chdir("/")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal that one window was started from
    listener = socket.socket(fileno=3)
    linger = float(os.environ.get(LINGER) or 600)

    async def serve() -> None:
        if path == socket_path(os.environ):
            replace_older(path)
        await SharedServer(Windows().open, linger).run(listener)

    own = os.stat(path).st_ino
    try:
        anyio.run(serve)
    finally:
        with suppress(OSError), open(f"{path}.lock", "a", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if os.stat(path).st_ino == own:
                os.unlink(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
