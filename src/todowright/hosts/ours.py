"""What in a host's files is ours: told by the exact command, never by a word that stands somewhere."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Any

from todowright.errors import TodowrightError
from todowright.hosts.description import HOSTS, NAME

_PERMISSIONS = (f"mcp__{NAME}", f"mcp__plugin_{NAME}_{NAME}")


class CannotChange(TodowrightError):
    """A file that is not to be changed by a program; the text says what to do."""


def is_our_hook(command: object) -> bool:
    """Whether a hook's command is `todowright hook [HOST]`, by a path or by `python -m` too."""
    if not isinstance(command, str):
        return False
    try:
        rest = _after_program(shlex.split(command))
    except ValueError:
        return False
    return rest[:1] == ["hook"] and (len(rest) == 1 or (len(rest) == 2 and rest[1] in HOSTS))


def is_our_server(entry: object) -> bool:
    """Whether an entry starts `todowright mcp`, as `install` writes it."""
    if not isinstance(entry, dict) or not isinstance(entry.get("args"), list):
        return False
    words = [entry.get("command"), *entry["args"]]
    return all(isinstance(each, str) for each in words) and _after_program(words) == ["mcp"]


def without_ours(items: list[Any]) -> list[Any]:
    """A list without our items; of a group of hooks only our own hooks are taken out."""
    kept = []
    for item in items:
        if isinstance(item, str) and item in _PERMISSIONS:
            continue
        if not isinstance(item, dict) or not isinstance(item.get("hooks"), list):
            kept.append(item)
            continue
        hooks = item["hooks"]
        others = [each for each in hooks if not _is_hook(each)]
        if others == hooks:
            kept.append(item)
        elif others:
            kept.append({**item, "hooks": others})
    return kept


def _is_hook(hook: object) -> bool:
    return isinstance(hook, dict) and is_our_hook(hook.get("command"))


def _after_program(words: Sequence[str]) -> list[str]:
    """What follows our program's name; nothing where the program is another."""
    if words and re.split(r"[\\/]", words[0])[-1].removesuffix(".exe") == NAME:
        return list(words[1:])
    return list(words[3:]) if list(words[1:3]) == ["-m", NAME] else []
