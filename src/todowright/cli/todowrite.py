"""The command `TodoWrite '<json>'`, as an agent types it. It must start fast."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Replace the plan with the list in the argument, or on standard input; exit 0 or 1."""
    from todowright.cli import guarded

    if arguments is None:
        from todowright.cli.light import start_light

        start_light()
    given = list(sys.argv[1:] if arguments is None else arguments)
    return guarded("TodoWrite", lambda: _run(given))


def _run(given: list[str]) -> int:
    from todowright.cli.place import SESSION, used_store_url
    from todowright.dialects.shell import DIALECT
    from todowright.tool.todowrite import TodoWrite

    if given[:1] in (["-h"], ["--help"]):
        print(DIALECT.prompt)
        return 0
    if given and given[0].startswith("--"):
        from todowright.text import shown

        told = f"Error: Unknown option '{shown(given[0])}'"
        print(
            f"{told}; the session is set by TODOWRIGHT_SESSION, the store by TODOWRIGHT_STORE",
            file=sys.stderr,
        )
        return 1
    todo = TodoWrite(
        DIALECT,
        store=used_store_url(os.environ, os.getcwd()),
        session=os.environ.get(SESSION) or "default",
    )
    text = " ".join(given)  # unquoted JSON comes in pieces
    if not given and sys.stdin is not None and not sys.stdin.isatty():
        text = sys.stdin.read()
    result = todo(text).data
    if result["stdout"]:
        print(result["stdout"])
    if result["stderr"]:
        print(result["stderr"], file=sys.stderr)
    return int(result["exitCode"])
