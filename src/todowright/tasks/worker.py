"""A worker: takes tasks, runs a command for each, and says how it went."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from todowright.tasks.claims import Claim, Claims, LostClaim

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
class Terms:
    """How a worker works."""

    command: Sequence[str]
    lease: float = 60.0
    retries: int = 2
    pause: float = 1.0
    """Seconds before the first retry; each later one waits twice as long."""
    look: float = 0.5
    """Seconds between two looks for a task, where there is none."""
    drain: bool = False
    """Whether to end when no task is left that could become ready."""


class Worker:
    """Takes one task after the other. `stop` ends it: what it works on is given back."""

    def __init__(self, claims: Claims, name: str, terms: Terms, report: Report) -> None:
        self._claims = claims
        self._name = name
        self._terms = terms
        self._report = report
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End the work; the task that is being worked on is given back."""
        self._stopped.set()

    def run(self) -> None:
        """Work until it is stopped, or, if it drains, until nothing is left to do."""
        while not self._stopped.is_set():
            claim = self._claims.claim(self._name)
            if claim is not None:
                self._report(self._work(claim))
            elif self._terms.drain and self._is_drained():
                return
            else:
                self._stopped.wait(self._terms.look)

    def _is_drained(self) -> bool:
        """Whether no task is held, and so none can become ready that is not ready now."""
        return not any(task.status == "in_progress" for task in self._claims.plan.todos)

    def _work(self, claim: Claim) -> Ended:
        began = time.monotonic()
        why = ""
        try:
            for attempt in range(self._terms.retries + 1):
                if attempt:
                    claim = self._waited(claim, self._terms.pause * 2 ** (attempt - 1))
                claim, why = self._attempt(claim)
                if not why or self._stopped.is_set():
                    break
            return self._ended(claim, why, time.monotonic() - began)
        except LostClaim as lost:
            return Ended(claim, "lost", time.monotonic() - began, str(lost))

    def _ended(self, claim: Claim, why: str, seconds: float) -> Ended:
        if not why:
            self._claims.finish(claim)
            return Ended(claim, "done", seconds)
        if self._stopped.is_set():
            self._claims.release(claim)
            return Ended(claim, "released", seconds, "stopped")
        self._claims.fail(claim, why)
        return Ended(claim, "failed", seconds, why)

    def _waited(self, claim: Claim, seconds: float) -> Claim:
        """The claim, after a pause in which it was kept."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self._stopped.is_set():
            self._stopped.wait(min(left, self._terms.lease / 3))
            claim = self._claims.renew(claim)
        return claim

    def _attempt(self, claim: Claim) -> tuple[Claim, str]:
        """Run the command once; the claim as it is held then, and what went wrong, if something did."""
        try:
            process = subprocess.Popen(  # noqa: S603  the command of who started the worker
                self._terms.command,
                stdin=subprocess.PIPE,
                env=os.environ | _environment(claim),
                start_new_session=True,
            )
        except OSError as error:
            return claim, f"it could not be started: {error.strerror or error}"
        try:
            _tell(process, claim)
            claim = self._watched(process, claim)
        except BaseException:
            _end(process)
            raise
        if self._stopped.is_set() and process.poll() is None:
            _end(process)
            return claim, "stopped"
        code = process.wait()
        return claim, f"exit code {code}" if code else ""

    def _watched(self, process: subprocess.Popen[bytes], claim: Claim) -> Claim:
        """Wait for the command, and renew the lease while it runs."""
        renewed = time.monotonic()
        while process.poll() is None and not self._stopped.is_set():
            try:
                process.wait(min(0.1, self._terms.lease / 10))
            except subprocess.TimeoutExpired:
                if time.monotonic() - renewed > self._terms.lease / 3:
                    claim, renewed = self._claims.renew(claim), time.monotonic()
        return claim


def _environment(claim: Claim) -> dict[str, str]:
    return {
        "TODOWRIGHT_TASK": str(claim.number),
        "TODOWRIGHT_SUBJECT": claim.subject.replace("\0", ""),
        "TODOWRIGHT_DESCRIPTION": claim.description.replace("\0", ""),
        "TODOWRIGHT_WORKER": claim.owner,
    }


def _tell(process: subprocess.Popen[bytes], claim: Claim) -> None:
    """Give the task to the command on standard input, as one line of JSON; it need not read it."""
    task = {"id": str(claim.number), "subject": claim.subject, "description": claim.description}
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(task, ensure_ascii=False).encode() + b"\n")
        process.stdin.close()
    except BrokenPipeError:
        pass


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and all that it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            continue
        break
    process.wait()
