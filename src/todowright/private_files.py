"""Files and folders that only their owner may read, made where nothing was, and never through a link."""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:  # the module `typing` is not light, and a small process reads this file
    from collections.abc import Mapping

STATE = "TODOWRIGHT_STATE"
"""The variable that names the folder of state, where it is not to be the usual one."""
FILE_MODE, FOLDER_MODE = 0o600, 0o700
_OF_STAND_IN = {".gitignore", "output"}
NOT_PLAIN = "it is no plain file"
NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def create_file(path: str) -> int:
    """A descriptor of a new file; raises `FileExistsError` where something has that name, a link too."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_LINKS, FILE_MODE)


def plain_file(path: str, flags: int) -> int:
    """A descriptor of a plain file, for `open(…, opener=plain_file)`: a pipe is never waited for, a device never read."""
    file = os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, NOT_PLAIN)
    return file


def own_file(path: str, flags: int) -> int:
    """The same for a file of ours: what its name leads to is never another one."""
    return plain_file(path, flags | NO_LINKS)


def make_folder(folder: str) -> None:
    """Make a folder, and those above it that are missing; one named `.todowright` hides itself from git."""
    if not folder or os.path.isdir(folder):
        return
    make_folder(os.path.dirname(folder))
    try:
        os.mkdir(folder, FOLDER_MODE)
    except FileExistsError:  # another process was faster; a link to nowhere is no folder
        if not os.path.isdir(folder):
            raise
    if os.path.basename(folder) == ".todowright":
        hide_from_git(folder)


def hide_from_git(folder: str) -> None:
    """Let git ignore all that is in a folder."""
    try:
        with open(create_file(os.path.join(folder, ".gitignore")), "w", encoding="ascii") as file:
            file.write("*\n")
    except FileExistsError:
        pass


def place(draft: str, target: str) -> None:
    """Give a finished file its name, in one step; raises `FileExistsError` where something has that name."""
    try:
        os.link(draft, target, follow_symlinks=False)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # a system of files without second names
        if os.path.lexists(target):
            raise FileExistsError(target) from None
        os.rename(draft, target)
    sync_folder(os.path.dirname(target))


def is_link(path: str) -> bool:
    """Whether something of this name is a symbolic link."""
    try:
        return stat.S_ISLNK(os.lstat(path).st_mode)
    except OSError:
        return False


def is_stand_in(path: str) -> bool:
    """Whether something only stands in for what is missing, while a command runs behind the agent's wall.

    It is an empty folder with the sticky bit, or a file that nobody may write, with nothing said in it.
    """
    try:
        found = os.lstat(path)
        if stat.S_ISDIR(found.st_mode):
            return bool(found.st_mode & stat.S_ISVTX) and set(os.listdir(path)) <= _OF_STAND_IN
        if not stat.S_ISREG(found.st_mode) or found.st_size > 2:
            return False
        if stat.S_IMODE(found.st_mode) & 0o777 != 0o400:
            return False
        with open(path, "rb", opener=own_file) as file:
            return file.read(3) in (b"", b".\n")
    except OSError:
        return False


def sync_folder(folder: str) -> None:
    """Have the names in a folder on disk."""
    if os.name != "posix":
        return
    handle = os.open(folder or ".", os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def state_folder(environ: Mapping[str, str]) -> str:
    """Where this user's todowright keeps what it knows of running hosts, and the socket of its server.

    Only the home folder counts, and a variable of our own: hosts start a server with few variables, a hook
    with all, and both must come to the same folder.
    """
    if environ.get(STATE):
        return os.path.abspath(environ[STATE])
    home = environ.get("HOME") or os.path.expanduser("~")
    if os.name == "nt":
        return os.path.join(environ.get("LOCALAPPDATA") or home, "todowright", "state")
    return os.path.join(os.path.abspath(home), ".local", "state", "todowright")


def gate_file(environ: Mapping[str, str]) -> str:
    """Where it stands what verifies the steps of this user's projects: by HOME alone, which no project can set.

    Empty where HOME is not a full path: it would lead into whichever project we are in.
    """
    home = environ.get("HOME") or os.path.expanduser("~")
    return os.path.join(home, ".config", "todowright", "verify.json") if os.path.isabs(home) else ""


def own_folder(folder: str) -> str:
    """Make a folder for this user alone; raises `PermissionError` where another could reach what is in it."""
    make_folder(folder)
    if os.name == "nt":
        return folder
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode):
        raise PermissionError(f"{folder} is no folder of its own, but a link or a file: remove it")
    if found.st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to another user: remove it, or set {STATE}")
    if found.st_mode & 0o077:
        os.chmod(folder, FOLDER_MODE)
    return folder
