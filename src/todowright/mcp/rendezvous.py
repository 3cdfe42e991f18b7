"""Where a window and the shared server meet: a socket in a folder for this user alone."""

from __future__ import annotations

import os
import sys
from binascii import crc32

try:
    import _socket as socket  # what `socket` is made of, in a third of the time
except ImportError:
    import socket  # type: ignore[no-redef]

from todowright import __version__
from todowright.private_files import NO_LINKS, own_folder, state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "LARGEST_LINE",
    "LONGEST_PATH",
    "PROTOCOL",
    "SERVER",
    "Lines",
    "connect",
    "socket",
    "socket_path",
    "socket_stamp",
]

PROTOCOL = "2"
"""Of relay and server between themselves."""
SERVER = "todowright.cli.mcp_shared"
LONGEST_PATH = 100
"""Bytes of a socket's path: systems take 104 or 108."""
_GIVEN = ("HOME", "PATH", "LANG", "LC_ALL", "USER", "LOGNAME", "TMPDIR", "VIRTUAL_ENV",
          "TODOWRIGHT_STATE", "TODOWRIGHT_LINGER")  # fmt: skip
"""What a server has in its own environment, and what begins with `PYTHON` or `LD_`."""
_LARGEST_LOG = 1_000_000
_PATIENCE = 20.0
LARGEST_LINE = 64_000_000
"""Bytes of a line, from a host or to one."""


class Lines:
    """Cuts what comes in pieces into lines; one that is too long is left out."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        self.dropped = 0
        """How many were left out."""

    @property
    def rest(self) -> bytes:
        """What came of a line that has not ended yet."""
        return b"".join(self._pieces)

    def of(self, data: bytes) -> list[bytes]:
        """The lines that end in this piece."""
        *lines, rest = data.split(b"\n")
        if lines:
            whole = self._size + len(lines[0]) <= LARGEST_LINE
            lines[:1] = [b"".join((*self._pieces, lines[0]))] if whole else []
            self.dropped += not whole
            self._pieces, self._size = [], 0
        self._size += len(rest)
        if self._size > LARGEST_LINE:
            self._pieces = []
        else:
            self._pieces.append(rest)
        return lines


def socket_path(environ: Mapping[str, str]) -> str:
    """Where the shared server listens: in a folder for this user alone, one for each version that is installed."""
    folder = own_folder(state_folder(environ))
    install = "\n".join((os.path.dirname(__file__), sys.executable, os.uname().nodename))
    version = f"{__version__} {PROTOCOL}"
    name = f"mcp-{crc32(os.fsencode(install)):08x}-{crc32(version.encode()):08x}"
    path = os.path.join(folder, name)
    if len(os.fsencode(path)) > LONGEST_PATH:
        short = f"/tmp/todowright-{os.geteuid()}-{crc32(os.fsencode(folder)):08x}"  # noqa: S108
        path = os.path.join(own_folder(short), name)
    return path


def socket_stamp(path: str) -> tuple[int, float]:
    """What tells the socket of one server from that of the next, and when it was made."""
    try:
        found = os.lstat(path)
    except OSError:
        return 0, 0.0
    return found.st_ino, found.st_mtime


def connect(path: str, silent: tuple[int, float] = (0, 0.0)) -> socket.socket:
    """A connection to the shared server, which is started where none runs, or where that socket's says nothing."""
    try:
        if silent[0]:
            raise ConnectionRefusedError
        return _connected(path)
    except (FileNotFoundError, ConnectionRefusedError):
        import fcntl
    own_folder(os.path.dirname(path))  # it may have been cleared away while a server ran
    lock = os.open(f"{path}.lock", os.O_CREAT | os.O_RDWR | NO_LINKS, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            if silent[0] and socket_stamp(path) == silent:
                raise ConnectionRefusedError
            return _connected(path)  # another window was faster
        except ConnectionRefusedError:
            os.unlink(path)  # of a server that was killed, or that hangs
        except FileNotFoundError:
            pass
        return _with_new_server(path)
    finally:
        os.close(lock)


def _connected(path: str) -> socket.socket:
    if os.lstat(path).st_uid != os.geteuid():
        raise PermissionError(f"{path} belongs to another user")
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    link.settimeout(_PATIENCE)  # one that hangs may have more who wait than the system lets wait
    try:
        link.connect(path)
    except OSError:
        link.close()
        raise
    return link


def _with_new_server(path: str) -> socket.socket:
    """Listen, start a server that takes over listening, and connect: nobody has to wait for it to be ready."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        before = os.umask(0o177)
        try:
            listener.bind(path)
        finally:
            os.umask(before)
        listener.listen(128)
        try:
            _start(listener.fileno(), path)
            return _connected(path)
        except OSError:
            os.unlink(path)
            raise
    finally:
        listener.close()


def _start(listener: int, path: str) -> None:
    """Start a server, in a session of its own: it outlives this window."""
    import signal

    log = os.path.join(os.path.dirname(path), "server.log")
    flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND | NO_LINKS
    if os.path.exists(log) and os.path.getsize(log) > _LARGEST_LOG:
        flags |= os.O_TRUNC
    errors = os.open(log, flags, 0o600)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # when it ends, nothing is left of it
    os.set_inheritable(listener, True)
    wires = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, errors, 2),
        (os.POSIX_SPAWN_DUP2, listener, 3),
    ]
    given = {key: value for key, value in os.environ.items()
             if key in _GIVEN or key.startswith(("PYTHON", "LD_"))}  # fmt: skip
    command = [sys.executable, "-P", "-m", SERVER, path]
    options = {"file_actions": wires, "setsigdef": [signal.SIGCHLD, signal.SIGPIPE]}
    try:
        try:
            os.posix_spawn(sys.executable, command, given, setsid=True, **options)  # type: ignore[arg-type]
        except NotImplementedError:
            os.posix_spawn(sys.executable, command, given, setpgroup=0, **options)  # type: ignore[arg-type]
    finally:
        os.close(errors)
