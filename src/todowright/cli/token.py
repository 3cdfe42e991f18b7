"""`todowright token`.

Tokens let programs in at `todowright serve`: an MCP host, a script. A token is shown once, when it is
made; what is kept of it is a hash, in a file that only you can read. It is good for every server you
start, until you revoke it. Browsers need none: `todowright serve --link` gives them a link.
"""

from __future__ import annotations

import sys
from typing import Any

from todowright.cli.serve_links import token_file

EXAMPLES = """examples:
  todowright token new claude
  export TODOWRIGHT_TOKEN=$(todowright token new codex)
  todowright token new report --scope read    may look, and change nothing
  todowright token new curl --header > header; curl -H @header http://127.0.0.1:8700/api/sessions
  todowright token list
  todowright token revoke claude              at once, also for servers that run
  todowright token revoke browser             every browser needs a new link"""


def add_options(parser: Any) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    new = actions.add_parser("new", help="make a token, and print it once")
    new.add_argument("name", metavar="NAME", help="what it is for")
    new.add_argument("--scope", choices=["read", "write"], default="write",
                     help="what it is good for (default: write, which MCP needs)")  # fmt: skip
    new.add_argument(
        "--header", action="store_true", help="as the header of a request, for curl -H @FILE"
    )
    shown = actions.add_parser("list", help="which tokens there are")
    shown.add_argument("--json", action="store_true", help="as JSON")
    gone = actions.add_parser("revoke", help="end a token")
    gone.add_argument("name", metavar="NAME", help="the token; `browser` for all browsers")


def run(options: Any) -> int:
    return int({"new": _new, "list": _list, "revoke": _revoke}[options.action](options))


def _new(options: Any) -> int:
    from todowright.web.keys import new_token

    text = new_token(token_file(), options.name, options.scope)
    print(f"Authorization: Bearer {text}" if options.header else text)
    if sys.stdout.isatty():
        print("It is shown once. End it with: todowright token revoke " + options.name)
    return 0


def _list(options: Any) -> int:
    from todowright.text import json_text
    from todowright.web.keys import BROWSER

    tokens = token_file().read().tokens
    rows: list[tuple[str, str, str]] = [(each.name, each.scope, each.made) for each in tokens]
    if options.json:
        print(json_text([dict(zip(("name", "scope", "made"), row, strict=True)) for row in rows]))
        return 0
    rows.append((BROWSER, "by its link", "browsers that came by a link"))
    wide = sys.stdout.isatty()
    widths = [max(len(row[n]) for row in rows) for n in range(3)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join(cells).rstrip() if wide else "\t".join(row))
    return 0


def _revoke(options: Any) -> int:
    from todowright.text import harmless
    from todowright.web.keys import BROWSER, revoke

    revoke(token_file(), options.name)
    if options.name == BROWSER:
        print("Revoked: every browser needs a new link (todowright serve --link).")
    else:
        print(f"Revoked: {harmless(options.name)}.")
    return 0
