"""`todowright mcp`.

The plan tool for any host that speaks MCP, on standard input and output. Paste what --print-config
says into your host; then, in the same folder, `todowright watch` shows the plan that moved last, `todowright
sessions` lists them all, and `todowright serve` is a board in the browser.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from todowright.cli.place import add_place, chosen_store
from todowright.names import ALL_DIALECTS

EXAMPLES = """examples:
  todowright mcp --print-config claude      what to paste, for claude, codex, opencode, gemini, qwen, cursor, vscode or zed
  claude mcp add todowright -- todowright mcp
  todowright mcp --print-config claude --http   the same for a todowright serve that runs
  todowright mcp --session auth             one plan for every conversation"""


def add_options(parser: Any) -> None:
    parser.add_argument(
        "--print-config",
        metavar="HOST",
        choices=["claude", "codex", "opencode", "gemini", "qwen", "cursor", "vscode", "zed"],
        help="print what to paste into a host, and end",
    )
    parser.add_argument(
        "--http",
        metavar="URL",
        nargs="?",
        const="http://127.0.0.1:8700/mcp",
        help="with --print-config: for the server of `todowright serve` (default: %(const)s)",
    )
    parser.add_argument(
        "--dialect",
        choices=ALL_DIALECTS,
        default="lean",
        help="the form of the plan tool (default: lean)",
    )
    add_place(parser, session_default="one of its own for each conversation of the host")


def run(options: Any) -> int:
    if options.print_config:
        return _print_config(options)
    if options.http:
        print(
            "todowright mcp: --http goes with --print-config: todowright serve is the server",
            file=sys.stderr,
        )
        return 2
    return serve_here(options)


def serve_here(options: Any) -> int:
    """Serve one window in this process: where there can be no shared server."""
    import signal

    import anyio
    from mcp.server.lowlevel import NotificationOptions
    from mcp.server.stdio import stdio_server

    from todowright.host.host_process import host_pids
    from todowright.host.identity import Window
    from todowright.mcp.server import PlanServer
    from todowright.mcp.wire import StandardInput

    store = chosen_store(options)
    pids = tuple(host_pids(os.environ))
    plans = PlanServer(
        store,
        dialect=options.dialect,
        session=options.session or os.environ.get("TODOWRIGHT_SESSION"),
        agent=options.agent,
        root=os.getcwd(),
        window=Window(os.getcwd(), "", pids, os.environ, os.urandom(6).hex(), os.getpid()),
    )
    news = NotificationOptions(resources_changed=True)
    start = plans.server.create_initialization_options(notification_options=news)

    lines: Any = StandardInput()

    async def serve() -> None:
        async with stdio_server(lines) as (read, write):
            await plans.server.run(read, write, start)

    def stopped(*_: object) -> None:
        os._exit(130)  # a thread waits for standard input, and cannot be asked to stop

    signal.signal(signal.SIGINT, stopped)
    try:
        anyio.run(serve)
    finally:
        store.close()
    return 0


def _print_config(options: Any) -> int:
    """The file's text on standard output, as it is; beside it, for people, where it goes."""
    from todowright.hosts.config import config, http_config, where

    host = options.print_config
    if options.http:
        print(http_config(host, options.http))
    else:
        print(config(host, options=_options(options)))
    for line in where(host, http=bool(options.http)):
        print(f"# {line}", file=sys.stderr)
    return 0


def _options(options: Any) -> list[str]:
    """The options with which we were asked, for the server that a host is to start."""
    given = {"dialect": options.dialect if options.dialect != "lean" else None}
    given |= {"session": options.session, "store": options.store}
    given |= {"agent": options.agent if options.agent != "main" else None}
    return [each for name, value in given.items() if value for each in (f"--{name}", value)]
