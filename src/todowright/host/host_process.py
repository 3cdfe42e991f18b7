"""Which process is the host: the coding agent that started this one, by itself or by a shell in between."""

from __future__ import annotations

import os
from collections.abc import Mapping

_WRAPPERS = frozenset({"sh", "bash", "dash", "zsh", "fish", "ash", "env", "uv", "uvx", "timeout"})
"""Programs that may stand between a host and what it starts."""
_HOST_PIDS = {"claude": "CLAUDE_PID", "opencode": "OPENCODE_PID"}
"""Variables in which hosts tell their own process id to what they start."""


def host_pids(environ: Mapping[str, str], pid: int | None = None) -> list[int]:
    """The processes that may be the host of this one: its parent, who is behind shells, and what hosts tell."""
    pid = os.getppid() if pid is None else pid
    found: list[int] = []
    while pid > 1 and len(found) < 5:
        found.append(pid)
        name, pid = _process(pid)
        if name not in _WRAPPERS:
            break
    told = [environ.get(key, "") for key in _HOST_PIDS.values()]
    return found + [int(each) for each in told if each.isdecimal() and int(each) not in found]


def host_pid(host: str, environ: Mapping[str, str]) -> int:
    """The process of a host, for a hook that it started."""
    told = environ.get(_HOST_PIDS.get(host, ""), "")
    return int(told) if told.isdecimal() else host_pids({})[-1]


def started(pid: int) -> str:
    """When a process started, in the system's own words; empty where none lives or nothing can be told."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode("ascii")
    except (OSError, IndexError):
        pass
    if os.name == "nt" or os.path.isdir("/proc/self"):
        return ""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return "alive"
    except (OSError, OverflowError):
        return ""
    return "alive"


def _process(pid: int) -> tuple[str, int]:
    """The name of a process, and its parent."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            head, _, tail = file.read().rpartition(b")")
        return head.partition(b"(")[2].decode("utf-8", "replace"), int(tail.split()[1])
    except (OSError, ValueError, IndexError):
        return "", 0
