"""Tools for an agent beside its plan: a shell, and files in a work folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import Any

from todowright.agent.redaction import for_commands, redacted
from todowright.agent.work.folder import OURS, CommandFailed, ToolFault, WorkFolder
from todowright.agent.work.sandbox import Sandbox
from todowright.dialects.dialect import Tool
from todowright.shell import run_command
from todowright.text import kind, shown
from todowright.tool.todowrite import TodoWrite

LONGEST = 12_000
"""Characters of a result that a model is shown; the rest of a command's is kept in a file."""
MOST_OUTPUT = 10_000_000
_BLOCK = 65_536
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def without_keys(words: list[str], needed: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """A command as it is, in an environment without the model's keys."""
    return words, for_commands() | dict(needed)


@contextmanager
def no_wall() -> Iterator[list[str]]:
    """Nothing is held, and nothing is told."""
    yield []


@dataclass(frozen=True, slots=True)
class WorkTool:
    """A tool as it is offered, and what runs it; it raises `ToolFault` to tell the model no."""

    tool: Tool
    run: Callable[..., str]


def file_tools(folder: WorkFolder, longest: int = LONGEST) -> list[WorkTool]:
    """read_file, write_file and edit_file."""

    def read_file(path: str, line: int = 1, lines: int = 2000) -> str:
        return _page(folder.read(path), path, max(1, line) - 1, max(1, lines), longest)

    def write_file(path: str, content: str) -> str:
        folder.write(path, content)
        return f"Wrote {len(content)} characters."

    def edit_file(path: str, old: str, new: str) -> str:
        text = folder.read(path, "surrogateescape")
        if "\r\n" in text:  # models write plain line ends
            crlf = [each.replace("\r\n", "\n").replace("\n", "\r\n") for each in (old, new)]
            if crlf[0] in text:
                old, new = crlf
        first = text.find(old) if old else -1
        if first < 0:
            raise ToolFault("the old text is not there; nothing was changed")
        if text.find(old, first + 1) >= 0:
            told = "the old text is there more than once: give more of what is around it"
            raise ToolFault(f"{told}; nothing was changed")
        folder.write(path, text[:first] + new + text[first + len(old) :])
        return "Edited."

    return [
        _tool(read_file, "Reads a file, or lists a folder.", ["path"], read_only=True,
              path=TEXT, line=NUMBER, lines=NUMBER),
        _tool(write_file, "Writes a whole file.", ["path", "content"], path=TEXT, content=TEXT),
        _tool(edit_file, "Replaces a text that is in a file just once.", ["path", "old", "new"],
              path=TEXT, old=TEXT, new=TEXT),
    ]  # fmt: skip


def _page(whole: str, path: str, first: int, lines: int, longest: int) -> str:
    """Some lines of a text, as compilers and grep count them; the text is not taken apart for that."""
    count = whole.count("\n") + (whole[-1:] not in ("", "\n"))
    if count and first >= count:
        raise ToolFault(f"{shown(path)} has only {count} lines")
    text, end, at = "", first, _start_of_line(whole, first)
    while end < min(count, first + lines):
        stop = whole.find("\n", at) + 1 or len(whole)
        size = stop - at
        if text and len(text) + size > longest:
            break
        text, end = text + whole[at : min(stop, at + longest)], end + 1
        if size > longest:
            text += f"\n[line {end} is cut: {size - longest} characters more]\n"
        at = stop
    if end < count:
        text += f"\n[{count - end} lines more, from line {end + 1}]"
    return text or "(empty)"


def _start_of_line(text: str, number: int) -> int:
    """Where a line begins; blocks that end before it are only counted."""
    at = 0
    while (found := text.count("\n", at, at + _BLOCK)) < number and at < len(text):
        number, at = number - found, at + _BLOCK
    for _ in range(number):
        at = text.find("\n", at) + 1
    return at


def shell_tool(
    folder: WorkFolder,
    todo: TodoWrite,
    seconds: float,
    longest: int = LONGEST,
    left: Callable[[], float] = lambda: inf,
    wall: Sandbox | None = None,
) -> WorkTool:
    """Bash, in which `TodoWrite '…'` reaches the plan; `left` tells how long the whole run may last."""
    holding = wall.holding if wall else no_wall

    def bash(command: str) -> str:
        limit = max(0.1, min(seconds, left()))
        with holding() as told:
            done = run_command(
                command,
                todo,
                cwd=folder.root,
                timeout=limit,
                most=MOST_OUTPUT,
                within=wall or without_keys,
            )
        text = "\n".join(part.rstrip("\n") for part in (done.stdout, done.stderr) if part.strip())
        if len(text) > longest:
            text = _kept(folder, text, longest)
        text = "\n".join([text, *told]).lstrip("\n")
        if done.exit_code:
            raise CommandFailed(f"{text}\n[exit code {done.exit_code}]".lstrip())
        return text or "(no output)"

    about = f"Runs a command in the work folder, {seconds:g} s at most, without a terminal."
    return _tool(bash, about, ["command"], command=TEXT)


def _kept(folder: WorkFolder, text: str, longest: int) -> str:
    """The beginning and the end of a long output; the whole of it is in a file."""
    import os

    name = f"{OURS}/output/{os.urandom(4).hex()}.txt"
    try:
        if not folder.has(f"{OURS}/.gitignore"):
            folder.write(f"{OURS}/.gitignore", "*\n", ours=True)
        folder.write(name, redacted(text), ours=True)
    except ToolFault as fault:
        name = f"nowhere ({fault})"
    half = longest // 2
    return f"{text[:half]}\n[{len(text) - longest} characters left out; all of it is in {name}]\n{text[-half:]}"


def _tool(
    run: Callable[..., str],
    about: str,
    required: list[str],
    *,
    read_only: bool = False,
    **keys: Any,
) -> WorkTool:
    schema = {"type": "object", "properties": keys, "required": required}
    offered = Tool(run.__name__, about, schema, read_only, not read_only, read_only)
    return WorkTool(offered, run)


def checked(tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments, if they are what the tool takes."""
    required, known = tool.input_schema["required"], tool.input_schema["properties"]
    given = {key: value for key, value in arguments.items() if value is not None}
    for key in required:
        if key not in given:
            raise ToolFault(f"'{key}' is missing: {tool.name} needs {', '.join(required)}")
    for key, value in given.items():
        if key not in known:
            raise ToolFault(f"unknown: '{shown(key)}'; {tool.name} knows {', '.join(known)}")
        wanted = known[key]["type"]
        if not isinstance(value, str if wanted == "string" else int) or isinstance(value, bool):
            raise ToolFault(f"'{key}' must be of type {wanted}, not {kind(value)}")
    return given
