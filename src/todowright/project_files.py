"""Files that a person names in a project: the project's own links do not lead out of it.

Whoever hands over a repository decides on its links. A `TODO.md` that leads to a file of the user's is not what the user named.
"""

from __future__ import annotations

import os

from todowright.errors import StoreError

_MARKS = (".todowright", ".git")
"""What a project's folder has; nothing is written in these by such a name."""


def named_file(path: str) -> str:
    """The file that a name means, without links; raises `StoreError` where a link leads out of the project."""
    full = os.path.abspath(path)
    root, target = os.path.realpath(_root(full)), os.path.realpath(full)
    if _is_linked(full) and not _is_in(target, root):
        raise StoreError(f"{path} leads out of its project by a link, to {target}: name that file if you mean it")  # fmt: skip
    return target


def _root(full: str) -> str:
    """The folder of the project that a name leads into, else the file's own.

    What is behind a link of a project is none of its own, whatever there is in it.
    """
    root, at, linked = "", "", False
    for part in os.path.dirname(full).split(os.sep):
        at = f"{at}{part}{os.sep}"
        folder = at.rstrip(os.sep) or at
        linked = linked or (bool(root) and os.path.islink(folder))
        if not linked and any(os.path.lexists(os.path.join(folder, mark)) for mark in _MARKS):
            root = folder
    return root or os.path.dirname(full)


def _is_linked(full: str) -> bool:
    """Whether the name is that of a link, or passes one."""
    return os.path.realpath(full) != full


def _is_in(target: str, root: str) -> bool:
    """Whether a file is in a folder, but not in what is ours or git's there, or in any folder below."""
    above = root.rstrip(os.sep) + os.sep
    parts = {part.casefold() for part in target.removeprefix(above).split(os.sep)}
    return target.startswith(above) and parts.isdisjoint(_MARKS)
