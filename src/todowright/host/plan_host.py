"""The plans of a program's agents, by the ids that the program or its framework has for them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from todowright.dialects import load_dialect
from todowright.dialects.dialect import Dialect, Tool
from todowright.host.plan_run import AROUND, PlanRun, plan_event
from todowright.names import session_name
from todowright.plan.model import MAIN, Plan
from todowright.stores.memory import MemoryStore
from todowright.stores.opening import given_store
from todowright.stores.protocol import Store
from todowright.text import likely, shown
from todowright.tool.given import given_function
from todowright.tool.todowrite import TodoWrite

if TYPE_CHECKING:
    from todowright.plan.changes import Change

SETTINGS = ("store", "tail", "remind_after", "ask_again", "event")
OPTIONS = ("verify", "clock", "environ", "root", "with_news")
"""Settings that are those of `TodoWrite`."""
MOST_RUNS = 1_000
"""Runs that are kept in memory; a plan that is asked for again is read from its store."""


class PlanHost:
    """One for a program: it has the settings, and the run of each agent of each session.

    `session` is any text, a thread id say. Without one, a run gets a name that nobody else has. `options` are
    those of `TodoWrite`: `verify`, `clock`, `environ`, `root`, `with_news`. `event` makes of a change what front ends read:
    a function, or the name of a format, `"ag-ui"` or `"acp"` say. With `None` nobody listens: no events, and `run.changes()` is empty.
    """

    def __init__(
        self,
        dialect: str | Dialect = "lean",
        *,
        store: str | Store = "memory:",
        tail: bool = True,
        remind_after: int = 12,
        ask_again: int = 2,
        event: str | Callable[[Change], Any] | None = plan_event,
        **options: Any,
    ) -> None:
        self.dialect = load_dialect(dialect)
        self.store = given_store(store)
        check_options(options)
        self._settings = {"tail": tail, "remind_after": remind_after, "ask_again": ask_again}
        self._settings["listens"] = event is not None
        event = plan_event if event is None else event
        made = _in_format(event) if isinstance(event, str) else event
        self.event = given_function("event", made, "lambda change: change.plan.to_dict()")
        """What a change becomes in the stream of a framework."""
        self._options = options
        self._runs: OrderedDict[tuple[str, str], PlanRun] = OrderedDict()
        self._lock = threading.Lock()
        trial = PlanRun(TodoWrite(self.dialect, **options), **self._settings)  # type: ignore[arg-type]
        self.tools: tuple[Tool, ...] = trial.tools
        self.names = frozenset(tool.name for tool in self.tools)
        self.prompt = self.dialect.prompt

    def with_prompt(self, system: object) -> str:
        """A system prompt with when to plan behind it, once."""
        said = str(system or "")
        if self.prompt and self.prompt not in said:
            return f"{said}\n\n{self.prompt}" if said else self.prompt
        return said

    def begin(self, session: str | None = None, agent: str = MAIN) -> PlanRun:
        """A new run of an agent, which goes on with the plan that its session has; `run` finds it again."""
        return self._put(_key(session, agent))

    def new_run(self, session: str | None = None, *, label: str = "agent") -> PlanRun:
        """A new run that its caller keeps.

        Inside a run of the same session, `with run.on():`, it is that of a sub-agent with this label: a
        child never gets its parent's plan.
        """
        name, agent = _key(session, MAIN)
        around = AROUND.get()
        if around is not None and around.is_inside(self.store, name):
            agent = f"{around.todo.agent}/{session_name(f'{label}-{uuid4().hex[:8]}')}"
        return self._new((name, agent))

    def run(self, session: str, agent: str = MAIN) -> PlanRun:
        """The run that was begun, or a new one where this process knows of none."""
        key = _key(session, agent)
        with self._lock:
            found = self._runs.get(key)
            if found is not None:
                self._runs.move_to_end(key)
                return found
        return self._put(key)

    def end(self, session: str, agent: str = MAIN) -> None:
        """A run is over: it is forgotten, and the plan of a sub-agent ends. That of a session's agent stays."""
        with self._lock:
            run = self._runs.pop(_key(session, agent), None)
        if run is not None:
            run.close()

    def restore(self, run: PlanRun, saved: Mapping[str, Any] | None) -> None:
        """Make a run's plan the one that somebody else keeps, as `plan.to_dict()`; for plans in memory.

        A plan of another agent is not taken: its plan is then empty.
        """
        if not isinstance(self.store, MemoryStore):
            kind = type(self.store).__name__
            raise TypeError(f"restore is for plans in memory: a {kind} keeps them itself")
        todo = run.todo
        mine = saved if saved is not None and saved.get("agent") == todo.agent else None
        stands = todo.plan.to_dict()
        if (mine or {"todos": []})["todos"] == stands["todos"]:
            return
        if mine is None:
            self.store.forget(todo.session, todo.agent)
        else:
            self.store.take(replace(Plan.from_dict(mine), session=todo.session))
        todo.news()  # that is none: the model knows this plan

    def close(self) -> None:
        """Forget all runs; their plans stay."""
        with self._lock:
            runs, self._runs = list(self._runs.values()), OrderedDict()
        for run in runs:
            run.forget()

    def _new(self, key: tuple[str, str]) -> PlanRun:
        return PlanRun(self._todo(*key), **self._settings)  # type: ignore[arg-type]

    def _put(self, key: tuple[str, str]) -> PlanRun:
        new = self._new(key)
        with self._lock:
            gone = [self._runs.pop(key, None)]
            self._runs[key] = new
            while len(self._runs) > MOST_RUNS:
                gone.append(self._runs.popitem(last=False)[1])
        for run in gone:
            if run is not None:
                run.forget()
        return new

    def _todo(self, session: str, agent: str) -> TodoWrite:
        """The tool of an agent; a sub-agent works for the step that its parent is at."""
        parent, serves = agent.rpartition("/")[0], 0
        if parent:
            now = self.store.load(session, parent).current
            serves = now.number if now else 0
        return TodoWrite(
            self.dialect,
            store=self.store,
            session=session,
            agent=agent,
            serves=serves,
            **{"with_news": True, **self._options},
        )


def check_options(options: Mapping[str, Any], own: Iterable[str] = ()) -> None:
    """Refuse a setting that there is not, before a tool does with a name that its caller never wrote.

    `own` are the settings of who has a host, an adapter say: they are named, too.
    """
    known = tuple(dict.fromkeys((*own, *SETTINGS, *OPTIONS)))
    for name in options:
        if name not in known:
            meant = likely(name, known)
            raise TypeError(f"no setting is called '{shown(name)}': {meant}use {', '.join(known)}")


def _in_format(name: str) -> Callable[[Change], Any]:
    """Writes the plan after a change in a format of other agents and front ends."""
    from todowright.formats import format_named, write_plan

    format_named(name)  # what is misspelt is told now
    return lambda change: write_plan(change.plan, name).payload


def _key(session: str | int | None, agent: str) -> tuple[str, str]:
    """Sound names for any texts; in an agent's, a slash stands between parent and child."""
    if session is None or session == "":  # else all who have no name would share a plan
        session = f"run-{uuid4()}"
    name = session_name(str(session) if isinstance(session, int) else session)
    return name, "/".join(session_name(part) for part in agent.split("/"))
