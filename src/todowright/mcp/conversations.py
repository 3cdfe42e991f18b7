"""Which session and which agent a call belongs to, for the calls of one window of a host."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple

from todowright.dialects.dialect import Dialect
from todowright.host.identity import (
    Caller,
    Sessions,
    Window,
    identify,
    mark_of,
    project_slug,
)
from todowright.host.records import Records
from todowright.mcp.widget import Copies
from todowright.plan.model import MAIN, Plan
from todowright.stores import Store
from todowright.stores.memory import MemoryStore
from todowright.text import as_sent
from todowright.tool.todowrite import TodoWrite

_MOST_KNOWN = 200
_MOST_LOOKED_AT = 50
_UNFINISHED_FOR = timedelta(days=7)
"""How long an unfinished plan of a folder is thought of."""
_MARKED = "0123456789abcdef"
_ONE_AT_A_TIME = ("claude", "gemini", "qwen")
"""Hosts whose process has one conversation: a new one comes after the former, not beside it."""


class Place(NamedTuple):
    """Where a call belongs."""

    session: str
    agent: str
    caller: Caller
    taken_up: bool = False
    """Whether this call asked for an unfinished plan of the folder."""


class Conversations:
    """Gives each call its session and agent; remembers what it found, within bounds."""

    def __init__(
        self,
        store: Store,
        dialect: Dialect,
        window: Window,
        records: Records,
        *,
        session: str | None = None,
        agent: str = MAIN,
        otherwise: str = "",
    ) -> None:
        self.window = window
        self.copies = Copies()
        self._otherwise = otherwise
        """The session where the host names no conversation; empty where the folder is to tell it."""
        self._store = store
        self._dialect = dialect
        self._records = records
        self._sessions = Sessions(store, records)
        self._session, self._agent = session, agent
        self._known: dict[tuple[str, str], str] = {}
        """The sessions of conversations that the host named."""
        self._bound = ""
        """The session of this window, where the host names no conversation."""
        self._taken_up = False
        self._lock = threading.Lock()

    def place(self, tool: str, arguments: dict[str, Any], meta: Mapping[str, Any]) -> Place:
        """Where a call belongs; what only tells that is taken out of its arguments."""
        caller = identify(self.window, self._records, tool, arguments, meta)
        with self._lock:
            self._taken_up = False
            if self._session is not None:
                session = self._session
            elif caller.sure and caller.conversation:
                session = self._named(caller, tool, arguments)
            else:
                session = self._unnamed(caller, tool, arguments)
            taken_up = self._taken_up and _asks_for(arguments)
        agent = self._sessions.agent(caller, session) if caller.agent else self._agent
        return Place(session, agent, caller, taken_up)

    def own_session(self, meta: Mapping[str, Any] | None = None) -> str:
        """The session of this window, as far as it is known without a call of the plan's tools."""
        return self.place("", {}, meta or {}).session

    def is_shown(self, session: str, meta: Mapping[str, Any]) -> bool:
        """Whether this window shows a session: a result carried its plan, or it is of a conversation of the window."""
        if self.copies.has_carried(session) or session == self.own_session(meta):
            return True
        with self._lock:
            return session in self._known.values()

    def of_caller(self, caller: Caller) -> Place:
        """Where a conversation belongs whose host names it, without a call."""
        with self._lock:
            session = self._session or self._named(caller, "", {})
        return Place(session, self._sessions.agent(caller, session), caller)

    # A conversation that the host names.

    def _named(self, caller: Caller, tool: str, arguments: Mapping[str, Any]) -> str:
        key = (caller.host, caller.conversation)
        if found := self._known.get(key):
            return found
        words = first_words(arguments)
        session = self._sessions.find(caller)
        if not session and not (caller.agent or self._otherwise) and _asks_for(arguments):
            plan = self._fitting(caller, tool, arguments, any_host=True)
            if plan is not None:
                session = plan.session
                self._sessions.take_up(caller, session)
        if not session:
            titled = caller if caller.title else caller._replace(title=self._title())
            elsewhere = caller.folder if self._otherwise else ""  # over HTTP, of any folder
            session = self._sessions.name(titled, elsewhere or self.window.folder, words)
            if not (titled.title or words):
                if arguments:
                    self._hold(session, caller)
                return session
        self._known[key] = session
        while len(self._known) > _MOST_KNOWN:
            self._known.pop(next(iter(self._known)))
        self._hold(session, caller)
        return session

    # A window whose host names none.

    def _unnamed(self, caller: Caller, tool: str, arguments: Mapping[str, Any]) -> str:
        if self._bound or self._otherwise:
            return self._bound or self._otherwise
        key = f"window {self.window.mark}"
        session = self._records.kept_name(key) if self.window.mark else ""
        if not session and caller.conversation:
            session = self._sessions.find(caller)
        if not session:
            plan = self._fitting(caller, tool, arguments)
            session = plan.session if plan is not None else ""
        if not session:
            words = first_words(arguments) or self._title()
            own = caller if caller.conversation else caller._replace(conversation=self.window.mark)
            session = self._sessions.name(own, self.window.folder, words)
            if not words:
                return session
        if self.window.mark:
            self._records.rename(key, session)
        self._hold(session, caller)
        self._bound = session
        return session

    def _title(self) -> str:
        note = self._records.of_host(self.window.pids, self.window.host)
        return note.title if note else ""

    def _hold(self, session: str, caller: Caller) -> bool:
        if not self.window.pid:
            return self._free(session, caller)
        return self._records.hold(session, self.window.pid, _beside_others(caller))

    def _free(self, session: str, caller: Caller) -> bool:
        return self._records.is_free(session, self.window.pid, _beside_others(caller))

    # Unfinished plans of the folder.

    def unfinished(self, *, any_host: bool = False) -> list[Plan]:
        """The unfinished plans of this user in this folder, the latest first."""
        project, now, found = project_slug(self.window.folder), datetime.now(UTC), list[Plan]()
        late = now - _UNFINISHED_FOR
        names = (
            name
            for name in reversed(self._store.sessions())
            if name.startswith(f"{project}-")
            and (any_host or f"-{self.window.host}-" in name)
            and _is_marked(name)
            and self._sessions.is_own(name)
        )
        for name in islice(names, _MOST_LOOKED_AT):
            plan = self._store.load(name, MAIN)
            if plan.open and plan.updated_at is not None and late < plan.updated_at <= now:
                found.append(plan)
        return sorted(found, key=lambda plan: plan.updated_at or late, reverse=True)

    def _fitting(
        self, caller: Caller, tool: str, arguments: Mapping[str, Any], *, any_host: bool = False
    ) -> Plan | None:
        """The latest unfinished plan that this call goes on with, taken for this conversation."""
        if not arguments:
            return None
        for plan in self.unfinished(any_host=any_host):
            if self._goes_on(plan, tool, arguments) and self._hold(plan.session, caller):
                self._taken_up = True
                return plan
        return None

    def _goes_on(self, plan: Plan, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a call is about the steps of a plan: tried on a copy, or by the steps that it repeats."""
        sent = texts_in(arguments)
        if tool == self._dialect.tools[0].name and sent:
            known, again = {_plain(todo.content) for todo in plan.todos}, set(map(_plain, sent))
            return 2 * len(known & again) > max(len(known), len(again))
        copy = MemoryStore()
        copy.take(plan)
        with TodoWrite(self._dialect, store=copy, session=plan.session) as todo:
            return not todo(dict(arguments), tool=tool).is_error

    def left_over(self, place: Place) -> Plan | None:
        """The latest unfinished plan of this folder that is another conversation's, and that nobody works on."""
        plans = self.unfinished(any_host=True)
        others = (plan for plan in plans if plan.session != place.session)
        return next((plan for plan in others if self._free(plan.session, place.caller)), None)

    def offer(self, place: Place) -> str:
        """A sentence on an unfinished plan of this folder, for a conversation that has none; or nothing."""
        if place.agent != MAIN or self._session is not None or self._otherwise:
            return ""
        plan = self.left_over(place)
        if plan is None:
            return ""
        step = _json(_beginning((plan.current or plan.open[0]).content))
        done, total = plan.progress
        return f'Unfinished in this folder: {done}/{total} done, next {step}. To take it up: {{"now": {step}}}.'  # fmt: skip


def texts_in(arguments: Mapping[str, Any]) -> list[str]:
    """The texts of steps that a call sends as a list, in whatever form."""
    lists = [value for value in arguments.values() if isinstance(value, list)]
    return list(_texts(each for value in lists for each in value))


def first_words(arguments: Mapping[str, Any]) -> str:
    """What a call is about, by its first step."""
    return next(iter(texts_in(arguments)), "")


def _texts(items: Iterable[object]) -> Iterable[str]:
    for item in items:
        if isinstance(item, dict):
            keys = ("content", "text", "step", "title", "subject")
            item = next((item[key] for key in keys if key in item), None)
        if isinstance(item, str) and item.strip():
            yield item


def _asks_for(arguments: Mapping[str, Any]) -> bool:
    """Whether a call names a step of a plan by its words, and sends no list."""
    now = arguments.get("now")
    return isinstance(now, str) and not now.isdecimal() and not texts_in(arguments)


def _beside_others(caller: Caller) -> str:
    """The conversation, where the process of its host may have others at the same time."""
    return "" if caller.host in _ONE_AT_A_TIME else caller.conversation


def _is_marked(name: str) -> bool:
    mark = name.rpartition("-")[2]
    return len(mark) == len(mark_of("", "")) and not mark.strip(_MARKED)


def _beginning(text: str, most: int = 60) -> str:
    """The first words of a step: enough to name it by."""
    text = as_sent(" ".join(text.split()))
    return text if len(text) <= most else text[:most].rpartition(" ")[0] or text[:most]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _json(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)
