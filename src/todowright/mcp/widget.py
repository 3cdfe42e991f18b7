"""The widget of chat hosts: its page, which copy of it is the newest, and what it asks of the server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any

from todowright.errors import Conflict, Refused
from todowright.names import check_agent, check_session
from todowright.plan.data import Plain, as_data
from todowright.plan.model import MAIN, PERSON, Plan
from todowright.stores import Store
from todowright.tool.person import deeds_of, edit_as_sent

CARRIED = "todowright/plan"
"""Where the result of a call tells its widget whose plan it shows; in `_meta`, which no model reads."""
CHANGED = "the plan has changed meanwhile"
NOT_HERE = "no result in this window shows that plan: ask the agent here for its plan first"
_PARTS = (
    "plan.html",
    "plan.css",
    "bridge.js",
    "draw.js",
    "edits.js",
    "rows.js",
    "sections.js",
    "plan.js",
)
_MOST_PLANS = 500


def page() -> str:
    """The whole page, from the package alone: hosts give it no address from which it could load more."""
    folder = resources.files("todowright.mcp").joinpath("page")
    html, style, *scripts = (folder.joinpath(name).read_text("utf-8") for name in _PARTS)
    script = "".join(scripts)  # in a block: a host may have names of its own
    html = html.replace("<!-- style -->", f"<style>\n{style}</style>")
    return html.replace("<!-- script -->", f'<script>\n"use strict";\n{{\n{script}}}\n</script>')


class Copies:
    """Which copy of the widget is the newest of each plan, in one connection of a host.

    Every call that carries a copy has a number. A copy tells its own when it asks, so that a server
    that was started anew learns them again.
    """

    def __init__(self) -> None:
        self._newest: dict[tuple[str, str], int] = {}
        self._carried: dict[str, None] = {}
        """The sessions whose plans were carried to this host, by this server."""
        self._lock = threading.Lock()

    def new(self, session: str, agent: str) -> int:
        """The number of a call that carries a copy: the milliseconds of now, and never one twice."""
        with self._lock:
            number = max(_now(), self._newest.get((session, agent), 0) + 1)
            self._note(session, agent, number)
            self._carried.pop(session, None)
            self._carried[session] = None
            while len(self._carried) > _MOST_PLANS:
                self._carried.pop(next(iter(self._carried)))
        return number

    def has_carried(self, session: str) -> bool:
        """Whether a result of this connection carried a plan of the session; what a copy tells does not count."""
        return session in self._carried

    def newest(self, session: str, agent: str, told: object = 0) -> int:
        """The newest that is known, once a copy has told its own; 0 where none is."""
        own = told if type(told) is int and 0 < told <= _now() + 1000 else 0
        with self._lock:
            known = self._newest.get((session, agent), 0)
            if own > known:
                self._note(session, agent, own)
        return max(own, known)

    def _note(self, session: str, agent: str, number: int) -> None:
        self._newest.pop((session, agent), None)
        self._newest[session, agent] = number
        while len(self._newest) > _MOST_PLANS:
            self._newest.pop(next(iter(self._newest)))


def view(store: Store, copies: Copies, session: str, given: Mapping[str, Any]) -> Plain:
    """What a copy shows: the plans of its session, what a person may do to them, and the newest copy's number.

    No plans where it has `seen` this version. Raises `BadName`.
    """
    name, agent = _whose(given, session)
    plans = store.plans(name)
    newest = copies.newest(name, agent, given.get("call"))
    version = " ".join(f"{plan.agent}:{plan.revision}:{plan.ended}" for plan in plans)
    told: Plain = {"session": name, "newest": newest, "version": version}
    if version == given.get("seen"):
        return told
    return {**told, "plans": [_shown(store, plan) for plan in plans]}


def edit(
    store: Store, session: str, given: Mapping[str, Any], root: str, is_shown: Callable[[str], bool]
) -> tuple[Plain, str]:
    """Make the edits of the person who sees the widget: the plan that stands then, and why they were not made.

    Like an edit on the board, it is made on the revision that was seen, and told to the agent. Only plans of
    sessions that this window shows are edited.
    """
    name, agent = _whose(given, session)
    plan = store.load(name, agent)
    if not plan.revision:
        return {}, "there is no such plan"
    if not is_shown(name):
        return {}, NOT_HERE
    seen = given.get("revision")
    if type(seen) is not int or seen != plan.revision:
        return {"plan": _shown(store, plan)}, CHANGED
    try:
        made, note = edit_as_sent(store, plan, given.get("edits"), by=PERSON, root=root)
    except Refused as refused:
        return {"plan": _shown(store, plan)}, str(refused)
    except Conflict:
        return {"plan": _shown(store, store.load(name, agent))}, CHANGED
    return {"plan": _shown(store, made), "note": note}, ""


def _shown(store: Store, plan: Plan) -> Plain:
    return {**as_data(plan), "deeds": deeds_of(store, plan)}


def _whose(given: Mapping[str, Any], session: str) -> tuple[str, str]:
    """The session and the agent that a copy names; those of the window where it names none."""
    name, agent = given.get("session") or session, given.get("agent") or MAIN
    return check_session(str(name)), check_agent(str(agent))


def _now() -> int:
    return time.time_ns() // 1_000_000
