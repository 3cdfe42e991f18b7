"""`todowright shell`.

A shell in which `TodoWrite '<json>'` is a command: it runs here, the box is redrawn on every
change, and everything else goes to your real shell. The plan lives in memory and goes with the shell.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from todowright.cli.place import add_place, chosen_agent, chosen_session

if TYPE_CHECKING:
    from todowright.changes import Change
    from todowright.tool import TodoWrite

HELP = "a shell that knows TodoWrite and shows the plan"
EXAMPLES = """examples:
  todowright shell
  $ TodoWrite '{"todos":[{"content":"Run tests","activeForm":"Running tests","status":"in_progress"}]}'
  $ TodoWrite '{"todos":[]}' && pytest
  $ TodoWrite --help
  $ exit

  todowright shell --store sqlite:///plans.db  keep the plan in a file"""


def add_options(parser: Any) -> None:
    add_place(parser)


def run(options: Any) -> int:
    from todowright.tool import TodoWrite

    todo = TodoWrite(
        "shell",
        store=options.store or "memory:",
        session=chosen_session(options),
        agent=chosen_agent(options),
    )
    todo.on_change(_draw)
    if not sys.stdin.isatty():
        return _script(todo)
    print("TodoWrite '<json>' writes the plan, TodoWrite -h explains, exit or Ctrl-D leaves.")
    return _talk(todo)


def _draw(change: Change) -> None:
    from todowright.cli.box import box, console

    screen = console()
    screen.print(
        box(change.plan, most=screen.width if screen.is_terminal else None), soft_wrap=True
    )


def _script(todo: TodoWrite) -> int:
    """Commands from a pipe or a file; the exit code is the last one's."""
    code, pending = 0, ""
    for line in sys.stdin:
        pending += line
        if complete(pending):
            code, pending = _do(todo, pending, None)[0], ""
    return _do(todo, pending, None)[0] if pending.strip() else code


def _talk(todo: TodoWrite) -> int:
    import contextlib

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  arrow keys and history
    folder, pending = None, ""
    while True:
        try:
            pending += input("> " if pending else "$ ") + "\n"
        except EOFError:
            print()
            return 0
        except KeyboardInterrupt:
            print()
            pending = ""
            continue
        if not complete(pending):
            continue
        command, pending = pending.strip(), ""
        if command in ("exit", "quit"):
            return 0
        try:
            _, folder = _do(todo, command, folder)
        except KeyboardInterrupt:
            print()


def complete(text: str) -> bool:
    """Whether a command is whole, or goes on in the next line."""
    from todowright.command import identify
    from todowright.command.words import unfinished

    return identify(text) == "native_command" or not unfinished(text.strip()[len("TodoWrite") :])


def _do(todo: TodoWrite, command: str, folder: str | None) -> tuple[int, str | None]:
    """Run a command and print what it says; `cd` moves the commands that follow."""
    import os

    from todowright.command import run_command

    command = command.strip()
    if not command:
        return 0, folder
    if command == "cd" or command.startswith("cd "):
        target = os.path.expanduser(command[2:].strip() or "~")
        target = os.path.normpath(os.path.join(folder or os.getcwd(), target))
        if os.path.isdir(target):
            return 0, target
        print(f"cd: no folder {target}", file=sys.stderr)
        return 1, folder
    result = run_command(command, todo, cwd=folder)
    for text, stream in ((result.stdout, sys.stdout), (result.stderr, sys.stderr)):
        if text:
            print(text, end="" if text.endswith("\n") else "\n", file=stream, flush=True)
    return result.exit_code, folder
