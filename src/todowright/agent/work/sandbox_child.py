"""What stands between a sandboxed command and the system; it loads nothing of the package.

    python -IS sandbox_child.py '{"folder": …, "hidden": […], "kept": […], "fixed": […], "free": […]}' COMMAND …

It moves into namespaces of its own (users, mounts, processes, network), makes everything read-only but
the work folder, gives the command empty /tmp and /run, lets go of all rights, and becomes the command.
Each step that fails ends it: the command never runs with less around it.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import struct
import sys
from functools import cache
from typing import NoReturn

FAILED = 125
"""The exit code where the wall could not be built."""
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
"""What is there of /dev."""
_NEW_USER, _NEW_MOUNTS, _NEW_PROCESSES = 0x10000000, 0x00020000, 0x20000000
_NEW_NETWORK, _NEW_MESSAGES = 0x40000000, 0x08000000
_BIND, _ALL_BELOW, _PRIVATE = 4096, 16384, 1 << 18
_NO_SUID, _NO_DEVICES = 2, 4
_MOUNT_SETATTR, _HERE, _RECURSIVE, _READ_ONLY = 442, -100, 0x8000, 1
_UP = 0x8914, 1
_DROP_FROM_BOUNDS, _DIE_WITH_PARENT, _NO_NEW_RIGHTS = 24, 1, 38


def main(words: list[str]) -> int:
    given, command = json.loads(words[0]), words[1:]
    try:
        _enter(**given)
        child = os.fork()
        if child:
            return _ended(child)
        _mount("proc", "/proc", "proc", _NO_SUID | _NO_DEVICES)
        _set_read_only("/proc", below=True)  # the settings of the system are there
        _let_go()
        os.chdir(given["folder"])
    except OSError as error:
        print(f"no sandbox: {error.strerror} ({error.filename})", file=sys.stderr)
        return FAILED
    return _become(command)


def _become(command: list[str]) -> NoReturn:
    os.execvp(command[0], command)  # noqa: S606  to run commands is what this is for


def _enter(
    folder: str,
    hidden: list[str],
    kept: list[str],
    fixed: list[str],
    free: list[str],
) -> None:
    """Move into namespaces in which only the folder can be written.

    Folders that are `hidden` are found empty, but for what is `kept`; what is `fixed` cannot be written,
    nor put away; of that, what is `free` can be written but for what is `fixed` below it.
    """
    user, group = os.getuid(), os.getgid()
    spaces = _NEW_USER | _NEW_MOUNTS | _NEW_PROCESSES | _NEW_NETWORK | _NEW_MESSAGES
    _done(_libc().unshare(spaces), "namespaces")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")
    _mount("none", "/", "", _ALL_BELOW | _PRIVATE)
    devices = [path for name in _DEVICES if os.path.exists(path := f"/dev/{name}")]
    seen = [*devices, *kept, folder]
    paths = {path: os.open(path, os.O_PATH) for path in seen}  # now: some of them will be hidden
    hidden = ["/dev", *hidden]
    for path in hidden:
        _mount("tmpfs", path, "tmpfs", _NO_SUID | _NO_DEVICES)
    for path, descriptor in paths.items():
        _bind(f"/proc/self/fd/{descriptor}", path, os.path.isdir(f"/proc/self/fd/{descriptor}"))
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{target}", f"/dev/{name}")
    os.mkdir("/dev/shm", 0o1777)  # noqa: S108
    for path in fixed:
        _hold(path)
        _bind(path, path, os.path.isdir(path))
    _set_read_only("/", below=True)
    for path in [folder, *hidden, *free]:
        _set_read_only(path, below=False, wanted=False)
    _loopback()


def _bind(source: str, target: str, is_folder: bool) -> None:
    """Let a path be a mount of its own, so that it can be written or not, and not be moved away."""
    if is_folder:
        os.makedirs(target, exist_ok=True)
    elif not os.path.exists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    _mount(source, target, "", _BIND | _ALL_BELOW)


def _hold(path: str) -> None:
    """Let nobody take away what stands in for a missing name, for as long as this process is there."""
    import fcntl

    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.flock(file, fcntl.LOCK_SH)


def _let_go() -> None:
    """Give up the rights of the new user namespace, for good."""
    _done(_libc().prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0), "end")
    for right in range(64):
        if _libc().prctl(_DROP_FROM_BOUNDS, right, 0, 0, 0):
            break  # there are no more
    _done(_libc().prctl(_NO_NEW_RIGHTS, 1, 0, 0, 0), "rights")


def _ended(child: int) -> int:
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _loopback() -> None:
    """Switch on the network within the machine: tests need it, and it leads nowhere."""
    import fcntl  # not on every system on which this file is read

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        fcntl.ioctl(handle, _UP[0], struct.pack("16sH14x", b"lo", _UP[1]))


def _set_read_only(path: str, *, below: bool, wanted: bool = True) -> None:
    """Let a mount, and what is mounted below it, be read only, or not."""
    change = (_READ_ONLY, 0) if wanted else (0, _READ_ONLY)
    wish = struct.pack("4Q", *change, 0, 0)
    flags = _RECURSIVE if below else 0
    name = os.fsencode(path)
    _done(_libc().syscall(_MOUNT_SETATTR, _HERE, name, flags, wish, len(wish)), path)


def _mount(source: str, target: str, kind: str, flags: int) -> None:
    what = [os.fsencode(each) for each in (source, target, kind)]
    _done(_libc().mount(*what, flags, None), target)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _done(outcome: int, what: str) -> None:
    if outcome:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
