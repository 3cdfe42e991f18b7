"""`todowright dialects`.

List the dialects: the variants of the tool that a model can be offered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from todowright.dialects.dialect import Dialect

EXAMPLES = """examples:
  todowright dialects
  todowright dialects | cut -f 1,4             tab-separated in a pipe
  todowright mcp --dialect smart               another dialect than lean, for a host

tokens: what the tools' definitions cost with every request, and the prompt if there is one."""

HEAD = ("NAME", "TOOLS", "DOCUMENT", "TOKENS", "SPECIAL")
ABOUT = {
    "lean": ("own", "the plan once, then only what changes, by words: the cheapest"),
    "smart": ("000", "whole list, each item with an active form; programs update by id"),
    "shell": ("001", "a word in a command line, for an agent that has only a shell"),
    "envelope": ("002", "whole list with a summary; answers in JSON, logs what was finished"),
    "checklist": ("003", "whole list, lenient about types; answers with the list"),
    "twostate": ("004", "whole list, pending or completed and nothing between; in Chinese"),
}
"""The design document that each follows, and what it is for."""
TOKENS = {
    "lean": (214, 37),
    "smart": (148, 38),
    "shell": (165, 500),
    "envelope": (159, 48),
    "checklist": (110, 0),
    "twostate": (134, 46),
}
"""Definition and prompt, counted in cl100k by `bench.tokens`; a test compares."""


def add_options(parser: Any) -> None:
    pass


def run(options: Any) -> int:
    from todowright.cli.box import console
    from todowright.dialects import load_dialect
    from todowright.names import DIALECTS

    rows = [_row(load_dialect(name)) for name in DIALECTS]
    screen = console()
    if not screen.is_terminal:
        print("\n".join("\t".join(row) for row in rows))
        return 0
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in HEAD:
        table.add_column(name, ratio=1 if name == HEAD[-1] else None, overflow="fold")
    for row in rows:
        table.add_row(*row)
    screen.print(table)
    return 0


def _row(dialect: Dialect) -> tuple[str, ...]:
    document, special = ABOUT[dialect.name]
    definition, prompt = TOKENS[dialect.name]
    tools = ", ".join(tool.name for tool in dialect.tools)
    tokens = f"{definition} + {prompt}" if prompt else str(definition)
    return dialect.name, tools, document, tokens, special
