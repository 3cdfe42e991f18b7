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
"""Projects that are kept in mind; those that were not used for longest go first."""
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
        name = _mark(root)
        for number in range(1, _ALIKE):
            path = os.path.join(folder, name if number == 1 else f"{name}-{number}")
            kept, used = _read(path)
            if not kept and _placed(path, root):
                _sweep(folder)
                return
            if kept == root or _read(path)[0] == root:
                if time.time() - used > _FRESH:
                    os.utime(path)
                return


def noted_projects(state: str) -> list[Project]:
    """The projects that are there, the last used first; those that are gone are forgotten."""
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
            else:
                with suppress(OSError):
                    os.unlink(path)
    return sorted(found, key=lambda each: -each.used)


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
        ages = sorted((-each.stat(follow_symlinks=False).st_mtime, each.path) for each in entries)
    for _, path in ages[_MOST:]:
        with suppress(OSError):  # another process was faster
            os.unlink(path)
