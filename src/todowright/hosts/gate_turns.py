"""One verification of a folder at a time: agents that finish at once do not run the same tests side by side.

Who waited shares the verdict of a run that began after they asked, so that many need no more than two runs.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from todowright.digests import sha256
from todowright.hosts.gate import Verdict, Verification, verify
from todowright.hosts.gate_runs import LARGEST, new_run, turns_folder
from todowright.private_files import FILE_MODE, own_file, own_folder
from todowright.text import harmless

_LOOK = 0.05


def verify_in_turn(given: Verification, environ: Mapping[str, str]) -> Verdict:
    """The verdict of a verification, when it is this one's turn."""
    asked = time.time()
    try:
        with _turn(given, environ) as kept:
            if kept is None:
                told = f"another verification of {given.folder} is still running"
                return Verdict(False, f"{given.name} did not end: {harmless(told)}")
            return kept.since(asked) or kept.verified()
    except (OSError, ImportError):  # no place or no way to wait: it runs all the same
        return verify(given)


class _Kept:
    """The file of a turn: when the last run began, and what it said."""

    def __init__(
        self, file: int, name: str, given: Verification, left: float | None = None
    ) -> None:
        self._file = file
        self._name = name
        self._left = left
        """The seconds that are left after waiting; None where nobody waited."""
        self._given = given

    def since(self, moment: float) -> Verdict | None:
        """The verdict of a run of the same command that began after a moment."""
        with suppress(ValueError, TypeError, KeyError, RecursionError):
            found: Any = json.loads(os.pread(self._file, LARGEST, 0))
            if found["command"] == self._given.command and moment <= found["began"] <= time.time():
                return Verdict(found["passed"] is True, str(found["line"]))
        return None

    def verified(self) -> Verdict:
        """Run it, under a name that counts until it ends."""
        began, run = time.time(), new_run(self._name)
        self._write({"run": run})
        verdict = verify(self._given, run, self._left)
        shared = verdict.passed or self._left is None  # others may have more time
        kept = {"command": self._given.command, "began": began, **verdict._asdict()}
        self._write(kept if shared else {})
        return verdict

    def _write(self, kept: Mapping[str, object]) -> None:
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, json.dumps(kept).encode("utf-8", "replace"), 0)


@contextmanager
def _turn(given: Verification, environ: Mapping[str, str]) -> Iterator[_Kept | None]:
    """Wait for one's turn; None where it did not come in the time that a verification has."""
    import fcntl

    folder = turns_folder(environ)
    own_folder(folder)
    name = sha256(given.folder.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    file = own_file(os.path.join(folder, name), os.O_RDWR | os.O_CREAT)
    try:
        os.fchmod(file, FILE_MODE)
        end, left = time.monotonic() + given.seconds, None
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > end:
                    yield None
                    return
                time.sleep(_LOOK)
                left = max(_LOOK, round(end - time.monotonic(), 1))
            else:
                yield _Kept(file, name, given, left)
                return
    finally:
        os.close(file)
