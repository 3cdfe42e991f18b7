"""How somebody comes to the board of `todowright serve`: links, the browser, and the greeting."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from todowright.cli.place import user_data

if TYPE_CHECKING:
    from todowright.web.keys import Keys
    from todowright.web.token_file import Scope, TokenFile

LOCAL = ("127.0.0.1", "localhost", "::1")


def token_file() -> TokenFile:
    """The file with this user's tokens."""
    from todowright.web.token_file import TokenFile

    return TokenFile(os.path.join(user_data(os.environ), "tokens.json"))


def chosen_keys(port: int, shown: str = "") -> Keys:
    """What judges who comes to that port, where this is shown; what is wrong with the file is said now."""
    from todowright.web.keys import Keys

    keys = Keys(token_file(), port, shown)
    keys.file.read()
    return keys


def shown_host(host: str) -> str:
    """The address by which a browser reaches it; no name, which might lead to a server of somebody else."""
    import socket

    if host == "localhost":
        return "127.0.0.1"
    if host in ("0.0.0.0", "::"):  # noqa: S104
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outward:
            try:
                outward.connect(("192.0.2.1", 9))  # nothing is sent: it only finds the way out
                host = outward.getsockname()[0]
            except OSError:
                return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def link(url: str, keys: Keys, scope: Scope = "write") -> str:
    """A link to the board that lets one browser in."""
    return f"{url}?link={keys.link(scope)}"


def print_link(options: Any) -> int:
    """Print a link to the server that runs already."""
    import socket

    host = options.host if options.host not in ("0.0.0.0", "::") else "127.0.0.1"  # noqa: S104
    try:
        socket.create_connection((host, options.port), timeout=5).close()
    except (OSError, OverflowError):
        told = "start todowright serve first, or give its --port"
        print(f"todowright serve: nothing listens on port {options.port}: {told}", file=sys.stderr)
        return 1
    url = f"http://{shown_host(options.host)}:{options.port}/"
    print(link(url, chosen_keys(options.port), options.link))
    return 0


def open_browser(url: str, keys: Keys | None) -> None:
    """Open the board. The link is handed over in a file that only this user can read.

    On a command line, every user of the machine could see it and be there first.
    """
    import webbrowser

    if keys is None:
        webbrowser.open(url)
        return
    import atexit
    from contextlib import suppress

    page = keys.file.path.with_name(f"open-{_port(url)}.html")
    with suppress(FileNotFoundError):
        page.unlink()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(page, flags, 0o600), "w") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0;url={link(url, keys)}">')
    atexit.register(page.unlink, missing_ok=True)
    webbrowser.open(page.as_uri())


def greet(url: str, keys: Keys | None, options: Any) -> None:
    """Say where the board is, and how to come in."""
    from todowright.cli.paint import Paint

    paint = Paint(sys.stdout)
    if keys is None:
        who = "everybody on this machine" if options.host in LOCAL else "everybody in the network"
        told = f"warning: --no-token lets {who} read and change your plans"
        print(f"todowright serve: {told}", file=sys.stderr, flush=True)
    again = "todowright serve --link" + (f" --port {_port(url)}" if _port(url) != "8700" else "")
    again += "" if options.host in LOCAL else f" --host {options.host}"
    if keys is None:
        print(f"Board: {paint.bold(url)}")
    elif not sys.stdout.isatty():  # what is printed here may be kept in a log
        print(f"Board: {url}   (a link that opens it: {again})")
    elif options.host in LOCAL:
        print(f"Board: {paint.bold(link(url, keys))}")
        print(paint.dim(f"       This link works once; another: {again}"))
    else:
        print(f"Board, to look:    {paint.bold(link(url, keys, 'read'))}")
        print(f"Board, to change:  {paint.bold(link(url, keys))}")
        print(paint.dim(f"These links work once; others: {again}, with --link read to look only"))
    how = "" if keys is None else "   (with a token: todowright token new NAME)"
    print(f"MCP:   {url}mcp{how}")
    if options.everywhere:
        print(paint.dim("Plans of all your projects; --here shows those of this folder only."))
    print(paint.dim("Ctrl-C ends it."), flush=True)


def _port(url: str) -> str:
    return url.rstrip("/").rpartition(":")[2]
