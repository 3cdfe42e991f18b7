"""How a call is answered: read, revised by the one writer, worded; never with an exception."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from todowright.dialects import render
from todowright.dialects.call import Call, Reply
from todowright.dialects.dialect import Dialect
from todowright.errors import Issue, Refused, StoreError, reason
from todowright.logs import log_exception
from todowright.plan.model import AGENT, Plan
from todowright.tool.incoming import Incoming, read
from todowright.tool.news import News
from todowright.tool.receipts import Receipts, Repeated
from todowright.tool.replies import Replies, annotated
from todowright.tool.revise import Revised, Terms, Writer


class Answering:
    """Answers the calls of one model on one plan."""

    def __init__(
        self,
        writer: Writer,
        terms: Terms,
        configured: Callable[[], Dialect],
        *,
        news: bool,
    ) -> None:
        self._writer = writer
        self._terms = terms
        self._configured = configured
        self._replies = Replies()
        self._known = News(writer.store, writer.names)
        self.news = self._known if news else None
        self.ended = False
        """Whether this was a sub-agent's, and it has ended."""
        if terms.dialect.repair:  # now: nothing is imported while a call is answered
            from todowright.dialects import repair

            self._mended = repair.mended

    def hear(self, wanted: bool) -> None:
        """Tell the model of what others do to its plan, or not."""
        self.news = self._known if wanted else None

    def told(self, unread: list[str]) -> str:
        """What others did since the model was last told, in one line."""
        with self._writer.standing() as now:
            told = self._known.of(now)
            if told is None:
                return ""
            unread.append(told.whole)
            self._known.was_told()
            return told.brief

    def answer(
        self, arguments: object, tool: str | None, call_id: str | None, unread: list[str]
    ) -> Reply:
        """Answer one call; `unread` is what others did in the course of its turn."""
        call = Incoming(arguments, tool, unread, self.news)
        dialect = self._terms.dialect
        if call_id is not None:
            names = self._writer.names
            call.receipts = Receipts(self._writer.store, names, call_id, tool, arguments)
        try:
            dialect = self._configured()
            if self.ended:
                raise Refused(Issue("ended"))
            reply = self._accepted(dialect, call)
        except Repeated as repeated:
            return repeated.reply
        except Refused as refused:
            reply = self._rejected(dialect, refused.issues, call)
        except Exception as error:
            return self._failed(error, call)
        if call.noted and self.news is not None:
            _try(self.news.was_told)
        if (receipts := call.receipts) is not None:
            _try(lambda: receipts.keep(reply))
        return reply

    def _accepted(self, dialect: Dialect, call: Incoming) -> Reply:
        """Read the call, keep what it asks for, and word the reply; one that is refused is mended, if it can be."""
        try:
            return self._made(dialect, call, call.arguments)
        except Refused as refused:
            if not dialect.repair or refused.issues[0].code == "edited":
                raise
            plan = self._plan(call)
            begins = plan.finished or not plan.todos
            meant = self._mended(dialect, call.arguments, call.tool, begins=begins)
            if meant is None:
                raise
            note = "mended: " + "; ".join(meant.notes)
            return self._made(dialect, call, meant.arguments, note)

    def _made(self, dialect: Dialect, call: Incoming, given: object, note: str = "") -> Reply:
        request = read(dialect, given, call.tool)
        worded: Reply | None = None

        def word(revised: Revised) -> Reply:
            nonlocal worded
            told = Call(
                call.arguments,
                revised.plan,
                perf_counter() - call.started,
                revised.log_failure,
                revised.before,
                revised.draft.reads,
            )
            notes = (*revised.draft.notes, *([note] if note else ()), *call.heard)
            worded = self._replies.accepted(dialect, request.verb, told, notes)
            return worded

        receipts = call.receipts
        revised = self._writer.revise(
            self._terms.of(dialect),
            call.draft_with(request),
            AGENT,
            receipt=None if receipts is None else lambda revised: receipts.of(word(revised)),
            kept=self._known.knows,
        )
        return worded or word(revised)

    def _rejected(self, dialect: Dialect, issues: tuple[Issue, ...], call: Incoming) -> Reply:
        try:
            told = Call(call.arguments, self._plan(call), perf_counter() - call.started)
            reply = self._replies.rejected(dialect, issues, told)
            return annotated(dialect, reply, call.heard) if call.heard else reply
        except Exception as error:
            return self._failed(error, call)

    def _plan(self, call: Incoming) -> Plan:
        """The plan that the call was held against, or, where it was not, the one that stands."""
        if call.before is None:
            call.before = self._writer.store.load(*self._writer.names)
        return call.before

    def _failed(self, error: Exception, call: Incoming) -> Reply:
        """Something broke that is not the model's fault: the plan is as it was."""
        log_exception("a plan call failed")
        dialect = self._terms.dialect
        issues = (Issue("internal", value=reason(error)),)
        try:
            plan = self._plan(call)
        except Exception:
            plan = Plan(*self._writer.names)
        try:
            told = Call(call.arguments, plan, perf_counter() - call.started)
            reply = (dialect.reject or render.reject)(dialect, issues, told)
        except Exception:
            text = f"Error: {render.PLAIN.say(issues[0])}"
            reply = Reply(text, display=text, is_error=True, issues=issues)
        return annotated(dialect, reply, call.heard) if call.heard else reply


def _try(work: Callable[[], None]) -> None:
    """Note something beside the plan; if that fails, it is noted another time."""
    try:
        work()
    except StoreError:
        log_exception("a note beside the plan could not be kept")
