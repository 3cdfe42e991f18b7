"""`TodoWrite` as a command that an agent types: the router, and what runs either kind of command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Literal

from todowright.dialects.shell import USAGE
from todowright.shell.native import CommandResult, continued, run_native
from todowright.shell.words import follows_properly, read_argument
from todowright.tool.todowrite import TodoWrite

__all__ = ["CommandResult", "CommandType", "identify", "prepared", "run_command"]

CommandType = Literal["agent_shell_command", "native_command"]

_OURS = re.compile(r"TodoWrite(?=$|[\s'\"])")


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
) -> CommandResult:
    """Run one command line: `TodoWrite …` here, on the plan of `todo`, anything else in a shell.

    What follows `TodoWrite '…'` on the line goes to the shell as it would anywhere: `&& pytest` runs
    if the list was accepted. A `TodoWrite` in a later place reaches the same plan. Nothing raises; a
    command that cannot be run says why. `timeout` (seconds) and `most` (bytes printed) end it.
    """
    command = command.strip()
    if todo is None:
        todo = TodoWrite("shell")
    before = None
    if identify(command) == "agent_shell_command":
        argument = read_argument(command[len("TodoWrite") :])
        if not follows_properly(argument.rest):
            stderr = f"Error: Unexpected text after the JSON parameter\n{USAGE}"
            return CommandResult(stderr=stderr, exit_code=1)
        before = call(todo, argument.text, is_option=argument.bare)
        if not argument.rest.strip():
            return before
        command = argument.rest
    with prepared(command, todo, before) as (line, environ):
        return run_native(line, environ, cwd=cwd, timeout=timeout, most=most)


@contextmanager
def prepared(
    command: str, todo: TodoWrite, before: CommandResult | None = None
) -> Iterator[tuple[str, dict[str, str]]]:
    """A native command, and the variables it needs, with which a `TodoWrite` in it reaches the plan."""
    environ: dict[str, str] = {}
    if before is not None:
        command, environ = continued(command, before)
    if "TodoWrite" not in command:
        yield command, environ
        return
    from todowright.shell.relay import PRELUDE, relayed

    def answer(arguments: list[str], text: str | None) -> tuple[str, str, int]:
        given = " ".join(arguments) if arguments else text
        result = call(todo, given, is_option=len(arguments) == 1)
        return result.stdout, result.stderr, result.exit_code

    with ExitStack() as stack:
        try:
            variables = stack.enter_context(relayed(answer))
        except OSError:  # no place for the relay: the command runs all the same
            yield command, environ
            return
        yield PRELUDE + command, environ | variables


def call(todo: TodoWrite, argument: object, *, is_option: bool = False) -> CommandResult:
    """Call the tool with the command's argument; as an option, it may ask for help."""
    if is_option and argument in ("-h", "--help"):
        return CommandResult(todo.dialect.prompt)
    if not todo.dialect.json_text and isinstance(argument, str):
        import json

        with suppress(ValueError, RecursionError):  # the dialect says what it thinks of text
            argument = json.loads(argument)
    reply = todo(argument)
    if "exitCode" in reply.data:
        data = reply.data
        return CommandResult(data["stdout"], data["stderr"], data["exitCode"])
    if reply.is_error:
        return CommandResult(stderr=reply.text, exit_code=1)
    return CommandResult(reply.text)
