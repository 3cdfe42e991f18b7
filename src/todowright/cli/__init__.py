"""The commands `todowright` and `TodoWrite`. Nothing heavy is imported before it is needed."""

from __future__ import annotations

import io
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # so for type checkers; the module `typing` is not light
    from collections.abc import Callable, Sequence

    from todowright.cli.usage import Parser

COMMANDS = {
    "agent": "give a task to an agent that plans",
    "serve": "the live board in a browser, and MCP over HTTP",
    "token": "make, list and revoke tokens for the server",
    "mcp": "the plan tool as an MCP server (stdio)",
    "install": "set up a coding agent: the tools, the hooks, the permissions",
    "uninstall": "take out of a coding agent what install put there",
    "doctor": "say what keeps a coding agent from planning with todowright",
    "gate": "have every step verified by a command before it counts as completed",
    "hook": "answer one event of a coding agent (install sets it up)",
    "show": "show a plan as it stands",
    "watch": "watch a plan move, whichever process writes it",
    "notify": "be told when an agent is stuck, done, or needs you",
    "history": "what changed, when, and by whom",
    "timeline": "who worked on what, and for how long",
    "sessions": "list the sessions and how far they are",
    "clear": "empty a plan; its history stays",
    "import": "bring in the plans that other agents wrote to their files",
    "stats": "what plans say: completed, dropped, stuck, and what they cost",
    "sync": "keep a plan and a Markdown file in step, both ways",
    "export": "export a session with its history to Markdown or JSON",
    "tasks": "add tasks to a list for many workers, or show it",
    "backup": "copy the store into one file, also while others write",
    "restore": "bring back a backup; what the store has now is kept beside it",
    "check": "say whether the store is sound",
    "prune": "delete old revisions, and make the file smaller",
    "worker": "take tasks and run a command for each",
    "fleet": "who works on what, what is ready, what is blocked by whom",
    "dialects": "list the dialects, and what each is for",
    "fit": "find out which dialect fits a model",
    "shell": "a shell that knows TodoWrite and shows the plan",
    "demo": "watch an agent repair a broken repository (the model is a script)",
    "completion": "print a completion script for your shell",
}
"""What each is for, in one line; its module is loaded when it is needed."""

EXTRAS = {"agent": "agent", "fit": "agent", "serve": "serve", "mcp": "serve"}
"""The extra that brings all a command needs; for every other command it is `cli`."""
OPTIONAL = {"rich", "shtab", "anthropic", "openai", "anyio", "mcp", "starlette", "uvicorn"}
"""The modules that extras bring."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 1 for a fault, 2 for a wrong usage."""
    given = sys.argv[1:] if arguments is None else arguments
    if list(given[:1]) == ["mcp"] and arguments is None and (code := _relayed(given[1:])) is not None:  # fmt: skip
        return code
    if arguments is None:
        _hear_of_children()
    if not given:
        parser("").print_help(sys.stderr)
        return 2
    if given[0] == "hook" and not {"-h", "--help"} & set(given):
        if arguments is None:
            from todowright.cli.light import start_light

            start_light()
        from todowright.cli.hook import quick

        return quick(given[1:])
    command = next((each for each in given if not each.startswith("-")), "")
    options = parser(command).read(given)
    extra = EXTRAS.get(options.command, "cli")
    return guarded("todowright", lambda: int(options.run(options)), extra)


def _relayed(arguments: Sequence[str]) -> int | None:
    """Serve MCP by the server that all windows share, before anything else is loaded; None where that cannot be."""
    from todowright.mcp.relay import relayed

    return relayed(arguments)


def _hear_of_children() -> None:
    """Learn how commands end that we run: where that is ignored, each would seem to have succeeded.

    Who started us may have ignored it and handed that on, and a window that looked for a shared server has.
    """
    import _signal as signal  # type: ignore[import-not-found]  # what `signal` is made of

    children = getattr(signal, "SIGCHLD", None)
    if children is not None and signal.getsignal(children) == signal.SIG_IGN:
        signal.signal(children, signal.SIG_DFL)


def parser(command: str | None = None) -> Parser:
    """The parser of all commands; where one is named, the others have no options, and are not loaded."""
    import argparse
    from importlib import import_module

    from todowright.cli.usage import Parser

    top = Parser(
        prog="todowright",
        description="See and keep the plans of LLM agents.",
        epilog="An agent, or you, writes a plan with:  TodoWrite '{\"todos\": [...]}'\n"
        "Then look at it:                       todowright show\n"
        "Or watch it move from another window:  todowright watch",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    from todowright import __version__

    top.add_argument("--version", action="version", version=f"todowright {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, purpose in COMMANDS.items():
        if command not in (None, name):
            commands.add_parser(name, help=purpose)
            continue
        module = import_module(f"todowright.cli.{name}")
        added = commands.add_parser(
            name,
            help=purpose,
            description=str(module.__doc__).split("\n\n", 1)[-1].strip(),
            epilog=module.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_options(added)
        added.set_defaults(run=module.run)
    return top


def guarded(name: str, work: Callable[[], int], extra: str = "cli") -> int:
    """Do the work; what goes wrong becomes one line on standard error and an exit code."""
    from todowright.errors import TodowrightError
    from todowright.logs import quiet
    from todowright.text import harmless

    before = quiet.set(True)
    for stream in (sys.stdout, sys.stderr):
        if stream is None:  # closed by who called us: nobody wants to read
            return 1
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = work()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        _stop_writing()
        return 0
    except KeyboardInterrupt:
        return 130
    except ModuleNotFoundError as error:
        missing = str(error.name).partition(".")[0]
        if missing not in OPTIONAL:
            raise
        print(f"{name}: {missing} is missing: {install_hint(extra)}", file=sys.stderr)
        return 1
    except (TodowrightError, OSError, UnicodeError) as error:
        print(f"{name}: {harmless(str(error))}", file=sys.stderr)
        return 1
    finally:
        quiet.reset(before)
    return code


def install_hint(extra: str) -> str:
    """How to install what an extra brings: from where todowright itself came."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote

    try:
        origin = json.loads(distribution("todowright").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        origin = {}
    url = str(origin.get("url", ""))
    source = unquote(url.removeprefix("file://")) if url.startswith("file://") else "todowright"
    return f"pip install '{source}[{extra}]'"


def _stop_writing() -> None:
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
