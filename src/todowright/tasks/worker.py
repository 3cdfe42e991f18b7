"""A worker: takes tasks, runs a command for each, and says how it went."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, Literal

from todowright.errors import Refused, StoreError
from todowright.names import check_agent
from todowright.tasks.claims import Claim, Claims, LostClaim
from todowright.tasks.guard import Guard
from todowright.tasks.heartbeat import Heartbeat

MOST_FAILURES = 20
"""So often in a row may the store fail before a worker gives up."""
LONGEST_VARIABLE = 10_000
GRACE = 5.0
"""Seconds that a command has to end by itself, once it is told to."""
Outcome = Literal["done", "failed", "lost", "released"]
Report = Callable[["Ended"], None]


@dataclass(frozen=True, slots=True)
class Ended:
    """How the work on one task went."""

    claim: Claim
    outcome: Outcome
    seconds: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How a worker works."""

    command: Sequence[str]
    lease: float = 60.0
    retries: int = 2
    pause: float = 1.0
    """Seconds before the first retry; each later one waits twice as long."""
    longest_pause: float = 60.0
    """Seconds that no retry waits longer than."""
    look: float = 0.5
    """Seconds between two looks for a task, where there is none."""
    drain: bool = False
    """Whether to end when no task is left that could become ready."""


class Worker:
    """Takes one task after the other. `stop` ends it: what it works on is given back."""

    def __init__(self, claims: Claims, name: str, options: WorkerOptions, report: Report) -> None:
        self._claims = claims
        self._name = check_agent(name)
        self._options = options
        self._report = report
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End the work; the task that is being worked on is given back."""
        self._stopped.set()

    def run(self) -> None:
        """Work until it is stopped, or, if it drains, until nothing is left that could become ready.

        Raises `StoreError` where the store could not be asked for a task several times in a row.
        """
        failures = 0
        while not self._stopped.is_set():
            try:
                claim = self._claims.claim(self._name)
                idle = claim is None and self._options.drain and not self._claims.waits()
                failures = 0
            except StoreError:
                failures += 1
                if failures == MOST_FAILURES:
                    raise
                self._stopped.wait(self._options.look)
                continue
            if idle:
                return
            if claim is None:
                self._stopped.wait(self._options.look)
                continue
            self._report(self._work(claim))

    def _work(self, claim: Claim) -> Ended:
        began = time.monotonic()
        try:
            claim, why = self._attempts(claim)
            return self._ended(claim, why, time.monotonic() - began)
        except LostClaim as lost:
            return Ended(claim, "lost", time.monotonic() - began, str(lost))
        except Refused as refused:  # by `verify`, say
            with suppress(LostClaim, StoreError):  # then it is another's already, or soon
                self._claims.fail(claim, str(refused))
            return Ended(claim, "failed", time.monotonic() - began, str(refused))
        except StoreError as error:  # its lease ends, and another one takes it
            return Ended(claim, "lost", time.monotonic() - began, str(error))

    def _attempts(self, claim: Claim) -> tuple[Claim, str]:
        """Run the command, and run it again where it fails; what went wrong at last, if something did."""
        why = ""
        for attempt in range(self._options.retries + 1):
            if attempt:
                claim = self._waited(claim, self._pause(attempt))
            if self._stopped.is_set():
                return claim, "stopped"
            claim, why = self._attempt(claim)
            if not why:
                break
        return claim, why

    def _ended(self, claim: Claim, why: str, seconds: float) -> Ended:
        if not why:
            self._claims.finish(claim)
            return Ended(claim, "done", seconds)
        if self._stopped.is_set():
            self._claims.release(claim)
            return Ended(claim, "released", seconds, "stopped")
        self._claims.fail(claim, why)
        return Ended(claim, "failed", seconds, why)

    def _pause(self, attempt: int) -> float:
        doubled = self._options.pause * 2.0 ** min(attempt - 1, 60)  # 2.0**1024 is no number
        return min(doubled, self._options.longest_pause)

    def _waited(self, claim: Claim, seconds: float) -> Claim:
        """The claim, after a pause in which it was kept."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self._stopped.is_set():
            self._stopped.wait(min(left, self._options.lease / 3))
            claim = self._claims.renew(claim)
        return claim

    def _attempt(self, claim: Claim) -> tuple[Claim, str]:
        """Run the command once; the claim as it is held then, and what went wrong, if something did."""
        guard = Guard(GRACE)
        try:
            process = self._started(claim)
        except (OSError, ValueError) as error:
            guard.end()
            return claim, f"it could not be started: {getattr(error, 'strerror', None) or error}"
        try:
            guard.watch(process.pid)
            claim = self._watched(process, claim)
            if process.poll() is None:
                return claim, "stopped"
            code = process.returncode
            return claim, f"exit code {code}" if code else ""
        finally:
            _end(process)
            guard.end()

    def _started(self, claim: Claim) -> subprocess.Popen[bytes]:
        with _told(claim) as task:
            return subprocess.Popen(  # noqa: S603  the command of who started the worker
                self._options.command,
                stdin=task,
                env=os.environ | _environment(claim),
                start_new_session=True,
            )

    def _watched(self, process: subprocess.Popen[bytes], claim: Claim) -> Claim:
        """Wait for the command, and renew the lease while it runs."""
        heart = Heartbeat(self._claims, claim, self._options.lease)
        while process.poll() is None and not self._stopped.is_set():
            with suppress(subprocess.TimeoutExpired):
                process.wait(min(0.1, self._options.lease / 10))
                break
            claim = heart.beat()
        return claim


def _environment(claim: Claim) -> dict[str, str]:
    """The task for the command's environment, cut where a system takes no more; all of it is on standard input."""
    return {
        "TODOWRIGHT_TASK": str(claim.number),
        "TODOWRIGHT_SUBJECT": claim.subject[:LONGEST_VARIABLE].replace("\0", ""),
        "TODOWRIGHT_DESCRIPTION": claim.description[:LONGEST_VARIABLE].replace("\0", ""),
        "TODOWRIGHT_WORKER": claim.owner,
    }


def _told(claim: Claim) -> IO[bytes]:
    """The task as one line of JSON, in a file that the command may read or leave."""
    task = {"id": str(claim.number), "subject": claim.subject, "description": claim.description}
    file = TemporaryFile()  # noqa: SIM115  who starts the command closes it
    file.write(json.dumps(task, ensure_ascii=False).encode() + b"\n")
    file.seek(0)
    return file


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command, if it runs, and whatever it left behind in its group."""
    if not hasattr(os, "killpg"):
        process.kill()
        process.wait()
        return
    if process.poll() is None:
        _signal(process, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
