"""`todowright shell`.

A shell in which `TodoWrite '<json>'` is a command: it runs here, the box is redrawn on every
change, and everything else goes to bash, which keeps its folder, its variables and its functions
from line to line. The plan lives in memory and goes with the shell, unless --store names a place for it.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from todowright.cli.place import add_place, chosen_agent, chosen_session

if TYPE_CHECKING:
    import subprocess

    from todowright.plan.changes import Change
    from todowright.tool.todowrite import TodoWrite

EXAMPLES = """examples:
  todowright shell
  $ TodoWrite '{"todos":[{"content":"Run tests","activeForm":"Running tests","status":"in_progress"}]}'
  $ cd src && TodoWrite '{"todos":[]}' && pytest
  $ TodoWrite --help
  $ exit

  todowright shell --store sqlite:///plans.db  keep the plan in a file"""

_GRACE = 3.0
"""Seconds for an interrupted command to put itself in order, and for bash to write down what it has."""


def add_options(parser: Any) -> None:
    add_place(parser, store_default="memory:, gone with the shell")


def run(options: Any) -> int:
    import tempfile

    from todowright.tool.todowrite import TodoWrite

    todo = TodoWrite(
        "shell",
        store=options.store or "memory:",
        session=chosen_session(options),
        agent=chosen_agent(options),
    )
    todo.on_change(_draw)
    with tempfile.TemporaryDirectory(prefix="todowright-") as folder:
        shell = Shell(todo, folder)
        if sys.stdin is None or not sys.stdin.isatty():
            return _script(shell)
        print("TodoWrite '<json>' writes the plan, TodoWrite -h explains, exit or Ctrl-D leaves.")
        return _talk(shell)


def _draw(change: Change) -> None:
    from todowright.cli.box import box, console

    screen = console()
    width = screen.width if screen.is_terminal else None
    screen.print(box(change.plan, most=width), soft_wrap=True)


class Shell:
    """Runs commands one after the other, on one plan."""

    def __init__(self, todo: TodoWrite, folder: str) -> None:
        from todowright.shell.state import ShellState

        self._todo = todo
        self._state = ShellState(folder, list(todo.dialect.environment.values()))
        self.code = 0
        self.left = False

    def run(self, command: str) -> None:
        """Run a command; what it prints goes to the terminal."""
        from todowright.shell import answered
        from todowright.shell.line import read_line

        words = command.split()
        if not words:
            return
        if words[0] in ("exit", "quit"):
            self.left = True
            self.code = int(words[1]) % 256 if words[1:] and words[1].isdigit() else self.code
            return
        line = read_line(command)
        if line.call is not None:
            self._say(answered(line, line.call, self._todo, self._state.changes()))
        elif lost := self._state.leave_lost_folder():
            from todowright.text import shown

            here = shown(self._state.folder(), 200)
            told = f"the folder {shown(lost, 200)} is gone; the shell is in {here} now"
            print(f"Error: {told}, and did not run the command", file=sys.stderr, flush=True)
            self.code = 1
        else:
            self._hand_to_bash(line.text)

    def _hand_to_bash(self, command: str) -> None:
        from todowright.shell import prepared

        state = self._state
        try:
            with prepared(command, self._todo) as (text, variables):
                environ = state.environ() | variables
                self.code = _ran(state.resumed(text, self.code), environ, state.folder())
        finally:
            state.keep()

    def _say(self, result: Any) -> None:
        for text, stream in ((result.stdout, sys.stdout), (result.stderr, sys.stderr)):
            if text:
                print(text, file=stream, flush=True)
        self.code = result.exit_code


def _ran(command: str, environ: dict[str, str], folder: str) -> int:
    """Run a command on the terminal there is; its exit code."""
    import subprocess

    from todowright.shell.guard import NotStarted, guarded
    from todowright.shell.native import shell

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603  to run commands is what this is for
            [shell(), "-c", command],
            env=environ,
            cwd=folder,
            stdin=None if sys.stdin is not None and sys.stdin.isatty() else subprocess.DEVNULL,
        )

    try:
        return guarded(start, lambda process: process.wait(), _end)
    except NotStarted as error:  # a NUL in the command, too long
        print(f"Error: the command could not be run: {error}", file=sys.stderr)
        return 126


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command that was interrupted; Ctrl-C has reached it too, so it may end by itself."""
    from todowright.shell.guard import reaped

    if not reaped(process, _GRACE):
        process.kill()
        reaped(process)


def _script(shell: Shell) -> int:
    """Commands from a pipe or a file; the exit code is the last one's."""
    pending = Pending()
    for line in sys.stdin or ():
        if pending.ends_with(line):
            shell.run(pending.taken())
        if shell.left:
            return shell.code
    shell.run(pending.taken())
    return shell.code


def _talk(shell: Shell) -> int:
    import contextlib

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  arrow keys and history
    pending = Pending()
    while not shell.left:
        try:
            if pending.ends_with(input("> " if pending.lines else "$ ") + "\n"):
                shell.run(pending.taken())
        except EOFError:
            print()
            return shell.code
        except KeyboardInterrupt:
            print()
            pending.taken()
    return shell.code


class Pending:
    """The lines of a command that is not whole yet."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._ending = ""
        """The line that ends the here-document which is open: until it comes, no other matters."""
        self._joined = ""
        """The lines before, where a backslash joins the next one to them."""

    def ends_with(self, line: str) -> bool:
        """Whether the command is whole with this line."""
        self.lines.append(line)
        joined, self._joined = self._joined + line, ""
        if line.endswith("\\\n") and len(joined) < 1000:
            self._joined = joined[:-2]
        if self._ending and not (self._may_end(line) or self._may_end(joined)):
            return False
        is_whole, self._ending = looked_at("".join(self.lines))
        return is_whole

    def _may_end(self, line: str) -> bool:
        bare, ending = line.rstrip("\n").lstrip("\t"), self._ending.lstrip("\t")
        return bare == ending or (bare.startswith(ending) and ")" in bare)

    def taken(self) -> str:
        """All of it; the next command begins."""
        text = "".join(self.lines)
        self.lines, self._ending, self._joined = [], "", ""
        return text


def looked_at(text: str) -> tuple[bool, str]:
    """Whether a command is whole; if not, the line that ends its here-document, if one is open."""
    import subprocess

    from todowright.shell.line import read_line
    from todowright.shell.native import shell

    if text.endswith("\\\n"):
        return False, ""
    line = read_line(text)
    if line.call is not None or "\x00" in text:
        return not line.is_open, line.ending
    checked = subprocess.run(  # noqa: S603  bash only reads it
        [shell(), "-n"],
        input=os.fsencode(line.text),
        capture_output=True,
        env={**os.environ, "LC_ALL": "C"},
    )
    told = checked.stderr.lower()
    ends = (
        b"unexpected end of file",
        b"unexpected eof",
        b"here-document",
        b"end of file unexpected",
    )
    is_whole = not any(words in told for words in ends)
    return is_whole, line.ending if b"here-document" in told else ""
