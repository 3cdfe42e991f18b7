"""`TodoWrite` as a command that an agent types: the router, and what runs either kind of command."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Literal

from todowright.dialects.shell import USAGE
from todowright.shell.line import NAME, Call, Line, read_line
from todowright.shell.native import CommandResult, Within, run_native
from todowright.tool.todowrite import TodoWrite

__all__ = ["CommandResult", "CommandType", "identify", "prepared", "run_command"]

CommandType = Literal["agent_shell_command", "native_command"]

_OURS = re.compile(NAME + r"(?=$|[\s'\"])")


def identify(command: str) -> CommandType:
    """Which kind of command this is: ours is the one whose first word is exactly `TodoWrite`."""
    return "agent_shell_command" if _OURS.match(command.strip()) else "native_command"


def run_command(
    command: str,
    todo: TodoWrite | None = None,
    *,
    cwd: str | None = None,
    timeout: float | None = None,
    most: int | None = None,
    within: Within | None = None,
) -> CommandResult:
    """Run one command line: `TodoWrite …` here, on the plan of `todo`, anything else in a shell.

    Where there is more on the line, the shell runs it all, and each `TodoWrite` in it reaches the same
    plan: `&& pytest` runs if the list was accepted. Nothing raises; a command that cannot be run says
    why. `timeout` (seconds) and `most` (bytes printed) end it. `within` says what the shell runs within:
    it is given the shell's words and the variables that a call needs, and gives back the words to run and
    the whole environment.
    """
    if todo is None:
        todo = TodoWrite("shell")
    line = read_line(command)
    if line.call is not None:
        return answered(line, line.call, todo)
    with _reaching(line.text, todo) as (text, environ):
        return run_native(text, environ, cwd=cwd, timeout=timeout, most=most, within=within)


def answered(
    line: Line, call: Call, todo: TodoWrite, environ: Mapping[str, str | None] | None = None
) -> CommandResult:
    """What a line is answered that is no more than one call; no shell is needed for that."""
    if line.fault == "more":
        stderr = f"Error: Unexpected text after the JSON parameter\n{USAGE}"
        return CommandResult(stderr=stderr, exit_code=1)
    return _made(call, todo, environ or {})


@contextmanager
def prepared(command: str, todo: TodoWrite) -> Iterator[tuple[str, dict[str, str]]]:
    """What bash is given, and the variables it needs, so that a `TodoWrite` in it reaches the plan."""
    with _reaching(read_line(command).text, todo) as given:
        yield given


@contextmanager
def _reaching(text: str, todo: TodoWrite) -> Iterator[tuple[str, dict[str, str]]]:
    """The same for a line that was read already: what was judged is what runs."""
    if NAME not in text:
        yield text, {}
        return
    from todowright.shell.relay import PRELUDE, relayed

    names = list(todo.dialect.environment.values())
    at_first = {name: os.environ.get(name) for name in names}

    def answer(call: Call, environ: Mapping[str, str | None]) -> CommandResult:
        return _made(call, todo, {name: environ.get(name) for name in names
                                  if environ.get(name) != at_first[name]})  # fmt: skip

    with ExitStack() as stack:
        try:
            variables = stack.enter_context(relayed(answer, names))
        except OSError:  # no place for the relay: the command runs all the same
            yield text, {}
            return
        yield PRELUDE + text, variables


def _made(call: Call, todo: TodoWrite, environ: Mapping[str, str | None]) -> CommandResult:
    """Make a call; `environ` are the variables that its shell sets otherwise than the program."""
    if call.words[:1] in (("-h",), ("--help",)):
        return CommandResult(todo.dialect.prompt)
    argument: object = " ".join(call.words) if call.words else call.input
    if not todo.dialect.json_text and isinstance(argument, str):
        import json

        with suppress(ValueError, RecursionError):  # the dialect says what it thinks of text
            argument = json.loads(argument)
    with todo.environ_with(environ):
        reply = todo(argument)
    if "exitCode" in reply.data:
        data = reply.data
        return CommandResult(data["stdout"], data["stderr"], data["exitCode"])
    if reply.is_error:
        return CommandResult(stderr=reply.text, exit_code=1)
    return CommandResult(reply.text)
