"""`todowright doctor`.

Look at the coding agents of this user, and say of each whether it can plan with todowright: set up or not,
by which version, forbidden or not yet approved, with a rival plan tool switched on; and whether the server
starts at all.
"""

from __future__ import annotations

import os
from typing import Any

from todowright.cli.install import HOSTS, own_command, spellings, user_places

EXAMPLES = """examples:
  todowright doctor             all coding agents that are found
  todowright doctor claude      this one"""


def add_options(parser: Any) -> None:
    parser.add_argument(
        "host", metavar="HOST", nargs="?", choices=HOSTS, help="only this one (default: all)"
    )


def run(options: Any) -> int:
    from pathlib import Path

    from todowright.hosts.description import HOSTS as DESCRIBED
    from todowright.hosts.doctor import examine, is_there, server_answers

    places = user_places()
    wanted = [options.host] if options.host else [h for h in HOSTS if is_there(h, places)]
    project, sound = Path(os.getcwd()), True
    for host in wanted:
        for finding in examine(host, places, _written(host, places), project):
            sound = sound and finding.well
            print(
                f"{'ok   ' if finding.well else 'WRONG'}  {DESCRIBED[host].title}: {finding.text}"
            )
    if not wanted:
        print("No coding agent was found. These can be set up: " + ", ".join(HOSTS))
    answer = server_answers(_written(options.host or "claude", places))
    print(f"{'ok   ' if answer.well else 'WRONG'}  todowright: {answer.text}")
    return 0 if sound and answer.well else 1


def _written(host: str, places: Any) -> list[str]:
    """The command that a host was set up with, however it is spelt; else the one that would be written now."""
    from todowright.errors import TodowrightError
    from todowright.hosts.pieces import MIRRORED, pieces
    from todowright.hosts.writing import installing

    for command in spellings(host):
        for mirror in (False, True)[: 1 + (host in MIRRORED)]:
            try:
                if not installing(pieces(host, places, command, mirror=mirror)):
                    return command
            except (TodowrightError, OSError, ValueError, AttributeError):
                break  # the findings say what is wrong with its files
    return own_command(host)
