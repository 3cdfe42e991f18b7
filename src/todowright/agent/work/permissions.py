"""What an agent may do unasked."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal, get_args

from todowright.agent.work.grave import is_grave
from todowright.errors import UnknownName
from todowright.text import shown

Mode = Literal["ask", "auto", "plan"]
Ask = Callable[[str, dict[str, Any], str], bool]
"""Asks a person: the tool, its arguments, and why it asks; true if it may be run."""

EACH_TIME = "is asked about each time"
"""In why it asks: that an answer is good for this call alone, though the person would allow all."""
_HARD = re.compile(r"\[\[|\(\(|<<|\bcase\b")
"""Forms of bash in which a fault of our reader would hide most."""


class Permissions:
    """Decides which calls are made."""

    def __init__(self, mode: Mode = "auto", ask: Ask | None = None) -> None:
        if mode not in get_args(Mode):
            raise UnknownName(f"no mode is called '{shown(mode)}': use {', '.join(get_args(Mode))}")
        self.mode = mode
        self._ask = ask

    def refusal(self, tool: str, arguments: dict[str, Any], *, read_only: bool) -> str:
        """Why a call is not made; empty if it is."""
        if read_only:
            return ""
        if self.mode == "plan":
            return "not allowed in plan mode: look, and say what you would do"
        command = arguments.get("command") if tool == "bash" else None
        grave = isinstance(command, str) and is_grave(command)
        if self.mode == "auto" and not grave:
            return ""
        why = "this can do harm that is not undone" if grave else "it may change something"
        if not grave and isinstance(command, str) and _HARD.search(command):
            why = f"{why}, and as it is not read easily, it {EACH_TIME}"
        if self._ask is None:
            return f"not permitted: {why}, and nobody is there to ask. Find another way"
        return (
            "" if self._ask(tool, arguments, why) else "the user said no. Ask, or find another way"
        )
