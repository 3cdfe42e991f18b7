"""One conversation of one agent, for frameworks that have no sessions of their own."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any, ClassVar, Self

from todowright.adapters.frameworks import framework, host_of, say_what_is_missing
from todowright.dialects.dialect import Dialect
from todowright.host import PlanHost, PlanRun
from todowright.plan.changes import Change
from todowright.plan.model import MAIN
from todowright.stores.opening import is_store
from todowright.text import shown
from todowright.tool.todowrite import TodoWrite


class Conversation:
    """The plan of one agent in one conversation, and its run.

    `session` is any text, a thread id say; without one, the plan belongs to this object alone. `options` are those of
    `PlanHost`: `store`, `tail`, `remind_after`, `ask_again`, `verify` and more.
    """

    framework_name: ClassVar[str]

    def __init__(
        self,
        session: str | None = None,
        dialect: str | Dialect = "lean",
        *,
        agent: str = MAIN,
        host: PlanHost | None = None,
        without: Collection[str] = (),
        **options: Any,
    ) -> None:
        if isinstance(session, str) and is_store(session):
            raise TypeError(
                f"'{shown(session, 60)}' is a store, not a conversation: use store='{shown(session, 60)}'"
            )
        if host is None:
            say_what_is_missing(framework(self.framework_name), without)
        self.host = host or host_of(self, dialect, **options)
        self._changes: list[Change] = []
        self.current: PlanRun = self.host.begin(session, agent)
        self.session = self.current.todo.session
        self.agent = self.current.todo.agent
        self.names = self.host.names

    def begin(self) -> PlanRun:
        """Begin a run: reminders and the guard count anew, the plan goes on. A sub-agent begins with an empty plan."""
        self._changes += self.current.changes()
        if "/" in self.agent:
            self.close()
            self.agent = _another(self.agent)
        self.current = self.host.begin(self.session, self.agent)
        return self.current

    @property
    def todo(self) -> TodoWrite:
        """The tool itself, for a program that edits the plan."""
        return self.current.todo

    def changes(self) -> list[Any]:
        """What became of the plan since this was last asked, as `plan_event` has it or as `event` says."""
        taken, self._changes = [*self._changes, *self.current.changes()], []
        return [self.host.event(change) for change in taken]

    def subagent(self, label: str = "task") -> Self:
        """The same for a sub-agent, with a plan of its own: `with plan.subagent("review") as child: …`."""
        return type(self)(self.session, agent=_another(f"{self.agent}/{label}-0"), host=self.host)

    def close(self) -> None:
        """The run is over: the plan of a sub-agent ends, that of a session stays."""
        self.host.end(self.session, self.agent)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _another(agent: str) -> str:
    """A name that no agent had, for another run of a sub-agent."""
    return f"{agent.rpartition('-')[0]}-{os.urandom(4).hex()}"
