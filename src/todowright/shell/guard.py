"""A process that no interrupt can leave behind.

Python runs signal handlers in the main thread alone, between any two of its steps: one that raises
can come between the start of a process and the first line that knows of it, and a second one can
come before the process is ended. So another thread starts the process, and ends it if it must.

The main thread waits with plain locks: the events of `threading` break when a wait is interrupted.
So does a process of `subprocess`, which may keep its lock for good: `reaped` waits without it.
"""

from __future__ import annotations

import os
import sys
from _thread import start_new_thread
from collections.abc import Callable
from threading import Lock, Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from subprocess import Popen

T = TypeVar("T")
Start = Callable[[], "Popen[bytes]"]
End = Callable[["Popen[bytes]"], object]


class NotStarted(Exception):
    """The process could not be started; the words are the system's."""


def guarded(start: Start, use: Callable[[Popen[bytes]], T], end: End) -> T:
    """Start a process and use it; if the use is broken off, by whatever it be, the process is ended."""
    guard = _Guard(start, end)
    try:
        start_new_thread(guard.launch, ())
        found = use(guard.process())
        guard.used = True
    finally:
        guard.wanted.release()  # first, and in one step: a second interrupt cannot come before it
        if guard.begun:
            guard.over.acquire()
    return found


def reaped(process: Popen[bytes], seconds: float | None = None) -> bool:
    """Wait for the end of a process, so many seconds at most; whether it has come.

    It is for a process that nobody else waits for any more.
    """
    if sys.platform == "win32":
        process.wait()  # there it has no lock
        return True
    deadline = None if seconds is None else monotonic() + seconds
    while process.returncode is None:
        try:
            pid, status = os.waitpid(process.pid, 0 if deadline is None else os.WNOHANG)
        except ChildProcessError:  # an interrupted wait saw its end and could not say so
            pid, status = process.pid, 0
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
        elif deadline is not None and monotonic() >= deadline:
            return False
        else:
            sleep(0.005)
    return True


class _Guard:
    """The thread that starts a process, waits until it is not wanted any more, and sees to its end."""

    def __init__(self, start: Start, end: End) -> None:
        self._start, self._end = start, end
        self._process: Popen[bytes] | None = None
        self._fault: Exception | None = None
        self._tried, self.wanted, self.over = Lock(), Lock(), Lock()
        for lock in (self._tried, self.wanted, self.over):
            lock.acquire()
        self.begun = self.used = False
        self._thread = Thread(target=self._run, name="todowright-guard")

    def launch(self) -> None:
        """Start the guard's thread, from one that is not the main one: that start waits for an event.

        Only a thread that `threading` knows is waited for when Python ends.
        """
        try:
            self._thread.start()
        except RuntimeError as fault:  # too many threads
            self._fault = fault
            self._tried.release()

    def process(self) -> Popen[bytes]:
        """The process, once it is there."""
        self._tried.acquire()
        if self._fault is not None:
            raise NotStarted(str(self._fault)) from self._fault
        assert self._process is not None
        return self._process

    def _run(self) -> None:
        self.begun = True  # before the look at what is wanted: one of the two sees the other
        try:
            if self.wanted.locked():
                self._watch()
        finally:
            self.over.release()

    def _watch(self) -> None:
        try:
            self._process = self._start()
        except Exception as fault:  # for who wanted the process
            self._fault = fault
        self._tried.release()
        self.wanted.acquire()
        if self._process is not None and not self.used:
            self._end(self._process)
