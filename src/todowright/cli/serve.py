"""`todowright serve`.

The live board in a browser, its JSON API, and the plan tool over MCP, on one port. It listens to this
machine only; any other address needs tokens, which are made and shown once.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from todowright.cli.place import STORE, add_place, chosen_store, project_root
from todowright.names import ALL_DIALECTS

if TYPE_CHECKING:
    from todowright.stores import Store
    from todowright.web.guard import Token

HELP = "the live board in a browser, and MCP over HTTP"
EXAMPLES = """examples:
  todowright serve                      then open the link that it prints
  todowright serve --open --demo        opens it for you, and shows a plan that moves
  todowright serve --host 0.0.0.0       for others; prints a token to read and one to write"""


def add_options(parser: Any) -> None:
    parser.add_argument(
        "--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--port", type=int, default=8700, help="the port; 0 takes a free one (default: 8700)"
    )
    parser.add_argument("--name", action="append", default=[], metavar="HOST",
                        help="a further name by which browsers reach it")  # fmt: skip
    parser.add_argument("--open", action="store_true", help="open the board in a browser")
    parser.add_argument(
        "--demo",
        action="store_true",
        help="let a scripted agent work, to see a plan move; without --store it is kept in a passing store",
    )
    parser.add_argument("--dialect", choices=ALL_DIALECTS,
                        default="lean", help="the form of the plan tool for MCP (default: lean)")  # fmt: skip
    add_place(parser, session_default="for MCP, one of its own for each connection")


def run(options: Any) -> int:
    from contextlib import ExitStack
    from tempfile import TemporaryDirectory

    import uvicorn  # noqa: F401  what is missing is said before anything is opened

    with ExitStack() as passing:
        if options.demo and not options.store and not os.environ.get(STORE):
            folder = passing.enter_context(TemporaryDirectory(prefix="todowright-demo-"))
            options.store = f"sqlite:///{folder}/plans.db"
        return _opened(options)


def _opened(options: Any) -> int:
    """Open the store and the port, and serve."""
    import socket

    store = chosen_store(options)
    store.newest()  # what is wrong with it is said before anything else
    try:
        family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
        both = options.host == "::" and socket.has_dualstack_ipv6()
        listener = socket.create_server(
            (options.host, options.port), family=family, dualstack_ipv6=both
        )
    except (OSError, OverflowError) as error:
        told = getattr(error, "strerror", None) or str(error)
        print(
            f"todowright serve: {options.host}:{options.port}: {told}; --port 0 takes a free one",
            file=sys.stderr,
        )
        return 1
    try:
        return _serve(options, store, listener)
    finally:
        listener.close()
        store.close()


def _serve(options: Any, store: Store, listener: Any) -> int:
    import asyncio

    import uvicorn

    from todowright.mcp.server import PlanServer
    from todowright.web.app import build

    port = listener.getsockname()[1]
    tokens, secrets = _tokens(options.host)
    plans = PlanServer(
        store,
        dialect=options.dialect,
        session=options.session,
        agent=options.agent,
        root=os.getcwd(),
    )
    http = plans.http()
    project = project_root(os.getcwd())
    app = build(
        store,
        project=os.path.basename(project or ""),
        root=project or os.getcwd(),
        hosts=(options.host, *options.name),
        tokens=tokens,
        mounted=http.handle_request,
        started=http.run,
    )
    _begin(options, store, f"http://{_shown(options.host)}:{port}/", secrets)
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        timeout_graceful_shutdown=2,
        server_header=False,
        lifespan="on",
        proxy_headers=False,
    )

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: Any = None) -> None:
            import logging

            await app.state.stream.stop()  # open streams would hold it up
            logging.getLogger("uvicorn.error").disabled = True  # what is cut off now is meant
            await super().shutdown(sockets)

    asyncio.run(Server(config).serve(sockets=[listener]))
    return 0


def _begin(options: Any, store: Store, url: str, secrets: dict[str, str]) -> None:
    """Greet, and start what the options ask for beside the server."""
    _greet(url, secrets)
    if options.demo:
        import threading

        from todowright.cli.demo import play

        threading.Thread(target=play, args=(store,), daemon=True).start()
    if options.open:
        import webbrowser

        webbrowser.open(url + (f"?token={secrets['write']}" if secrets else ""))


def _shown(host: str) -> str:
    """The name by which a browser reaches it."""
    import socket

    if host in ("127.0.0.1", "::1"):
        return "localhost"
    if host in ("0.0.0.0", "::"):  # noqa: S104
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outward:
            try:
                outward.connect(("192.0.2.1", 9))  # nothing is sent: it only finds the way out
                host = outward.getsockname()[0]
            except OSError:
                return "localhost"
    return f"[{host}]" if ":" in host else host


def _tokens(host: str) -> tuple[tuple[Token, ...], dict[str, str]]:
    """Tokens for an address that others reach, and their texts to be shown once."""
    from todowright.web.guard import Token

    if host in ("127.0.0.1", "localhost", "::1"):
        return (), {}
    read, kept_read = Token.make("read")
    write, kept_write = Token.make("write")
    return (kept_read, kept_write), {"read": read, "write": write}


def _greet(url: str, secrets: dict[str, str]) -> None:
    from todowright.cli.paint import Paint

    paint = Paint(sys.stdout)
    if secrets:
        print(f"Board, to look:    {paint.bold(url + '?token=' + secrets['read'])}")
        print(f"Board, to change:  {paint.bold(url + '?token=' + secrets['write'])}")
        print("These tokens are shown once; they end with this server.")
    else:
        print(f"Board: {paint.bold(url)}")
    print(
        f"MCP:   {url}mcp" + ("   (with the header Authorization: Bearer TOKEN)" if secrets else "")
    )
    print(paint.dim("Ctrl-C ends it."), flush=True)
