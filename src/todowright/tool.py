"""`TodoWrite`: a dialect, a store, a session and an agent. The callable an agent is given."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any

from todowright import render
from todowright.check import Draft, check
from todowright.context import neutral, number_of
from todowright.dialect import Dialect, Tool
from todowright.dialects import load_dialect
from todowright.errors import Refused, UnknownName
from todowright.ledger import Entered, Ledger, reason
from todowright.logs import log_exception
from todowright.model import MAIN, Call, Issue, Plan, Reply, Todo
from todowright.names import check_agent, check_session
from todowright.smart import merged
from todowright.stores import Store, open_store
from todowright.text import clip, kind, shown

if TYPE_CHECKING:
    from todowright.changes import Change
    from todowright.policy import Verify

MOST_REPEATS = 2
"""From the third time on, the same reply to a call that changes nothing is cut short."""


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
        self.hears = hears
        """Whether the model is told what others did to its plan: with its next reply, or, where it sends
        a whole list that knows nothing of it, by a refusal."""
        self._environ = os.environ if environ is None else environ
        self._verify = verify
        self._judge = self._judge_of(self.dialect, verify)
        self._ledger = Ledger(
            self.store, self.session, self.agent, root=self.root, clock=clock, logs=not passing
        )
        self._numbered_from: int | None = None
        """Which plan's numbers the last reply spoke of."""
        self._last = ""
        self._repeats = 0

    def __call__(self, arguments: object = None, *, tool: str | None = None) -> Reply:
        """Take the arguments a model sent and answer it."""
        started = perf_counter()
        dialect = self.dialect
        heard: list[str] = []
        try:
            dialect, wrong = self._configured(tool)
            if wrong is None and dialect.json_text:
                arguments, wrong = _decoded(arguments)
            elif dialect.verbs and isinstance(arguments, (str, bytes)):
                arguments = _object(arguments)
            if wrong is not None:
                raise Refused("", (wrong,))
            before, plan, draft, log_failure = self._enter(dialect, arguments, tool, heard)
        except Refused as refused:
            return self._told(self._rejected(dialect, refused.issues, arguments, started), heard)
        except Exception as error:
            return self._failed(error, arguments, started)
        elapsed = perf_counter() - started
        self._numbered_from = plan.numbered_from
        call = Call(arguments, plan, elapsed, log_failure, tool, before, draft.reads, draft.notes)
        return self._told(self._accepted(dialect, call), heard)

    def _enter(
        self, dialect: Dialect, arguments: object, tool: str | None, heard: list[str]
    ) -> Entered:
        """Check the call and keep what it asks for; raises `Refused` if it breaks the rules."""
        try:
            draft_on = self._drafted(dialect, arguments, tool, heard)
            return self._ledger.enter(dialect, draft_on, self._judge)
        except Refused as refused:
            if not dialect.repair or refused.issues[0].code == "edited":
                raise
            from todowright.repair import mended

            stands = self.plan
            begins = stands.finished or not stands.todos
            meant = mended(dialect, arguments, tool, begins=begins)
            if meant is None:
                raise
            draft_on = self._drafted(dialect, meant[0], tool, heard)
            entered = self._ledger.enter(dialect, draft_on, self._judge)
            entered[2].notes += ("mended: " + "; ".join(meant[1]),)
            return entered

    def _drafted(
        self, dialect: Dialect, arguments: object, tool: str | None, heard: list[str]
    ) -> Callable[[Plan], Draft]:
        """What makes a draft of the call on the plan that stands."""
        if not dialect.verbs:
            draft = check(dialect, arguments)
            if isinstance(draft, tuple):
                raise Refused("", draft)

            def whole_list(before: Plan) -> Draft:
                self._hear(before, heard, whole=True)
                return draft

            return whole_list if self.hears else lambda _: draft
        verb = dialect.verb(tool, arguments)
        if verb is None and tool is None:  # the keys of several
            raise Refused("", (Issue("unknown", value=f"beside '{dialect.list_key}'"),))
        if verb is None:
            raise Refused("", (Issue("tool", value=shown(tool)),))
        if not isinstance(arguments, dict) and arguments is not None:
            raise Refused("", (Issue("type", kind=kind(arguments), expected="object"),))
        given = arguments or {}

        def draft_on(before: Plan) -> Draft:
            whole = verb is dialect.verbs[0]
            if not whole:
                self._mind_numbers(before)
            self._hear(before, heard, whole=whole and bool(given.get(verb.key)))
            return verb.apply(dialect, before, given)

        return draft_on

    def _mind_numbers(self, before: Plan) -> None:
        """Refuse, once, a call that speaks of another plan's numbers than those that stand."""
        known, self._numbered_from = self._numbered_from, before.numbered_from
        if known is not None and known != before.numbered_from:
            from todowright.steps import a_few

            steps = [todo for todo in before.todos if number_of(before, todo) > 0]
            names = [
                f"{number_of(before, step)} {clip(neutral(step.content), 40)}" for step in steps
            ]
            raise Refused("", (Issue("replaced", value=a_few(names)),))

    def _hear(self, before: Plan, heard: list[str], *, whole: bool) -> None:
        """Note what others did; refuse a whole list that was written without knowing of it."""
        told = self._ledger.overheard(before) if self.hears else ""
        if told and whole:
            raise Refused("", (Issue("edited", value=told),))
        if told:
            heard.append(told)

    def _told(self, reply: Reply, heard: list[str]) -> Reply:
        for each in heard:
            reply = (self.dialect.annotate or render.annotate)(self.dialect, reply, each)
        return reply

    def overheard(self) -> str:
        """What others did to the plan since the model was last told, in one line; each thing once."""
        return self._ledger.overheard()

    def turn(self, calls: Iterable[tuple[str, object]]) -> list[Reply]:
        """Run the plan calls of one model turn, each a tool's name and its arguments, in order.

        Each gets its own reply. Where there are several, the one that stands says so.
        """
        named = [(name, arguments) for name, arguments in calls]
        replies = [self(arguments, tool=name) for name, arguments in named]
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
        return self._ledger.listeners.add(listener)

    def on(self, event: str, handler: Callable[[tuple[Todo, ...]], object]) -> Callable[[], None]:
        """Subscribe to `todos:update`: the main agent's whole list after every accepted call."""
        if event != "todos:update":
            raise UnknownName(f"no event is called '{shown(event)}': use todos:update")
        if self.agent != MAIN:
            return lambda: None  # a sub-agent emits nothing
        return self._ledger.listeners.add(lambda change: handler(change.plan.todos))

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
        from todowright.policy import judged

        return judged(dialect, verify)

    def _configured(self, tool: str | None) -> tuple[Dialect, Issue | None]:
        dialect, wrong = self.dialect, None
        if dialect.environment:
            dialect, wrong = dialect.configured(self._environ)
        if tool is not None and tool != dialect.tool_name and not dialect.verbs:
            wrong = Issue("tool", value=shown(tool))
        return dialect, wrong

    def _accepted(self, dialect: Dialect, call: Call) -> Reply:
        try:
            reply = (dialect.accept or render.accept)(dialect, call.plan, call)
            for note in call.notes:
                reply = (dialect.annotate or render.annotate)(dialect, reply, note)
        except Exception:  # a dialect's own words failed; the plan is kept all the same
            log_exception("a dialect could not word its reply")
            return Reply("The list was updated.", display="The list was updated.")
        if dialect.keep_unchanged or call.reads:
            return reply
        changed = call.plan is not call.before
        return self._remembered(reply) if changed else self._cut_short(dialect, reply)

    def _rejected(
        self, dialect: Dialect, issues: tuple[Issue, ...], arguments: object, started: float
    ) -> Reply:
        try:
            call = Call(arguments, self.plan, perf_counter() - started)
            return self._cut_short(
                dialect, (dialect.reject or render.reject)(dialect, issues, call)
            )
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

    def _remembered(self, reply: Reply) -> Reply:
        self._last = reply.text
        self._repeats = 0
        return reply

    def _cut_short(self, dialect: Dialect, reply: Reply) -> Reply:
        """The reply to a call that changed nothing; short, once it has been the same twice."""
        storm = dialect.phrases.get("storm")
        if storm is None or reply.text != self._last:
            return self._remembered(reply)
        self._repeats += 1
        if self._repeats < MOST_REPEATS:
            return reply
        return replace(reply, text=storm)


def _object(text: str | bytes) -> object:
    """The arguments that a host passed on as the text they came in; the text, if it is no object."""
    if not text.strip():
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, dict) else text


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _decoded(arguments: object) -> tuple[object, Issue | None]:
    """The arguments, parsed if they came as JSON text."""
    if not (arguments is None or isinstance(arguments, (str, bytes))):
        return arguments, None
    if not arguments or not arguments.strip():
        return None, Issue("no_argument")
    try:
        return json.loads(arguments, parse_constant=_no_constant), None
    except (ValueError, RecursionError):
        return None, Issue("not_json")
