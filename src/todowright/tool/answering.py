"""How a call is answered: read, revised by the one writer, worded; never with an exception."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING

from todowright.dialects import render
from todowright.dialects.call import Call, Reply
from todowright.dialects.dialect import Dialect
from todowright.dialects.list_dialect import ListDialect
from todowright.errors import Issue, Refused, reason
from todowright.logs import log_exception
from todowright.plan.matching import load
from todowright.plan.model import AGENT, Plan
from todowright.text import neutral
from todowright.tool.incoming import Incoming
from todowright.tool.replies import Repeated, Replies, annotated, rejected
from todowright.tool.revise import Revised, Writer
from todowright.tool.terms import Terms

if TYPE_CHECKING:  # loaded when they are needed
    from todowright.stores.receipt import Receipt
    from todowright.tool.news import News
    from todowright.tool.receipts import Receipts
    from todowright.tool.second_word import SecondWord


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
        self._known: News | None = None
        """Minds what the model knows of the plan."""
        self.news: News | None = None
        self.set_news(news)
        self.ended = False
        """Whether this was a sub-agent's, and it has ended."""
        load()
        self._second_word: SecondWord | None = None
        if not isinstance(terms.dialect, ListDialect):
            from todowright.tool.second_word import SecondWord

            self._second_word = SecondWord(writer.store, writer.names)
        if terms.dialect.repair:  # now: nothing is imported while a call is answered
            from todowright.dialects import repair

            self._mended = repair.mended

    def set_news(self, wanted: bool) -> None:
        """Tell the model of what others do to its plan, or not."""
        self.news = self._tracker() if wanted else None

    def _tracker(self) -> News:
        if self._known is None:
            from todowright.tool.news import News

            self._known = News(self._writer.store, self._writer.names)
        return self._known

    def news_line(self, unread: list[str]) -> tuple[str, Plan]:
        """What others did since the model was last told, in one line that opens and closes no tag; and the plan now."""
        known = self._tracker()
        stands = self._writer.store.load(*self._writer.names)
        if known.is_known(stands):
            return "", stands  # as most often: there is nothing to note

        def told(now: Plan) -> tuple[str, Plan]:
            knew = known.known
            summary = known.since_known(now)
            if summary is None:
                return "", now
            try:
                known.mark_read()
            except BaseException:
                known.forget(knew)
                raise
            unread.append(summary.whole)
            return neutral(summary.brief), now

        return self._writer.with_plan_held(told)

    def answer(
        self, arguments: object, tool: str | None, call_id: str | None, unread: list[str]
    ) -> Reply:
        """Answer one call; `unread` is what others did in the course of its turn."""
        call = Incoming(arguments, tool, unread, self.news)
        if self._second_word is not None:
            call.second_word = self._second_word
        dialect = self._terms.dialect
        if call_id:
            names = self._writer.names
            call.receipts = _receipts()(self._writer.store, names, call_id, tool, arguments)
        try:
            if dialect.environment:
                dialect = self._configured()
            if self.ended:
                raise Refused(Issue("ended"))
            try:
                reply = self._accepted(dialect, call, arguments)
            except Refused as refused:
                if call.receipts is not None:  # what was refused gets the refusal it had
                    call.receipts.refuse_repeated()
                reply = self._mended_and_accepted(dialect, call, refused)
        except Repeated as repeated:
            return repeated.reply
        except Refused as refused:
            reply = self._rejected(dialect, refused.issues, call)
        except Exception as error:
            return self._failed(error, call)
        if call.has_news and self.news is not None:
            _try(self.news.mark_read)
        if (receipts := call.receipts) is not None and not call.saved:
            _try(lambda: receipts.keep(reply))
        return reply

    def refuse(self, arguments: object, tool: str | None, issue: Issue) -> Reply:
        """The answer to a call that cannot be made now."""
        return self._rejected(
            self._terms.dialect, (issue,), Incoming(arguments, tool, [], self.news)
        )

    def _accepted(self, dialect: Dialect, call: Incoming, given: object) -> Reply:
        """Read the call, have the one writer keep what it asks for, and word the reply."""
        call.read(dialect, given)
        terms = self._terms if dialect is self._terms.dialect else self._terms.with_dialect(dialect)
        receipts, known = call.receipts, self._known
        knows = None if known is None else known.knows
        if receipts is None:
            revised = self._writer.revise(terms, call.draft_on, AGENT, None, knows)
            return self._worded(call, revised)
        worded: list[Reply] = []

        def receipt(revised: Revised) -> Receipt:
            worded.append(self._worded(call, revised))
            return receipts.of(worded[-1])

        revised = self._writer.revise(terms, call.draft_on, AGENT, receipt, knows)
        changed = revised.plan is not revised.before
        call.saved = changed
        return worded[-1] if changed else self._worded(call, revised)

    def _mended_and_accepted(self, dialect: Dialect, call: Incoming, refused: Refused) -> Reply:
        """The reply to a call that was refused, as it was meant; raises the refusal if nobody can tell."""
        if not dialect.repair or refused.issues[0].code in ("edited", "drops"):
            raise refused
        plan = self._plan(call)
        begins = plan.finished or not plan.todos
        meant = self._mended(dialect, call.arguments, call.tool, begins=begins)
        if meant is None:
            raise refused
        call.note = "mended: " + "; ".join(meant.notes)
        return self._accepted(dialect, call, meant.arguments)

    def _worded(self, call: Incoming, revised: Revised) -> Reply:
        revised.arguments, revised.elapsed = call.arguments, perf_counter() - call.started
        notes = revised.draft.notes
        if call.note or call.news_lines:
            notes = (*notes, *([call.note] if call.note else ()), *call.news_lines)
        return self._replies.accepted(call.dialect, call.verb, revised, notes)

    def _rejected(self, dialect: Dialect, issues: tuple[Issue, ...], call: Incoming) -> Reply:
        try:
            told = Call(call.arguments, self._plan(call), perf_counter() - call.started)
            reply = self._replies.rejected(dialect, call.tool, issues, told)
            return annotated(dialect, reply, call.news_lines) if call.news_lines else reply
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
            reply = rejected(dialect, issues, told)
        except Exception:
            text = f"Error: {render.PLAIN.say(issues[0])}"
            reply = Reply(text, display=text, is_error=True, issues=issues)
        return annotated(dialect, reply, call.news_lines) if call.news_lines else reply


@cache
def _receipts() -> type[Receipts]:
    """Loaded with the first call that has an id: to look for it with each call takes longer."""
    from todowright.tool.receipts import Receipts

    return Receipts


def _try(work: Callable[[], None]) -> None:
    """Note something beside the plan; if that fails, it is noted another time."""
    try:
        work()
    except Exception:
        log_exception("a note beside the plan could not be kept")
