"""A guard: ends a command whose worker was killed, so that it does not run on beside that of the next worker."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress

_SCRIPT = """
trap '' HUP INT TERM
read -r group || exit 0
read -r ended && exit 0
kill -s TERM -- "-$group"
sleep "$1"
kill -s KILL -- "-$group"
"""
"""Who is watched is told in a line, and its end in a second one. The system closes the pipe of a worker that is killed."""


class Guard:
    """A small process that outlives this one, and ends the command that this one started; then it ends itself."""

    def __init__(self, grace: float) -> None:
        """It is started before the command. `grace` are the seconds that the command has to end by itself."""
        self._process = _started(grace)

    def watch(self, group: int) -> None:
        """End these processes if this one is killed."""
        self._tell(f"{group}\n")

    def end(self) -> None:
        """There is nothing to end any more."""
        self._tell("\n")
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
            self._process.wait()

    def _tell(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):  # somebody ended the guard: the command goes on without
                self._process.stdin.write(line.encode())


def _started(grace: float) -> subprocess.Popen[bytes] | None:
    """The guard in a session of its own, where no Ctrl-C reaches it; None where the system has no `sh`."""
    if not hasattr(os, "killpg"):
        return None
    try:
        return subprocess.Popen(  # noqa: S603  all of it is ours
            ["/bin/sh", "-c", _SCRIPT, "todowright-guard", str(grace)],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
    except OSError:
        return None
