"""`todowright gate`.

Name a command that must succeed before a step of this project counts as completed: in every coding agent, for our
own tools and for the host's. If it fails, the step stays open, and the agent reads the end of what it printed. Which
command it is stands in your own folder, never in the project's files. It is run with your rights, outside of
whatever wall the agent works behind: name nothing that you would not run yourself on what the agent wrote.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from todowright.hosts.gate import Verification

EXAMPLES = """examples:
  todowright gate "make check"                 from now on, in this project
  todowright gate "npm test" --seconds 300     where it takes longer
  todowright gate                              which command it is
  todowright gate --run                        run it now, as the gate would
  todowright gate --off"""
SECONDS = 50


def add_options(parser: Any) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("verification", metavar="COMMAND", nargs="?", help="what must succeed")
    group.add_argument("--off", action="store_true", help="verify no more")
    group.add_argument("--run", dest="try_it", action="store_true", help="run it now")
    parser.add_argument(
        "--seconds",
        type=int,
        metavar="N",
        help=f"how long it may take (default: {SECONDS}, since some hosts wait no longer than a minute)",
    )


def run(options: Any) -> int:
    from todowright.hosts.gate import gates, set_gate

    folder = gate_folder()
    if options.verification is not None:
        print(close(folder, options.verification, options.seconds))
        return 0
    if options.seconds is not None:
        print("todowright gate: --seconds goes with a command", file=sys.stderr)
        return 2
    if options.off:
        there = folder in gates(os.environ)
        if there:
            set_gate(os.environ, folder, None)
        print(f"Steps are not verified any more in {folder}." if there else _nothing(folder))
        return 0
    return _look(folder, try_it=options.try_it)


def close(folder: str, command: str, seconds: int | None = None) -> str:
    """Have the steps of a folder verified; what is to be said of it."""
    from todowright.hosts.gate import set_gate
    from todowright.private_files import gate_file
    from todowright.text import shown

    given = verification(folder, command, seconds)
    set_gate(os.environ, folder, given)
    told = f"A step in {folder} counts as completed when `{shown(command, 200)}` succeeds, within {given.seconds} s"
    return f"{told}. This is in {gate_file(os.environ)}."


def verification(folder: str, command: str, seconds: int | None = None) -> Verification:
    """What is set for a folder; raises `BadGate` where it cannot be."""
    from todowright.hosts.gate import Verification, checked

    path = os.environ.get("PATH", "")
    return checked(Verification(folder, command, SECONDS if seconds is None else seconds, path))


def gate_folder() -> str:
    """The folder that a gate is set for: the project that we are in, else this very folder."""
    from todowright.cli.place import project_root

    return os.path.realpath(project_root(os.getcwd()) or os.getcwd())


def _look(folder: str, *, try_it: bool) -> int:
    from todowright.hosts.gate import verification_of
    from todowright.hosts.gate_turns import verify_in_turn
    from todowright.text import harmless

    given = verification_of(folder, {**os.environ, "TODOWRIGHT_VERIFYING": ""})
    if given is None:
        print(_nothing(folder))
        return 1 if try_it else 0
    if not try_it:
        print(f"{harmless(given.command)} (at most {given.seconds} s, in {given.folder})")
        return 0
    verdict = verify_in_turn(given, os.environ)
    print(verdict.line or f"verified: {harmless(given.command)} succeeded")
    return 0 if verdict.sure else 1


def _nothing(folder: str) -> str:
    return f"Nothing verifies the steps in {folder}."
