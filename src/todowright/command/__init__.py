"""`TodoWrite` as a command that an agent types: the router, and what runs either kind of command."""

from __future__ import annotations

import re
from typing import Literal

from todowright.command.native import CommandResult, run_native
from todowright.command.words import follows_properly, read_argument
from todowright.dialects.shell import USAGE
from todowright.tool import TodoWrite

CommandType = Literal["agent_shell_command", "native_command"]

_OURS = re.compile(r"TodoWrite(?=$|[\s'\"])")
_NEXT = re.compile(r"\s*(?P<operator>&&|\|\||;|\n)\s*(?=TodoWrite(?:$|[\s'\"]))")


def identify(command: str) -> CommandType:
    """Which kind of command this is: ours is the one whose first word is exactly `TodoWrite`."""
    return "agent_shell_command" if _OURS.match(command.strip()) else "native_command"


def run_command(
    command: str,
    todo: TodoWrite | None = None,
    *,
    cwd: str | None = None,
    timeout: float | None = None,
) -> CommandResult:
    """Run one command line: `TodoWrite …` here, on the plan of `todo`, anything else in a shell.

    What follows `TodoWrite '…'` on the line goes to the shell as it would anywhere: `&& pytest` runs
    if the list was accepted. Nothing raises; a command that cannot be run says why.
    """
    command = command.strip()
    if identify(command) == "native_command":
        return run_native(command, cwd=cwd, timeout=timeout)
    argument = read_argument(command[len("TodoWrite") :])
    if not follows_properly(argument.rest):
        stderr = f"Error: Unexpected text after the JSON parameter\n{USAGE}"
        return CommandResult(stderr=stderr, exit_code=1)
    if todo is None:
        todo = TodoWrite("shell")
    if argument.bare and argument.text in ("-h", "--help"):
        result = CommandResult(todo.dialect.prompt)
    else:
        result = call(todo, argument.text)
    if not argument.rest.strip():
        return result
    return _go_on(result, argument.rest, todo, cwd, timeout)


def call(todo: TodoWrite, argument: object) -> CommandResult:
    """Call the tool with the command's argument."""
    reply = todo(argument)
    if "exitCode" in reply.data:
        data = reply.data
        return CommandResult(data["stdout"], data["stderr"], data["exitCode"])
    if reply.is_error:
        return CommandResult(stderr=reply.text, exit_code=1)
    return CommandResult(reply.text)


def _go_on(
    result: CommandResult, rest: str, todo: TodoWrite, cwd: str | None, timeout: float | None
) -> CommandResult:
    """What stands behind our command, given how ours ended."""
    following = _NEXT.match(rest)
    if following is None:
        return run_native(rest, before=result, cwd=cwd, timeout=timeout)
    skipped = {"&&": result.exit_code != 0, "||": result.exit_code == 0}
    if skipped.get(following["operator"], False):
        return result
    after = run_command(rest[following.end() :], todo, cwd=cwd, timeout=timeout)
    return CommandResult(
        _joined(result.stdout, after.stdout), _joined(result.stderr, after.stderr), after.exit_code
    )


def _joined(first: str, second: str) -> str:
    return f"{first}\n{second}" if first and second else first or second
