"""The gate at a host's own plan tool: what it completes is verified first, if the user named a verification."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from todowright.formats import Reading
    from todowright.host.hooks import HookEvent
    from todowright.host.records import Records
    from todowright.hosts.gate import Verification
    from todowright.plan.model import Plan


class HookGate:
    """The gate for one event of a host."""

    def __init__(
        self, event: HookEvent, environ: Mapping[str, str], records: Records, formats: str = ""
    ) -> None:
        self.event = event
        self.environ = environ
        self.records = records
        self.formats = formats
        """The file of the formats that read a list before it is sent."""
        self.given: Verification | None = None
        """What verifies the steps of this folder; None where nothing does."""
        self.trouble = ""
        """Why that is not known."""
        from todowright.hosts.gate import BadGate, verification_of

        try:
            self.given = verification_of(event.folder, environ)
            if event.cwd not in ("", event.folder):
                here = verification_of(event.cwd, environ)
                if here and (self.given is None or here.gated == self.given.gated):
                    self.given = here  # a worktree is verified itself
        except BadGate as error:
            self.trouble = f"{error}; the step was let pass unverified"

    def answer(self, plan: Plan | None) -> str:
        """What the host is answered before a step is completed: nothing, where it may be.

        `plan` is what is known of the plan that the call is about.
        """
        from todowright.host.hooks import refused, told_user
        from todowright.hosts.gate_turns import verify_in_turn

        if not self.given and not self.trouble:
            return ""
        if self.event.kind == "before_tool" and not self._completes(plan):
            return ""
        if self.given is None:
            return told_user(self.trouble)
        with _ended_together():
            verdict = verify_in_turn(self.given, self.environ)
        if not verdict.passed:
            told = f"Not completed: {verdict.line.rstrip('.')}. Mend that, then complete it again."
            return refused(self.event, told)
        if not verdict.sure:
            return told_user(verdict.line)
        from todowright.host.records import Note

        self.records.note_call(self._key(), Note(self.event.host, self.event.session))
        return ""

    def was_verified(self, reading: Reading, plan: Plan) -> bool:
        """Whether all that a call has completed was verified before, for the record."""
        if self.given is None:
            return False
        noted = self.records.of_call(self._key(), once=True) is not None
        return noted or not completed(reading, plan)

    def _completes(self, plan: Plan | None) -> bool:
        from todowright.formats.detect import read_call
        from todowright.formats.reading import ToolCall
        from todowright.plan.model import Plan

        event = self.event
        reading = read_call(ToolCall(event.tool, dict(event.arguments)), self.formats)
        return completed(reading, plan or Plan("", ""))

    def _key(self) -> str:
        """What is the same before a call and after it."""
        event = self.event
        what = event.task or event.arguments.get("taskId") or event.call
        return f"verified {event.host} {event.session} {what}"


@contextmanager
def _ended_together() -> Iterator[None]:
    """Who ends this process meanwhile ends what it runs, too."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)


def completed(reading: Reading, plan: Plan) -> bool:
    """Whether a call completes a step that was not completed before."""
    after, _ = reading.applied(plan.todos, plan.issued)
    known = {todo.number for todo in plan.todos if todo.status == "completed"}
    return any(todo.status == "completed" and todo.number not in known for todo in after)
