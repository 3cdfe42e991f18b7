"""The projects of a user: folders in which plans were made, so that one board can show them all.

Each project is a small file in the user's folder of state: its name is the project's mark, and it holds the project's
folder. Many processes may write at once. What cannot be read or written counts as absent: nothing is to fail for it.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import NamedTuple

from todowright.private_files import create_file, own_file, own_folder, place

NO_PROJECT = "no-project"
"""The mark of plans that are no project's: those in the user's data folder."""
_MOST = 500
"""Projects that are kept in mind; those that are absent go first, and then those that were not used for longest."""
_ABSENT = 30 * 24 * 3_600.0
"""Seconds for which a project that is absent keeps its mark: a folder may come back, as one on another disk does."""
_ALIKE = 99
"""Folders of the same name."""
_LONGEST_MARK, _LARGEST = 40, 5_000
_FRESH = 3_600.0
"""Seconds in which a project that is used again and again is not noted anew."""


class Project(NamedTuple):
    """A folder in which plans were made."""

    mark: str
    """What it is called: the folder's name, and a number where another one had that name before."""
    root: str
    used: float
    """When it was used last, about."""


def note_project(root: str, state: str) -> None:
    """Note that a project's plans are used."""
    with suppress(OSError):
        folder = own_folder(os.path.join(own_folder(state), "projects"))
        there, names = set(os.listdir(folder)), _names(root)
        known = [os.path.join(folder, name) for name in names if name in there]
        if not any(_renewed(path, root) for path in known):
            free = (os.path.join(folder, name) for name in names if name not in there)
            if any(_placed(path, root) or _renewed(path, root) for path in free):
                _sweep(folder)


def noted_projects(state: str) -> list[Project]:
    """The projects that are there, the last used first.

    One that is absent is left out, and keeps its mark for a while: no other project is to be taken for it.
    """
    found = []
    with suppress(OSError):
        folder = own_folder(os.path.join(own_folder(state), "projects"))
        for mark in os.listdir(folder):
            if "." in mark:  # it is being written
                continue
            path = os.path.join(folder, mark)
            root, used = _read(path)
            if root and os.path.isdir(root):
                found.append(Project(mark, root, used))
                continue
            with suppress(OSError):
                if time.time() - os.lstat(path).st_mtime > _ABSENT:
                    os.unlink(path)
    return sorted(found, key=lambda each: -each.used)


def _names(root: str) -> list[str]:
    """The marks that a project may have."""
    name = _mark(root)
    return [name, *(f"{name}-{number}" for number in range(2, _ALIKE))]


def _renewed(path: str, root: str) -> bool:
    """Whether a file is the project's; then it is noted that the project is used."""
    kept, used = _read(path)
    if kept == root and time.time() - used > _FRESH:
        os.utime(path)
    return kept == root


def _mark(root: str) -> str:
    """What a project is called, as a part of addresses and of a file's name."""
    name = os.path.basename(root).encode("utf-8", "replace").decode()
    plain = "".join(char if char.isalnum() or char in "-_" else "-" for char in name)
    mark = plain.strip("-")[:_LONGEST_MARK] or "project"
    return f"{mark}-folder" if mark == NO_PROJECT else mark


def _read(path: str) -> tuple[str, float]:
    """The folder that is kept in a file, and when that was written; nothing where there is none."""
    try:
        with open(path, "rb", opener=own_file) as file:
            data = file.read(_LARGEST)
            used = os.fstat(file.fileno()).st_mtime
    except OSError:
        return "", 0.0
    root = os.fsdecode(data) if b"\0" not in data else ""
    return (root, used) if os.path.isabs(root) else ("", 0.0)


def _placed(path: str, root: str) -> bool:
    """Write a folder down where no other is; whether that was done."""
    draft = f"{path}.{os.getpid()}-{os.urandom(4).hex()}"
    with open(create_file(draft), "wb") as file:
        file.write(os.fsencode(root))
    try:
        place(draft, path)
    except FileExistsError:  # another process was faster; or it is nothing that we wrote
        return False
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)
    return True


def _sweep(folder: str) -> None:
    """Forget what is too much."""
    with os.scandir(folder) as entries:
        ages = [(each.stat(follow_symlinks=False).st_mtime, each.path) for each in entries]
    much = len(ages) - _MOST
    if much <= 0:
        return
    oldest = sorted((os.path.isdir(_read(path)[0]), age, path) for age, path in ages)
    for _, _, path in oldest[:much]:
        with suppress(OSError):  # another process was faster
            os.unlink(path)
