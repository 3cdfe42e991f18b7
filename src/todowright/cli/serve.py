"""`todowright serve`.

The live board in a browser, its JSON API, and the plan tool over MCP, on one port. It listens to this
machine only, unless --host says otherwise, and lets in who has a link or a token of yours.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from todowright.cli.place import STORE, absolute, add_place, chosen_store, project_root, store_url
from todowright.names import ALL_DIALECTS

if TYPE_CHECKING:
    from todowright.stores import Store
    from todowright.web.keys import Keys

EXAMPLES = """examples:
  todowright serve                      all your projects: open the link that it prints
  todowright serve --here               the project of this folder only
  todowright serve --open --demo        opens it for you, and shows a plan that moves
  todowright serve --link               a new link to the server that runs already
  todowright serve --follow             also the plans of Claude Code, Codex and others, as they write them
  todowright serve --host 0.0.0.0       for others, too; prints a link to look and one to change"""


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
    parser.add_argument("--link", nargs="?", choices=["read", "write"], const="write",
                        help="print a link to the server that runs on this port, and end; it works once. "
                        "A browser that comes by a `read` link may only look")  # fmt: skip
    parser.add_argument("--no-token", action="store_true",
                        help="let in everybody who can reach it, other users of this machine too")  # fmt: skip
    parser.add_argument(
        "--demo",
        action="store_true",
        help="let a scripted agent work, to see a plan move; without --store it is kept in a passing store",
    )
    parser.add_argument("--follow", nargs="*", metavar="FOLDER",
                        help="show what other agents plan now, from the files that they write: in these folders, "
                        "or where the known agents of this machine keep theirs. They are only read")  # fmt: skip
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--here", action="store_true",
                       help="show the project of this folder only, as --host and --no-token do by themselves")  # fmt: skip
    which.add_argument("--everywhere", action="store_true",
                       help="show all your projects, although --host or --no-token let others in")  # fmt: skip
    parser.add_argument("--dialect", choices=ALL_DIALECTS,
                        default="lean", help="the form of the plan tool for MCP (default: lean)")  # fmt: skip
    add_place(parser, session_default="for MCP, one of its own for each connection")


def run(options: Any) -> int:
    from contextlib import ExitStack
    from tempfile import TemporaryDirectory

    if options.link:
        from todowright.cli.serve_links import print_link

        return print_link(options)
    import uvicorn  # noqa: F401  what is missing is said before anything is opened

    with ExitStack() as passing:
        if options.demo and not options.store and not os.environ.get(STORE):
            folder = passing.enter_context(TemporaryDirectory(prefix="todowright-demo-"))
            options.store = f"sqlite:///{folder}/plans.db"
            from todowright.cli.afternoon import Afternoon

            Afternoon(options.store).write()
        return _opened(options)


def _opened(options: Any) -> int:
    """Open the store and the port, and serve."""
    import socket

    store = chosen_store(options)
    store.newest()  # what is wrong with it is said before anything else
    shown = _shown(options, store)
    options.everywhere = shown is not store
    try:
        family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
        both = options.host == "::" and socket.has_dualstack_ipv6()
        listener = socket.create_server(
            (options.host, options.port), family=family, dualstack_ipv6=both
        )
        # Connections have it from their listener. asyncio sets it only where a socket names its protocol, and
        # without it what follows a head waits 40 ms for the browser to say that the head has come.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except (OSError, OverflowError) as error:
        told = getattr(error, "strerror", None) or str(error)
        print(
            f"todowright serve: {options.host}:{options.port}: {told}; if your board runs there already, todowright serve --link opens it; --port 0 takes a free port",
            file=sys.stderr,
        )
        return 1
    try:
        return _serve(options, store, shown, listener)
    finally:
        listener.close()
        shown.close()
        store.close()


def _shown(options: Any, store: Store) -> Store:
    """What the board shows: all projects of the user, or one, where others are let in or it was asked for."""
    from todowright.cli.everywhere import all_projects, check_everywhere
    from todowright.cli.serve_links import LOCAL

    if options.everywhere:
        check_everywhere(options)
    named = options.store or os.environ.get(STORE)
    alone = options.host in LOCAL and not options.no_token and not options.here
    wide = options.everywhere or (alone and not named)
    return all_projects(os.environ, os.getcwd()) if wide else store


def _what(options: Any) -> str:
    """What is shown, in words that no other board has: a cookie is good for that alone."""
    if options.everywhere:
        return "all projects"
    return absolute(options.store or store_url(os.environ, os.getcwd()))


def _serve(options: Any, store: Store, shown: Store, listener: Any) -> int:
    from todowright.cli.serve_links import chosen_keys, shown_host

    port = listener.getsockname()[1]
    keys = None if options.no_token else chosen_keys(port, _what(options))
    app = _app(options, store, shown, keys)
    _begin(options, store, keys, f"http://{shown_host(options.host)}:{port}/")
    _run(app, listener)
    return 0


def _app(options: Any, store: Store, shown: Store, keys: Keys | None) -> Any:
    """The board, with the plan's tools over MCP beside it."""
    from todowright.mcp.server import PlanServer
    from todowright.web.app import build

    plans = PlanServer(
        store,
        dialect=options.dialect,
        session=options.session,
        agent=options.agent,
        root=os.getcwd(),
    )
    http = plans.http()
    project = project_root(os.getcwd())
    return build(
        shown,
        project=os.path.basename(project or "") if shown is store else "",
        root=project or os.getcwd(),
        hosts=(options.host, *options.name),
        keys=keys,
        mounted=http.handle_request,
        started=http.run,
    )


