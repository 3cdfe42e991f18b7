"""The files of folders: each once, no loops, and nothing that is no plain file."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence

LIKELY = (".jsonl", ".json", ".db", ".jsonl.gz", ".json.gz")
"""How the files of agents end, that are looked at in a folder."""
_LISTS = ("focus_chain_taskid_",)
_NEVER = {".git", "node_modules", ".venv", "__pycache__", "site-packages"}
Told = Callable[[str, str], None]
"""Is told a path and why it is not read."""


def files(paths: Sequence[str], skipped: Told) -> Iterator[str]:
    """The files that are named, and the likely ones of the folders that are.

    Folders come in the order of their names, the files of one with the oldest first: a session that was
    resumed stands behind the one that it copied.
    """
    seen: set[int] = set()
    for path in paths:
        try:
            about = os.stat(path)
        except OSError as error:
            skipped(path, error.strerror or "it cannot be read")
            continue
        if stat.S_ISDIR(about.st_mode):
            yield from _below(path, seen, skipped)
        elif not stat.S_ISREG(about.st_mode):
            skipped(path, "it is no plain file")
        elif _first(about, seen):
            yield path


def _below(folder: str, seen: set[int], skipped: Told) -> Iterator[str]:
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            if not _first(os.stat(here), seen):  # a link that leads back
                continue
            with os.scandir(here) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            skipped(here, error.strerror or "it cannot be read")
            continue
        found: list[tuple[int, str]] = []
        folders: list[str] = []
        for entry in listed:
            try:
                if entry.is_dir():
                    folders += [entry.path] if entry.name not in _NEVER else []
                elif entry.is_file() and _is_likely(entry.name):
                    about = entry.stat()
                    if _first(about, seen):
                        found.append((about.st_mtime_ns, entry.path))
            except OSError as error:  # it went, or a link leads nowhere
                skipped(entry.path, error.strerror or "it cannot be read")
        yield from (path for _, path in sorted(found))
        waiting += reversed(folders)


def _is_likely(name: str) -> bool:
    lower = name.lower()
    return lower.endswith(LIKELY) or (lower.endswith(".md") and lower.startswith(_LISTS))


def _first(about: os.stat_result, seen: set[int]) -> bool:
    """Whether a file or folder is met for the first time, whatever its name."""
    key = about.st_dev << 64 | about.st_ino
    if key in seen:
        return False
    seen.add(key)
    return True
