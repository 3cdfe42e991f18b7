"""Whose settings a session has: the user's own, or those that came with a repository.

A session's settings lie in the project, beside its transcript. Whoever hands over a repository can write
anything there. So the user's own folder keeps a seal of what this user has set; settings without that seal
may narrow what an agent does, and what would widen it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from todowright.cli.place import user_data


def seal(path: str) -> None:
    """Note that a file of settings is the user's own, as it is now."""
    place = _seal_of(path)
    with suppress(OSError):  # without a folder of one's own, one is asked again
        os.makedirs(os.path.dirname(place), 0o700, exist_ok=True)
        fresh = f"{place}.{os.getpid()}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        with open(os.open(fresh, flags, 0o600), "w", encoding="ascii") as file:
            file.write(_digest(path))
        os.replace(fresh, place)


def is_sealed(path: str) -> bool:
    """Whether a file of settings is as the user left it."""
    try:
        with open(_seal_of(path), encoding="ascii") as file:
            return file.read() == _digest(path)
    except (OSError, ValueError):
        return False


def _seal_of(path: str) -> str:
    from hashlib import sha256

    name = sha256(os.fsencode(os.path.realpath(path))).hexdigest()
    return os.path.join(user_data(os.environ), "agent-settings", name)


def _digest(path: str) -> str:
    from hashlib import sha256

    with open(path, "rb") as file:
        return sha256(file.read(1_000_000)).hexdigest()


def widening(had: Mapping[str, str], options: Any, usual: Mapping[str, str]) -> dict[str, str]:
    """Which settings of a file would let an agent do more than the `usual` ones, and are not given as options."""
    found = {}
    for name, value in had.items():
        if name == "dialect" or getattr(options, name) or value == usual.get(name):
            continue
        if name == "mode" and value in ("ask", "plan"):
            continue
        if name == "folder" and _is_below(value, usual["root"]):
            continue
        found[name] = value
    return found


def _is_below(folder: str, root: str) -> bool:
    """Whether a folder lies in another, and is none that git or we obey."""
    folder, root = os.path.realpath(folder), os.path.realpath(root)
    try:
        below = os.path.relpath(folder, root).casefold().split(os.sep)
    except ValueError:  # on another drive
        return False
    return not {os.pardir, ".git", ".todowright"}.intersection(below)


def confirm(session: str, wanted: Mapping[str, str], *, talks: bool) -> None:
    """Have the person agree to settings that came with the project; raises where nobody can, or does not."""
    from todowright.agent.redaction import redacted
    from todowright.errors import UnknownName
    from todowright.text import shown

    told = ", ".join(f"{name} {shown(redacted(value), 100)}" for name, value in wanted.items())
    where = f"session {session} comes from the project's own files, and wants {told}"
    names = ", ".join(f"--{name}" for name in wanted)
    if talks:
        answer = input(f"{where}\n  go on with that? [y/N] ").strip().lower()
        if answer in ("y", "yes"):
            return
        raise UnknownName(f"not gone on with: say {names} yourself")
    raise UnknownName(f"{where}: say {names} yourself")
