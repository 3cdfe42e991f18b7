"""`todowright install`.

Set up a coding agent: its plan tools, the permission to call them, and hooks that give the plan back after
a pause. It shows every change, asks, and keeps a copy of each file that is not ours. With --mirror the agent
keeps its own plan tool, and what it is told is written down, so that the board shows it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from todowright.hosts.writing import Change

HOSTS = ("claude", "codex", "opencode", "gemini", "qwen", "cursor", "vscode", "zed")
EXAMPLES = """examples:
  todowright install claude --dry-run     what would be written, and nothing else
  todowright install claude
  todowright install codex --yes          without being asked
  todowright install opencode --mirror    keep OpenCode's own todowrite, and see it on the board
  todowright install claude --verify "make check"   no step of this project is completed before that succeeds
  todowright doctor                       whether all is well"""
_AFTER = {
    "claude": "Restart Claude Code. It knows the tools as the plugin todowright.",
    "codex": "Restart Codex. Type /hooks there, and trust the hooks of todowright; until then they do not run.",
    "opencode": "Restart OpenCode.",
    "gemini": "Restart Gemini CLI.",
    "qwen": "Restart Qwen Code.",
    "cursor": "Cursor asks you once whether the server may run: Settings, MCP.",
    "vscode": "VS Code asks you once whether you trust the server.",
    "zed": "Zed starts the server at once; it asks before a tool's first call.",
}


def add_options(parser: Any) -> None:
    add_host(parser)
    parser.add_argument(
        "--mirror",
        action="store_true",
        help="only write down what the host's own plan tool is told",
    )
    parser.add_argument(
        "--verify",
        metavar="COMMAND",
        help="have steps in this project verified by a command, as `todowright gate` does",
    )


def add_host(parser: Any) -> None:
    """Add the options that install and uninstall share."""
    parser.add_argument("host", metavar="HOST", choices=HOSTS, help=", ".join(HOSTS))
    parser.add_argument("--dry-run", action="store_true", help="show the changes, and make none")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(options: Any) -> int:
    from todowright.cli.gate import gate_folder, verification
    from todowright.hosts.pieces import MIRRORED, pieces
    from todowright.hosts.writing import installing

    host = options.host
    if options.mirror and host not in MIRRORED:
        named = ", ".join(MIRRORED)
        print(
            f"todowright install: {host} has no hooks to mirror by: only {named}", file=sys.stderr
        )
        return 2
    if options.verify is not None:
        verification(
            gate_folder(), options.verify
        )  # what cannot be is said before anything is done
    places = user_places()
    command = own_command(host)
    wanted = pieces(host, places, command, mirror=options.mirror)
    other = pieces(host, places, command, mirror=not options.mirror) if host in MIRRORED else []
    changes = installing(wanted, instead=other)
    code = carry_out(changes, options, "set up")
    if changes and code == 0 and not options.dry_run:
        print(
            "Restart it: what its own tool is told is on the board then."
            if options.mirror
            else _AFTER[host]
        )
    if options.verify is not None and code == 0:
        _verify(options)
    return code


def _verify(options: Any) -> None:
    """Set the gate of this project, or say that it would be set."""
    from todowright.cli.gate import close, gate_folder

    if options.dry_run:
        print(f"set: a step in {gate_folder()} is verified by {options.verify}")
    else:
        print(close(gate_folder(), options.verify))


def user_places() -> Any:
    """Where this user's hosts keep their files."""
    from todowright.cli.place import user_data
    from todowright.hosts.places import Places

    return Places(os.environ, user_data(os.environ))


def own_command(host: str) -> list[str]:
    """How a host of this user starts us: by name where every shell finds it, else by its path.

    A virtual environment is on the PATH of the shell that has activated it, and of no other.
    """
    from shutil import which

    inside = os.path.join(os.environ.get("VIRTUAL_ENV") or "/nowhere", "")
    folders = os.get_exec_path()
    lasting = [each for each in folders if not os.path.join(each, "").startswith(inside)]
    found = which("todowright", path=os.pathsep.join(lasting))
    if found is not None:
        return [found] if host in ("cursor", "vscode", "zed") else ["todowright"]
    program = which("todowright") or os.path.abspath(sys.argv[0])
    is_ours = os.path.basename(program) == "todowright" and os.access(program, os.X_OK)
    return [program] if is_ours else [sys.executable, "-m", "todowright"]


def spellings(host: str) -> list[list[str]]:
    """The ways in which `install` may have written that command, from whichever shell."""
    from shutil import which

    paths = (which("todowright"), os.path.join(os.path.dirname(sys.executable), "todowright"))
    return [own_command(host), ["todowright"], *([path] for path in paths if path)]


def carry_out(changes: list[Change], options: Any, what: str) -> int:
    """Show the changes, ask, and make them."""
    from todowright.hosts.writing import write

    if not changes:
        print(f"Nothing to do: {options.host} is {what} already.")
        return 0
    for change in changes:
        print(change.shown(whole=options.dry_run))
    if options.dry_run:
        return 0
    if any(change.before is None for change in changes):
        print("The whole text of new files: --dry-run")
    if not options.yes and not _agreed(input):
        print("Nothing was changed.")
        return 1
    for copy in write(changes):
        print(f"What was there is kept in {copy}")
    return 0


def _agreed(ask: Callable[[str], str]) -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        print("todowright: nobody can be asked here: say --yes", file=sys.stderr)
        return False
    try:
        return ask("Make these changes? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
