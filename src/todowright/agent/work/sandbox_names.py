"""What the user's own programs obey in a work folder, held while a command runs behind the wall.

What is there is made read-only. What is missing a command could make, and the user's next `git status` would
obey it: so something that says nothing stands in its place until the command has ended. Who is killed leaves
it behind; git and we bear it, and the next command behind the wall takes it away.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from todowright.agent.work.folder import OURS, ToolFault
from todowright.private_files import FOLDER_MODE, hide_from_git, is_link, is_stand_in
from todowright.text import shown

GIT = ".git"
_FILES = {"config": b"", "config.worktree": b"", "commondir": b".\n"}
"""Files in `.git` that git obeys, and what says nothing in their place; an empty `commondir` git does not bear."""
_FOLDERS = ("hooks",)
_IF_THERE = ("modules", "worktrees")
"""The repositories of submodules and of worktrees: nothing obeys those that are not there."""
_OUTPUT = "output"
"""A folder of ours with no more than this is no project."""
_PUT_AWAY = "HEAD.from-a-command"
_MODE, _FILE_MODE = FOLDER_MODE | stat.S_ISVTX, 0o400


class NoSandbox(ToolFault):
    """There is no wall here, so nothing is run."""


def names(folder: str) -> list[str]:
    """The paths that a command must neither write nor make, those above first."""
    git = os.path.join(folder, GIT)
    inside = [*_FOLDERS, *_FILES] if is_repository(folder) else []
    there = [name for name in _IF_THERE if inside and os.path.lexists(os.path.join(git, name))]
    return [os.path.join(folder, OURS), git, *(os.path.join(git, name) for name in inside + there)]


def is_repository(folder: str) -> bool:
    """Whether a folder has a `.git` of its own: a folder, and not what stands in for one."""
    git = os.path.join(folder, GIT)
    return os.path.isdir(git) and not is_stand_in(git)


@contextmanager
def held(folder: str) -> Iterator[list[str]]:
    """Hold the names while a command runs; what is to be told of it stands in the list afterwards."""
    told: list[str] = []
    _check(folder)
    with ExitStack() as stack:
        for path in names(folder):
            stack.enter_context(_held(path, told))
        try:
            yield told
        finally:
            if name := _put_away(folder):
                told.append(f"[a command made this folder a repository, which is not allowed: HEAD is now {name}]")  # fmt: skip


def _check(folder: str) -> None:
    """Refuse a folder in which the names cannot be held."""
    if {GIT, OURS} & {part.casefold() for part in folder.split(os.sep)}:
        raise NoSandbox(f"no sandbox in {shown(folder)}: what is in {GIT} or {OURS} is not for commands")  # fmt: skip
    if _looks_bare(folder):
        raise NoSandbox(f"no sandbox in {shown(folder)}: it is itself a repository of git")
    git = os.path.join(folder, GIT)
    for path in names(folder):
        if is_link(path):
            raise NoSandbox(f"no sandbox here: {shown(path)} is a symbolic link. Use a container")
    if os.path.isfile(git):
        from todowright.host.worktrees import git_folder

        own = os.path.realpath(git_folder(folder))
        if own.startswith(folder.rstrip(os.sep) + os.sep):
            raise NoSandbox(f"no sandbox here: {shown(git)} leads into the folder. Use a container")


@contextmanager
def _held(path: str, told: list[str]) -> Iterator[None]:
    """Hold one name. Commands that run at the same time share what stands in; the last one takes it away."""
    import fcntl  # not on every system on which this file is read

    while True:
        try:
            made = _made(path)
            file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            if not os.path.isdir(os.path.dirname(path)):
                raise NoSandbox(f"no sandbox here: the folder of {shown(path)} is gone") from None
            continue  # another command ended just now
        except OSError as error:
            raise NoSandbox(f"no sandbox here: {shown(path)}: {error.strerror}") from None
        try:
            fcntl.flock(file, fcntl.LOCK_SH)
            if not _is_still(path, file):
                continue
            try:
                yield
            finally:
                if line := _taken_back(path, file):
                    told.append(line)
                with suppress(
                    OSError
                ):  # another command needs it; or it is more now than what stood in
                    if made or is_stand_in(path):
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        _remove(path, file)
            return
        finally:
            os.close(file)


def _made(path: str) -> bool:
    """Whether a name was missing, and something stands in its place now."""
    name = os.path.basename(path)
    if os.path.lexists(path):
        return False
    try:
        if name in _FILES:
            _make_file(path, _FILES[name])
        else:
            os.mkdir(path, _MODE)
    except FileExistsError:
        return False
    if name == OURS:
        with suppress(FileExistsError):
            hide_from_git(path)
            os.mkdir(os.path.join(path, _OUTPUT), FOLDER_MODE)
    return True


def _make_file(path: str, data: bytes, mode: int = _FILE_MODE) -> None:
    """Make a small file in one step; raises `FileExistsError` where something has that name."""
    draft = f"{path}.{os.urandom(4).hex()}.tmp"
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(data)
    try:
        os.link(draft, path)
    finally:
        os.unlink(draft)


def _remove(path: str, file: int) -> None:
    """Take away what stands in, unless it became more than that; raises `OSError` then."""
    if not _is_still(path, file):
        return
    if stat.S_ISREG(os.fstat(file).st_mode):
        if is_stand_in(path):
            os.unlink(path)
        return
    if os.path.basename(path) == OURS:
        os.rmdir(os.path.join(path, _OUTPUT))
        if os.listdir(path) == [".gitignore"]:
            os.unlink(os.path.join(path, ".gitignore"))
    try:
        os.rmdir(path)
    except OSError:
        if os.path.basename(path) == OURS:
            hide_from_git(path)
        raise


def _taken_back(path: str, file: int) -> str:
    """Undo that a name was given to something else while it was held; a line that tells of it.

    Whoever renames over a file, as `git config` does, takes the wall away that stands on it: from then on the
    command could write there. So what has the name now is put aside, and what had it before is back.
    """
    if _is_still(path, file) or not os.path.lexists(path):
        return ""
    aside = f"{path}.from-a-command-{os.urandom(2).hex()}"
    held = os.fstat(file)
    stood_in = stat.S_IMODE(held.st_mode) == _FILE_MODE and held.st_size <= 2
    is_back = stat.S_ISREG(held.st_mode) and not stood_in
    try:
        os.rename(path, aside)
        if is_back:
            with open(os.dup(file), "rb") as before:
                before.seek(0)
                _make_file(path, before.read(), stat.S_IMODE(held.st_mode))
    except OSError as error:
        return f"[{shown(path)} was replaced while the command ran, and could not be put right ({error.strerror}): look at it before you run git here]"
    back = ", and what it was is back" if is_back else ""
    return f"[{shown(path)} was replaced while the command ran, and not held any more: it is {os.path.basename(aside)} now{back}]"


def _is_still(path: str, file: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(file))
    except OSError:
        return False


def _looks_bare(folder: str) -> bool:
    """Whether git would take a folder itself for a repository, and obey the `config` in it."""
    there = {name for name in ("HEAD", "objects", "refs", "commondir")
             if os.path.lexists(os.path.join(folder, name))}  # fmt: skip
    return "HEAD" in there and ("commondir" in there or {"objects", "refs"} <= there)


def _put_away(folder: str) -> str:
    """Have a folder be no repository again that a command made one; the new name of its `HEAD`."""
    if not _looks_bare(folder):
        return ""
    name = f"{_PUT_AWAY}-{os.urandom(2).hex()}"
    with suppress(OSError):  # the command may have taken our right to write there
        os.chmod(folder, stat.S_IMODE(os.stat(folder).st_mode) | FOLDER_MODE)
    try:
        os.rename(os.path.join(folder, "HEAD"), os.path.join(folder, name))
    except OSError as error:
        return f"still there ({error.strerror}): do not run git here before it is gone"
    return name