def _run(app: Any, listener: Any) -> None:
    """Serve until somebody ends it."""
    import asyncio

    import uvicorn

    from todowright.web.connections import ACCEPTED_AT_ONCE, connection_class, wait_in_line

    config = uvicorn.Config(
        app,
        http=connection_class(),
        backlog=ACCEPTED_AT_ONCE,
        log_level="error",
        access_log=False,
        timeout_graceful_shutdown=2,
        server_header=False,
        lifespan="on",
        proxy_headers=False,
    )

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            wait_in_line(sockets)

        async def shutdown(self, sockets: Any = None) -> None:
            import logging

            await app.state.stream.stop()  # open streams would hold it up
            logging.getLogger("uvicorn.error").disabled = True  # what is cut off now is meant
            await super().shutdown(sockets)

    asyncio.run(Server(config).serve(sockets=[listener]))


def _begin(options: Any, store: Store, keys: Keys | None, url: str) -> None:
    """Greet, and start what the options ask for beside the server."""
    from todowright.cli.serve_links import greet, open_browser

    greet(url, keys, options)
    if options.demo:
        import threading

        from todowright.cli.demo import play

        threading.Thread(target=play, args=(store,), daemon=True).start()
    if options.follow is not None:
        _follow(store, options.follow)
    if options.open:
        open_browser(url, keys)


def _follow(store: Store, folders: list[str]) -> None:
    """Bring in what other agents plan, while the server runs."""
    import threading

    from todowright.cli.place import user_data
    from todowright.importers.bringing import Importer
    from todowright.importers.follow import Follower
    from todowright.importers.homes import homes
    from todowright.importers.ledger import Ledger, ledger_path

    found = folders or homes()
    if not found:
        print("None of the known agents has files here: name a folder after --follow.")
        return
    others = f" and {len(found) - 3} more" if len(found) > 3 else ""
    print(f"Following {', '.join(found[:3])}{others}.", flush=True)
    importer = Importer(store, Ledger(ledger_path(store, user_data(os.environ))), live=True)
    follower = Follower(importer, found)
    threading.Thread(target=follower.run, args=(threading.Event(),), daemon=True).start()
