"""A model that follows a written script, for tests and demonstrations. It does not think."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from todowright.agent.providers import Answer, ModelError, OnText, Request, ToolCall, Usage

Line = Mapping[str, Any] | Callable[[Request], Mapping[str, Any]]
CHARACTERS_A_TOKEN = 4


class ScriptedModel:
    """Says its lines one after the other.

    A line is `{"text": …, "calls": [[tool, arguments], …]}`, both optional, or a function that makes
    one of the request. It is asked for a summary now and then; that is not a line of the script.
    """

    name = "scripted"

    def __init__(self, script: Iterable[Line], *, summary: str = "The work went on.") -> None:
        self._script = iter(script)
        self._summary = summary

    def answer(self, request: Request, on_text: OnText) -> Answer:
        size = (
            len(json.dumps([request.system, request.messages, request.tail])) // CHARACTERS_A_TOKEN
        )
        if not request.tools:
            return Answer(
                self._summary, usage=Usage(size, len(self._summary) // CHARACTERS_A_TOKEN)
            )
        line = next(self._script, None)
        if line is None:
            raise ModelError("the script has ended, and the run has not")
        said = line(request) if callable(line) else line
        text = str(said.get("text", ""))
        if text:
            on_text(text)
        calls = []
        for tool, arguments in said.get("calls", ()):
            calls.append(ToolCall(f"call_{os.urandom(6).hex()}", tool, dict(arguments)))
        written = len(json.dumps([text, [call.arguments for call in calls]])) // CHARACTERS_A_TOKEN
        stop = "tools" if calls else "end"
        return Answer(text, tuple(calls), Usage(size, written), stop)


def connect(name: str, environ: Mapping[str, str]) -> ScriptedModel:
    """The script in a file: one line of JSON for each line of the script."""
    script = []
    try:
        lines = Path(name).read_text("utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise ModelError(f"the script {name} cannot be read: {error}") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            script.append(_checked(name, number, line))
    return ScriptedModel(script)


def _checked(name: str, number: int, text: str) -> dict[str, Any]:
    line: Any = None
    try:
        line = json.loads(text)
        good = isinstance(line, dict) and all(
            isinstance(tool, str) and isinstance(given, dict)
            for tool, given in line.get("calls", [])
        )
    except (ValueError, TypeError, RecursionError):
        good = False
    if not good:
        form = '{"text": "...", "calls": [["tool", {...}]]}'
        raise ModelError(f"{name}, line {number}: a line of a script is {form}")
    return dict(line)
