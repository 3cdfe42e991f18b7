"""`todowright uninstall`.

Take out of a coding agent what `todowright install` put there, and leave all else as it is. Plans stay
where they are.
"""

from __future__ import annotations

from typing import Any

from todowright.cli.install import add_host, carry_out, own_command, user_places

EXAMPLES = """examples:
  todowright uninstall claude --dry-run
  todowright uninstall claude"""


def add_options(parser: Any) -> None:
    add_host(parser)


def run(options: Any) -> int:
    from todowright.hosts.pieces import MIRRORED, pieces
    from todowright.hosts.writing import removing

    places, command = user_places(), own_command(options.host)
    found = pieces(options.host, places, command)
    if options.host in MIRRORED:
        found += pieces(options.host, places, command, mirror=True)
    return carry_out(removing(found), options, "as if it had never been set up")
