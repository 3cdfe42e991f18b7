"""What an agent may do unasked."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal, get_args

from todowright.errors import UnknownName
from todowright.text import shown

Mode = Literal["ask", "auto", "plan"]
Ask = Callable[[str, dict[str, Any], str], bool]
"""Asks a person: the tool, its arguments, and why it asks; true if it may be run."""

_HERE = r"(?:^|[;&|(`\n]|\$\(|\b(?:then|do|else|exec|xargs|time|nohup|env)\s)\s*(?:\w+=\S*\s+)*(?:/\S*/)?"
"""Where the name of a command stands."""
_REST = r"[^;&|\n]*"
_GRAVE = re.compile(
    "|".join(
        [
            rf"{_HERE}(?:sudo|doas|su|dd|mkfs[.\w]*|shutdown|reboot|halt|poweroff|fdisk|crontab)(?=\s|$)",
            rf"{_HERE}rm\b{_REST}\s-(?:[a-zA-Z]*[rR]|-recursive)",
            rf"{_HERE}git\b{_REST}\s(?:push|clean|filter-branch|filter-repo)(?=\s|$)",
            rf"{_HERE}git\b{_REST}\sreset\b{_REST}\s--hard",
            rf"{_HERE}(?:chmod|chown)\b{_REST}\s-(?:[a-zA-Z]*R|-recursive)",
            rf"{_HERE}kill(?:all)?\b{_REST}\s-1(?=\s|$)",
            r"\b(?:npm|pnpm|yarn|cargo|poetry|uv|flit|hatch)\s+publish\b|\btwine\s+upload\b",
            r"\b(?:curl|wget)\b[^\n]*\|&?\s*(?:sudo\s+)?(?:/\S*/)?(?:\w*sh|python[\d.]*|perl|ruby|node)\b",
            r"(?:\b\w*sh|\bpython[\d.]*|\beval|\bsource|(?:^|\s)\.)\s[^\n]*(?:\$\(|<\(|`)\s*(?:curl|wget)\b",
            r"(?:>\|?\s*|\btee\s+(?:-\w+\s+)*)/dev/(?!null\b|std|tty\b|fd/|zero\b)",
            r":\(\)\s*\{",
        ]
    )
)
"""Commands that are never run without asking. A net for accidents, not a wall: a shell can always
spell a thing another way. For a wall, run the agent in a container."""


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
        grave = isinstance(command, str) and _GRAVE.search(command.replace("\\\n", " "))
        if self.mode == "auto" and not grave:
            return ""
        why = "this can do harm that is not undone" if grave else "it may change something"
        if self._ask is None:
            return f"not permitted: {why}, and nobody is there to ask. Find another way"
        return (
            "" if self._ask(tool, arguments, why) else "the user said no. Ask, or find another way"
        )
