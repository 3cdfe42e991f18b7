"""`TodoWrite`: a dialect, a store, a session and an agent. The callable an agent is given."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any

from todowright.dialects import render
from todowright.dialects.check import Draft, check
from todowright.plan.context import neutral
from todowright.dialects.dialect import Dialect, Tool
from todowright.dialects import load_dialect
from todowright.tool.drafts import Drafts, as_object, decoded
from todowright.errors import Refused, UnknownName
from todowright.tool.revise import Entered, Ledger, reason
from todowright.logs import log_exception
from todowright.plan.model import MAIN, Call, Issue, Plan, Reply, Todo
from todowright.names import check_agent, check_session
from todowright.tool.replies import Replies
from todowright.tool.update import merged
from todowright.stores import Store, open_store
from todowright.text import shown

if TYPE_CHECKING:
    from todowright.plan.changes import Change
    from todowright.tool.policy import Verify


class TodoWrite:
    """The tool. Calling it never raises on what a model sends; it answers with a `Reply`."""

    def __init__(
        self,
        dialect: str | Dialect = "lean",
        *,
        store: str | Store = "memory:",
        session: str = "default",
        agent: str = MAIN,
        root: str | os.PathLike[str] = ".",
        environ: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] | None = None,
        verify: Verify | None = None,
        hears: bool = False,
        passing: bool = False,
    ) -> None:
        self.dialect = load_dialect(dialect)
        self.store = open_store(store) if isinstance(store, str) else store
        if not callable(getattr(self.store, "load", None)):
            raise TypeError(f"store must be a URL or a Store, not a {type(store).__name__}")
        self.session = check_session(session)
        self.agent = check_agent(agent)
        self.root = os.path.abspath(root)
        """The project's folder, under which a dialect may keep a log."""
        self._environ = os.environ if environ is None else environ
        self._verify = verify
        self._judge = self._judge_of(self.dialect, verify)
        self._ledger = Ledger(
            self.store, self.session, self.agent, root=self.root, clock=clock, logs=not passing
        )
        self._drafts = Drafts(self._ledger, hears=hears)
        self._replies = Replies()

    def __call__(self, arguments: object = None, *, tool: str | None = None) -> Reply:
        """Take the arguments a model sent and answer it."""
        started = perf_counter()
        heard: list[str] = []
        reply = self._answer(arguments, tool, started, heard)
        self._drafts.answered()
        return self._replies.told(self.dialect, reply, heard) if heard else reply

    def _answer(
        self, arguments: object, tool: str | None, started: float, heard: list[str]
    ) -> Reply:
        dialect = self.dialect
        try:
            dialect, wrong = self._configured(tool)
            if wrong is None and dialect.json_text:
                arguments, wrong = decoded(arguments)
            elif dialect.verbs and isinstance(arguments, (str, bytes)):
                arguments = as_object(arguments)
            if wrong is not None:
                raise Refused("", (wrong,))
            before, plan, draft, log_failure = self._enter(dialect, arguments, tool, heard)
        except Refused as refused:
            return self._rejected(dialect, refused.issues, arguments, started)
        except Exception as error:
            return self._failed(error, arguments, started)
        elapsed = perf_counter() - started
        self._drafts.numbered_from = plan.numbered_from
        call = Call(arguments, plan, elapsed, log_failure, tool, before, draft.reads, draft.notes)
        return self._replies.accepted(dialect, call)

    def _enter(
        self, dialect: Dialect, arguments: object, tool: str | None, heard: list[str]
    ) -> Entered:
        """Check the call and keep what it asks for; raises `Refused` if it breaks the rules."""
        try:
            draft_on = self._drafts.of(dialect, arguments, tool, heard)
            return self._ledger.enter(dialect, draft_on, self._judge)
        except Refused as refused:
            if not dialect.repair or refused.issues[0].code == "edited":
                raise
            from todowright.dialects.repair import mended

            stands = self.plan
            begins = stands.finished or not stands.todos
            meant = mended(dialect, arguments, tool, begins=begins)
            if meant is None:
                raise
            draft_on = self._drafts.of(dialect, meant[0], tool, heard)
            entered = self._ledger.enter(dialect, draft_on, self._judge)
            entered[2].notes += ("mended: " + "; ".join(meant[1]),)
            return entered

    @property
    def hears(self) -> bool:
        """Whether the model is told what others did to its plan.

        It is told with its next reply, or by a refusal where it sends a whole list that knows nothing of it.
        """
        return self._drafts.hears

    @hears.setter
    def hears(self, wanted: bool) -> None:
        self._drafts.hears = wanted

    def overheard(self) -> str:
        """What others did to the plan since the model was last told, in one line; each thing once."""
        return self._drafts.overheard()

    def next_turn(self) -> None:
        """Say that the model has read all that it was told, and writes the calls of its next turn.

        For hosts that make several calls a turn by themselves: a whole list is refused, once, where others
        did something in the course of its turn. Who never says so has a turn with every call.
        """
        self._drafts.next_turn(begins=True)

    def turn(self, calls: Iterable[tuple[str, object]]) -> list[Reply]:
        """Run the plan calls of one model turn, each a tool's name and its arguments, in order.

        Each gets its own reply. Where there are several, the one that stands says so.
        """
        named = [(name, arguments) for name, arguments in calls]
        self._drafts.next_turn(begins=True)
        replies = [self(arguments, tool=name) for name, arguments in named]
        self._drafts.next_turn(begins=False)
        accepted = [index for index, reply in enumerate(replies) if not reply.is_error]
        ours = sum(name == self.dialect.tool_name for name, _ in named)
        if ours > 1 and accepted:
            replies[accepted[-1]] = self.standing(replies[accepted[-1]], ours)
        return replies

    def standing(self, reply: Reply, calls: int) -> Reply:
        """The reply to the last of several plan calls in one turn: it says that it stands."""
        if self.dialect.verbs or reply.is_error:
            return reply
        note = self.dialect.note("last_stands", str(calls))
        return (self.dialect.annotate or render.annotate)(self.dialect, reply, note)

    def tail(self) -> str:
        """Where the plan stands, in the dialect's words, for the end of a model's context."""
        plan = self.plan
        if not plan.todos or plan.finished:
            return ""
        if self.dialect.recap is None:
            return plan.tail()
        return "\n".join(neutral(line) for line in self.dialect.recap(plan).splitlines())

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What to offer a model now, with the limits that the environment sets."""
        return self._configured(None)[0].tools

    @property
    def plan(self) -> Plan:
        """The plan as it stands."""
        return self.store.load(self.session, self.agent)

    def update(
        self, todos: Iterable[Mapping[str, Any] | Todo | str], *, summary: str | None = None
    ) -> Plan:
        """Smart update, for programs: change the given fields of known ids, or replace the list.

        Where every todo carries the id of a current one, only those change, field by field;
        otherwise the list is replaced; a text is a new, pending todo. Raises `Refused` if the outcome breaks the dialect's rules.
        """
        given = list(todos)
        dialect, wrong = self._configured(None)
        if wrong is not None:
            raise Refused(dialect.say(wrong), (wrong,))

        def draft_on(before: Plan) -> Draft:
            draft = check(dialect, merged(dialect, before, given, summary), with_ids=True)
            if isinstance(draft, tuple):
                raise Refused("\n".join(dialect.say(issue) for issue in draft), draft)
            return draft

        return self._ledger.enter(dialect, draft_on, self._judge, rewrite=False)[1]

    def clear(self) -> Plan:
        """Empty the list."""
        return self._ledger.enter(
            self.dialect, lambda before: Draft([], before.summary), rewrite=False
        )[1]

    def on_change(self, listener: Callable[[Change], object]) -> Callable[[], None]:
        """Call the listener with every revision from now on; the answer unsubscribes it."""
        return self._ledger.listen(listener)

    def on(self, event: str, handler: Callable[[tuple[Todo, ...]], object]) -> Callable[[], None]:
        """Subscribe to `todos:update`: the main agent's whole list after every accepted call."""
        if event != "todos:update":
            raise UnknownName(f"no event is called '{shown(event)}': use todos:update")
        if self.agent != MAIN:
            return lambda: None  # a sub-agent emits nothing
        return self._ledger.listen(lambda change: handler(change.plan.todos))

    @contextmanager
    def subagent(self, label: str = "task") -> Iterator[TodoWrite]:
        """A tool with a list of its own for a sub-agent; list and history go when the block ends.

        The parent's listeners do not hear of it, nor does a call after the end change anything.
        """
        child = TodoWrite(
            self.dialect,
            store=self.store,
            session=self.session,
            agent=f"{self.agent}/{label}-{os.urandom(4).hex()}",
            root=self.root,
            environ=self._environ,
            clock=self._ledger.clock,
            verify=self._verify,
            hears=self.hears,
            passing=True,
        )
        try:
            yield child
        finally:
            child._ledger.close()
            self.store.forget(child.session, child.agent)

    @staticmethod
    def _judge_of(dialect: Dialect, verify: Verify | None) -> Any:
        if not dialect.transitions and verify is None:
            return None
        from todowright.tool.policy import judged

        return judged(dialect, verify)

    def _configured(self, tool: str | None) -> tuple[Dialect, Issue | None]:
        dialect, wrong = self.dialect, None
        if dialect.environment:
            dialect, wrong = dialect.configured(self._environ)
        if tool is not None and tool != dialect.tool_name and not dialect.verbs:
            wrong = Issue("tool", value=shown(tool))
        return dialect, wrong

    def _rejected(
        self, dialect: Dialect, issues: tuple[Issue, ...], arguments: object, started: float
    ) -> Reply:
        try:
            call = Call(arguments, self.plan, perf_counter() - started)
            return self._replies.rejected(dialect, issues, call)
        except Exception as error:
            return self._failed(error, arguments, started)

    def _failed(self, error: Exception, arguments: object, started: float) -> Reply:
        """Something broke that is not the model's fault: the plan is as it was."""
        log_exception("a plan call failed")
        issues = (Issue("internal", value=reason(error)),)
        try:
            plan = self.plan
        except Exception:
            plan = Plan(self.session, self.agent)
        try:
            call = Call(arguments, plan, perf_counter() - started)
            return (self.dialect.reject or render.reject)(self.dialect, issues, call)
        except Exception:
            text = f"Error: {render.PLAIN.say(issues[0])}"
            return Reply(text, display=text, is_error=True, issues=issues)
