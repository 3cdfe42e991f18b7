"""The gate at our own plan tools: what they complete is verified first, if the user named a verification."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from todowright.hosts.gate import BadGate, Verdict, Verification, verification_of
from todowright.hosts.gate_turns import verify_in_turn
from todowright.plan.model import Todo


class _Asked:
    """What is asked within one call: however many steps it completes, it is verified once."""

    def __init__(self, folder: str, environ: Mapping[str, str]) -> None:
        self.given: Verification | None = None
        self._environ = environ
        self.verdict: Verdict | None = None
        self._trouble = ""
        try:
            self.given = verification_of(folder, environ)
        except BadGate as error:
            self._trouble = f"{error}; the step was let pass unverified"

    @property
    def wanted(self) -> bool:
        """Whether steps are to be verified here."""
        return bool(self.given or self._trouble)

    @property
    def told(self) -> str:
        """What is to be said of steps that were let pass; empty where nothing is."""
        return self.verdict.line if self.verdict is not None and self.verdict.passed else ""

    def answer(self) -> bool | str:
        if self.verdict is None:
            self.verdict = (
                verify_in_turn(self.given, self._environ)
                if self.given
                else Verdict(True, self._trouble)
            )
        return self.verdict.passed or self.verdict.line


class PlanGate:
    """What a server gives the plan tool as `verify`; the user's setting counts as it is at each call."""

    def __init__(self, folder: str, environ: Mapping[str, str]) -> None:
        self._folder = folder
        self._environ = environ
        self._local = threading.local()

    @contextmanager
    def call(self) -> Iterator[_Asked]:
        """One call of a plan tool, in this thread."""
        asked = self._local.asked = _Asked(self._folder, self._environ)
        try:
            yield asked
        finally:
            self._local.asked = None

    def __call__(self, _: Todo) -> bool | str:
        asked: _Asked | None = getattr(self._local, "asked", None)
        return (asked or _Asked(self._folder, self._environ)).answer()
