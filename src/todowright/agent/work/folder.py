"""A work folder that its files cannot be used to leave.

A name is walked from the root, one part at a time, on open descriptors, never on a path that was
checked a moment ago; a link is followed only where it stays inside. Links that are swapped in
meanwhile, `..`, absolute names and `/proc` all end in the same refusal.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from todowright.errors import TodowrightError
from todowright.text import shown

OURS = ".todowright"
LARGEST = 10_000_000
_MOST_LINKS, _MOST_PARTS = 40, 100
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class ToolFault(TodowrightError):
    """A tool could not do what it was asked; the model is told why."""


class CommandFailed(ToolFault):
    """A command ran and ended with a fault: what it printed, and its exit code."""


class WorkFolder:
    """Reads and writes the files below a folder, and no others."""

    def __init__(self, root: str | os.PathLike[str], *, walled: bool = False) -> None:
        self._walled = walled
        """Whether commands are behind a wall: then nothing makes a repository here, nor changes one."""
        self.root = os.path.realpath(root)
        if not os.path.isdir(self.root):
            raise NotADirectoryError(f"there is no folder {shown(root)}")

    def read(self, name: str, errors: str = "replace") -> str:
        """A file's text; of a folder, what is in it."""
        with self._found(name) as (folder, last):
            descriptor = os.open(last or ".", _FILE, dir_fd=folder)
            try:
                kind = os.fstat(descriptor)
                if stat.S_ISDIR(kind.st_mode):
                    return "\n".join(sorted(_entries(descriptor))) or "(empty)"
                if not stat.S_ISREG(kind.st_mode):
                    raise ToolFault(f"{shown(name)} is neither a file nor a folder")
                if kind.st_size > LARGEST:
                    raise ToolFault(f"{shown(name)} is too large ({kind.st_size} bytes): use bash")
                with open(descriptor, "rb", closefd=False) as file:
                    data = file.read(LARGEST)
            finally:
                os.close(descriptor)
        if b"\0" in data[:8000]:
            raise ToolFault(f"{shown(name)} is not text ({len(data)} bytes)")
        return data.decode("utf-8", errors)

    def has(self, name: str) -> bool:
        """Whether there is something of this name."""
        try:
            with self._found(name) as (folder, last):
                os.stat(last or ".", dir_fd=folder, follow_symlinks=False)
        except ToolFault:
            return False
        return True

    def write(self, name: str, text: str, *, ours: bool = False) -> None:
        """Write a file whole or not at all; folders that are missing are made."""
        try:
            data = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise ToolFault("the text is not valid Unicode; nothing was written") from None
        with self._found(name, make=True, ours=ours) as (folder, last):
            mode: int | None = None
            with suppress(FileNotFoundError):
                old = os.stat(last or ".", dir_fd=folder, follow_symlinks=False)
                if not stat.S_ISREG(old.st_mode):
                    raise ToolFault(f"{shown(name)} is not a file")
                mode = stat.S_IMODE(old.st_mode)
                if not mode & 0o222:
                    raise ToolFault(f"{shown(name)} is read-only")
            fresh = f".{os.urandom(6).hex()}.tmp"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            default = 0o600 if ours else 0o666
            with open(os.open(fresh, flags, mode or default, dir_fd=folder), "wb") as file:
                try:
                    file.write(data)
                    file.flush()
                    if mode is not None:  # as it was, whatever the mask says
                        os.fchmod(file.fileno(), mode)
                    os.replace(fresh, last, src_dir_fd=folder, dst_dir_fd=folder)
                except BaseException:
                    os.unlink(fresh, dir_fd=folder)
                    raise

    @contextmanager
    def _found(
        self, name: str, *, make: bool = False, ours: bool = False
    ) -> Iterator[tuple[int, str]]:
        """The folder that holds a name, opened, and the name's last part; faults in one line."""
        if make and not ours:
            self._refuse([part for part in self._parts(name, name) if part not in ("", ".")])
        stack = [os.open(self.root, _FOLDER)]
        try:
            walked: list[str] = []
            last = self._walk(name, stack, walked, make=make)
            if make and not ours:
                self._refuse([*walked, last])
            yield stack[-1], last
        except OSError as error:
            raise ToolFault(f"{shown(name)}: {error.strerror or error}") from None
        except ValueError:
            raise ToolFault(f"{shown(name)} is no name of a file") from None
        finally:
            for descriptor in stack:
                os.close(descriptor)

    def _refuse(self, parts: list[str]) -> None:
        """Refuse to write what the user's own programs obey; behind a wall, that of git too."""
        if parts and parts[0].casefold() == OURS:
            raise ToolFault(f"{OURS} is not for tools to write")
        if self._walled and (".git" in map(str.casefold, parts) or parts[-1:] == ["HEAD"]):
            raise ToolFault(
                "with a sandbox, what git obeys is not for tools to write: use git in bash"
            )

    def _walk(self, name: str, stack: list[int], walked: list[str], *, make: bool) -> str:
        parts, links = deque(self._parts(name, name)), 0
        if len(parts) > _MOST_PARTS:
            raise ToolFault("the name has too many parts")
        turns = ".." in parts  # nothing is made on a way that may lead out
        while parts:
            part = parts.popleft()
            if part in ("", "."):
                continue
            if part == "..":
                if not walked:
                    raise ToolFault(f"{shown(name)} is outside of the work folder")
                walked.pop()
                os.close(stack.pop())
                continue
            link = _link(part, stack[-1])
            if link is not None:
                links += 1
                if links > _MOST_LINKS:
                    raise ToolFault(f"{shown(name)}: too many links")
                if link.startswith("/"):
                    while walked:
                        walked.pop()
                        os.close(stack.pop())
                parts.extendleft(reversed(self._parts(link, name)))
                continue
            if not any(later not in ("", ".") for later in parts):
                return part
            if make and not turns:
                with suppress(FileExistsError):
                    os.mkdir(part, 0o700 if part == OURS else 0o777, dir_fd=stack[-1])
            stack.append(os.open(part, _FOLDER, dir_fd=stack[-1]))
            walked.append(part)
        return ""

    def _parts(self, path: str, name: str) -> list[str]:
        """The parts of a path below the root; an absolute one must begin with the root."""
        if path.startswith("/"):
            if path != self.root and not path.startswith(self.root.rstrip("/") + "/"):
                raise ToolFault(f"{shown(name)} is outside of the work folder")
            path = path[len(self.root) :]
        return path.split("/")


def _link(part: str, folder: int) -> str | None:
    try:
        return os.readlink(part, dir_fd=folder)
    except OSError:  # no link, or nothing there yet
        return None


def _entries(descriptor: int) -> Iterator[str]:
    with os.scandir(descriptor) as entries:
        for entry in entries:
            yield entry.name + ("/" if entry.is_dir(follow_symlinks=False) else "")
