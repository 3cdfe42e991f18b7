"""`TodoWrite`: a dialect, a store, a session and an agent. The callable an agent is given."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any

from todowright import render
from todowright.check import Draft, check
from todowright.dialect import Dialect
from todowright.dialects import load_dialect
from todowright.errors import Conflict, Refused, TodowrightError, UnknownName
from todowright.identity import inherit
from todowright.listeners import Listeners
from todowright.logs import log_exception
from todowright.model import MAIN, Call, Issue, Plan, Reply, Todo
from todowright.names import check_agent, check_session
from todowright.smart import merged
from todowright.stores import Store, open_store
from todowright.text import clip, harmless, shown

if TYPE_CHECKING:
    from todowright.changes import Change

MOST_ATTEMPTS = 1_000
"""How often a save is tried anew on top of other writers' revisions; each try is microseconds."""


class TodoWrite:
    """The tool. Calling it never raises on what a model sends; it answers with a `Reply`."""

    def __init__(
        self,
        dialect: str | Dialect = "checklist",
        *,
        store: str | Store = "memory:",
        session: str = "default",
        agent: str = MAIN,
        root: str | os.PathLike[str] = ".",
        environ: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self.dialect = load_dialect(dialect)
        self.store = open_store(store) if isinstance(store, str) else store
        self.session = check_session(session)
        self.agent = check_agent(agent)
        self.root = root
        """The project's folder, under which a dialect may keep a log."""
        self._environ = os.environ if environ is None else environ
        self._clock = clock or (lambda: datetime.now(UTC))
        self._lock = threading.Lock()
        self._listeners: Listeners[Change] = Listeners()
        self._passing = False

    def __call__(self, arguments: object = None, *, tool: str | None = None) -> Reply:
        """Take the arguments a model sent and answer it."""
        started = perf_counter()
        try:
            dialect, wrong = self._configured(tool)
            if wrong is None and dialect.json_text:
                arguments, wrong = _decoded(arguments)
            if wrong is not None:
                return self._rejected(dialect, (wrong,), arguments, started)
            draft = check(dialect, arguments)
            if isinstance(draft, tuple):
                return self._rejected(dialect, draft, arguments, started)
            plan, log_failure = self._commit(dialect, lambda _: draft, rewrite=True)
        except Exception as error:
            return self._failed(error, arguments, started)
        call = Call(arguments, plan, perf_counter() - started, log_failure)
        return self._accepted(dialect, plan, call)

    def turn(self, calls: Iterable[tuple[str, object]]) -> list[Reply]:
        """Run the plan calls of one model turn, each a tool's name and its arguments, in order.

        Each gets its own reply. Where there are several, the one that stands says so.
        """
        replies = [self(arguments, tool=name) for name, arguments in calls]
        accepted = [index for index, reply in enumerate(replies) if not reply.is_error]
        if len(replies) > 1 and accepted:
            note = self.dialect.note("last_stands", str(len(replies)))
            annotate = self.dialect.annotate or render.annotate
            replies[accepted[-1]] = annotate(self.dialect, replies[accepted[-1]], note)
        return replies

    @property
    def plan(self) -> Plan:
        """The plan as it stands."""
        return self.store.load(self.session, self.agent)

    def update(
        self, todos: Iterable[Mapping[str, Any] | Todo], *, summary: str | None = None
    ) -> Plan:
        """Smart update, for programs: change the given fields of known ids, or replace the list.

        Where every todo carries the id of a current one, only those change, field by field;
        otherwise the list is replaced. Raises `Refused` if the outcome breaks the dialect's rules.
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

        plan, _ = self._commit(dialect, draft_on, rewrite=False)
        return plan

    def clear(self) -> Plan:
        """Empty the list."""
        plan, _ = self._commit(
            self.dialect, lambda before: Draft([], before.summary), rewrite=False
        )
        return plan

    def on_change(self, listener: Callable[[Change], object]) -> Callable[[], None]:
        """Call the listener with every revision from now on; the answer unsubscribes it."""
        return self._listeners.add(listener)

    def on(self, event: str, handler: Callable[[tuple[Todo, ...]], object]) -> Callable[[], None]:
        """Subscribe to `todos:update`: the main agent's whole list after every accepted call."""
        if event != "todos:update":
            raise UnknownName(f"no event is called '{shown(event)}': use todos:update")
        if self.agent != MAIN:
            return lambda: None  # a sub-agent emits nothing
        return self._listeners.add(lambda change: handler(change.plan.todos))

    @contextmanager
    def subagent(self, label: str = "task") -> Iterator[TodoWrite]:
        """A tool with a list of its own for a sub-agent; the list goes when the block ends."""
        child = TodoWrite(
            self.dialect,
            store=self.store,
            session=self.session,
            agent=f"{self.agent}/{label}-{os.urandom(4).hex()}",
            root=self.root,
            environ=self._environ,
            clock=self._clock,
        )
        child._passing = True
        try:
            yield child
        finally:
            self.store.forget(child.session, child.agent)

    def _configured(self, tool: str | None) -> tuple[Dialect, Issue | None]:
        dialect, wrong = self.dialect, None
        if dialect.environment:
            dialect, wrong = dialect.configured(self._environ)
        if tool is not None and tool != dialect.tool_name:
            wrong = Issue("tool", value=shown(tool))
        return dialect, wrong

    def _commit(
        self, dialect: Dialect, draft_on: Callable[[Plan], Draft], *, rewrite: bool
    ) -> tuple[Plan, str]:
        """Keep what is drafted on top of the plan that stands, and tell the listeners."""
        attempts, log_failure = 0, ""
        with self._lock:
            while True:
                before = self.store.load(self.session, self.agent)
                plan = self._successor(dialect, before, draft_on(before), rewrite=rewrite)
                try:
                    if dialect.log_folder and plan.finished and not self._passing:
                        plan, log_failure = self._save_and_log(dialect, plan)
                    else:
                        self.store.save(plan)
                    break
                except Conflict:
                    attempts += 1
                    if attempts == MOST_ATTEMPTS:
                        raise
            if heard := bool(self._listeners):
                from todowright.changes import Change

                self._listeners.put(Change(before, plan))
        if heard:
            self._listeners.tell()
        return plan, log_failure

    def _successor(self, dialect: Dialect, before: Plan, draft: Draft, *, rewrite: bool) -> Plan:
        keep = dialect.ids == "kept" or not rewrite
        todos, issued = inherit(before.todos, draft.entries, before.issued, keep=keep)
        return Plan(
            self.session,
            self.agent,
            before.revision + 1,
            todos,
            draft.summary,
            self._clock(),
            issued,
            before.log,
        )

    def _save_and_log(self, dialect: Dialect, plan: Plan) -> tuple[Plan, str]:
        """Save a finished plan and log it. The log's failure is told, not raised."""
        from pathlib import Path

        from todowright.completion_log import CompletionLog

        assert dialect.log_block is not None
        assert plan.updated_at is not None
        log = CompletionLog(Path(self.root), dialect.log_folder)
        block, moment = dialect.log_block, plan.updated_at.astimezone()
        failure = ""
        with ExitStack() as held:
            try:
                held.enter_context(log.locked())
                names = [plan.log, *(other.log for other in self.store.plans(plan.session))]
                plan = replace(plan, log=log.name(names, moment))
            except OSError as error:
                failure = _reason(error)
            self.store.save(plan)
            if not failure:
                try:
                    log.append(plan.log, moment, lambda title: block(plan, title))
                except OSError as error:
                    failure = _reason(error)
        return plan, failure

    def _accepted(self, dialect: Dialect, plan: Plan, call: Call) -> Reply:
        try:
            return (dialect.accept or render.accept)(dialect, plan, call)
        except Exception:  # a dialect's own words failed; the plan is kept all the same
            log_exception("a dialect could not word its reply")
            return Reply("The list was updated.", display="The list was updated.")

    def _rejected(
        self, dialect: Dialect, issues: tuple[Issue, ...], arguments: object, started: float
    ) -> Reply:
        call = Call(arguments, self.plan, perf_counter() - started)
        return (dialect.reject or render.reject)(dialect, issues, call)

    def _failed(self, error: Exception, arguments: object, started: float) -> Reply:
        """Something broke that is not the model's fault: the plan is as it was."""
        log_exception("a plan call failed")
        dialect = self.dialect
        issues = (Issue("internal", value=_reason(error)),)
        try:
            plan = self.plan
        except Exception:
            plan = Plan(self.session, self.agent)
        try:
            call = Call(arguments, plan, perf_counter() - started)
            return (dialect.reject or render.reject)(dialect, issues, call)
        except Exception:
            text = f"Error: {render.PLAIN.say(issues[0])}"
            return Reply(text, display=text, is_error=True, issues=issues)


def _decoded(arguments: object) -> tuple[object, Issue | None]:
    """The arguments, parsed if they came as JSON text."""
    if not (arguments is None or isinstance(arguments, (str, bytes))):
        return arguments, None
    if not arguments or not arguments.strip():
        return None, Issue("no_argument")
    try:
        return json.loads(arguments), None
    except (ValueError, RecursionError):
        return None, Issue("not_json")


def _reason(error: Exception) -> str:
    """Why something failed, in a few harmless words."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, (OSError, TodowrightError)):
        return clip(harmless(str(error)), 200)
    return type(error).__name__
