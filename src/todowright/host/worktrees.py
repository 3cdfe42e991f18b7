"""What git's own files tell of a folder, read without git: a hook or a relay cannot wait for a process."""

from __future__ import annotations

import os


def git_folder(root: str) -> str:
    """Where git keeps what belongs to a worktree: `.git`, or the folder that a file of this name points to."""
    path = os.path.join(root, ".git")
    try:
        with open(path, encoding="utf-8") as file:
            told = file.read(4000).strip()
    except (OSError, ValueError):
        return path
    return os.path.normpath(os.path.join(root, told.removeprefix("gitdir:").strip()))


def main_worktree(root: str) -> str:
    """The worktree that a repository was made with; the folder itself where that does not know it as another.

    A `.git` that somebody hands over names whichever repository they like: only what each says of the other counts.
    """
    own = git_folder(root)
    above, kind = os.path.split(os.path.dirname(own))
    first = os.path.dirname(above)
    is_named = kind == "worktrees" and os.path.basename(above) == ".git"
    return first if is_named and is_worktree_of(root, first) else root


def is_worktree_of(root: str, repository: str) -> bool:
    """Whether a folder is another worktree of a repository: each must name the other, as git has it."""
    own = os.path.realpath(git_folder(root))
    kept = os.path.realpath(git_folder(repository))
    if (
        os.path.basename(os.path.dirname(kept)) == "worktrees"
    ):  # of one that is such a worktree itself
        kept = os.path.dirname(os.path.dirname(kept))
    if os.path.dirname(own) != os.path.join(kept, "worktrees"):
        return False
    try:
        with open(os.path.join(own, "gitdir"), encoding="utf-8") as file:
            told = file.read(4000).strip()
    except (OSError, ValueError):
        return False
    return os.path.realpath(os.path.join(own, told)) == os.path.join(os.path.realpath(root), ".git")


def setting(root: str, section: str, key: str) -> str:
    """A setting of the repository's own configuration, as git writes it; empty where it is not set."""
    try:
        with open(os.path.join(git_folder(root), "config"), encoding="utf-8") as file:
            lines = file.read(200_000).splitlines()
    except (OSError, ValueError):
        return ""
    here, found = "", ""
    for line in map(str.strip, lines):
        if line.startswith("["):
            here = line.strip("[]").strip().casefold()
        elif here == section:
            name, _, value = line.partition("=")
            found = value.strip() if name.strip().casefold() == key else found
    return found
