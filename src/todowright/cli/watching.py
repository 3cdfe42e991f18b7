"""The live screen of `todowright watch`: one session, or all of them; keys go from one to the other."""

from __future__ import annotations

import time
from datetime import datetime
from itertools import count

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from todowright.cli.box import Line, framed
from todowright.cli.columns import cell_len, cut
from todowright.cli.home import grouped, listed
from todowright.cli.keys import Keys
from todowright.cli.seen import LOOKED, Seen
from todowright.cli.session_lines import Drawing, fitted, headline
from todowright.cli.states import speaks_unicode
from todowright.cli.usage_line import session_usage
from todowright.plan.attention import SessionView
from todowright.plan.model import Plan
from todowright.stores import Store
from todowright.stores.watching import Watcher
from todowright.text import harmless

_FRAME = 0.12
_OFTEN = 1.0
"""Seconds after which what is shown is worked out anew, although nobody wrote: clocks go on."""
_SHARE = 5
"""Working it out takes at most one part in so many of the time."""
_LEAST_HEIGHT, _LEAST_WIDTH = 12, 50
"""Rows and columns from which on the keys are told at the bottom."""


class Watching:
    """What is looked at, and how it is drawn."""

    def __init__(
        self,
        store: Store,
        screen: Console,
        keys: Keys,
        seen: Seen,
        *,
        session: str = "",
        agent: str = "main",
        project: str = "",
        until_finished: bool = False,
    ) -> None:
        self._store, self._screen, self._keys, self._seen = store, screen, keys, seen
        self._session, self._agent, self._project = session, agent, project
        self._until_finished = until_finished
        self._from_all = not session
        self._watcher = Watcher(store)
        self._views: list[SessionView] = []
        self._heard: dict[str, int] = {}
        self._used = ""
        """What the session's requests took."""
        self._now = 0.0
        self._due = self._rested = 0.0
        """When the next look is due: if nobody writes, and if somebody does."""
        self._chosen = ""
        self._scrolled = 0
        self._opened = time.monotonic()
        self._marked = False

    def run(self) -> None:
        """Draw until somebody ends it."""
        screen = self._screen
        with Live(console=screen, auto_refresh=False, vertical_overflow="crop") as live:
            size = screen.size
            for frame in count():
                self._look()
                if any(self._press(key) for key in self._keys.typed()):
                    return
                if screen.size != size:  # a resized terminal has moved what was drawn
                    size = screen.size
                    screen.clear()
                if self._ended():
                    live.update(self._drawn(None), refresh=True)
                    return
                live.update(self._drawn(frame), refresh=True)
                self._store.wait(self._watcher.number, _FRAME)

    def _look(self) -> None:
        """Take in what is new, at once unless that takes long; and once a second in any case."""
        started = time.monotonic()
        moved = not self._watcher.number or self._store.newest() != self._watcher.number
        if started < (self._rested if moved else self._due):
            return
        if moved:
            self._watcher.look()
        self._now = time.time()
        if self._session:
            found = self._watcher.session(self._session, self._now)
            self._views = [found] if found else []
            self._heard = {
                each.agent: self._store.seen(self._session, each.agent)
                for each in (found.agents if found else ())
                if any(edit.state == "sent" for edit in each.record.edits)
            }
            self._used = session_usage(self._store, self._session)
            self._mark_seen()
        else:
            self._views = self._watcher.sessions(self._now)
        self._rested = started + (time.monotonic() - started) * _SHARE
        self._due = max(started + _OFTEN, self._rested)

    def _mark_seen(self) -> None:
        """A session that is on the screen for a moment was looked at."""
        if not self._marked and self._views and time.monotonic() - self._opened >= LOOKED:
            self._seen.mark(self._session, self._now)
            self._marked = True

    def _ended(self) -> bool:
        plan = next((each for each in self._plans() if each.agent == self._agent), Plan())
        return self._until_finished and bool(self._session) and plan.finished

    def _plans(self) -> list[Plan]:
        return [agent.record.plan for view in self._views for agent in view.agents]

    def _drawn(self, frame: int | None) -> RenderableType:
        return self._one(frame) if self._session else self._all()

    def _one(self, frame: int | None) -> RenderableType:
        """One session: its headline, and its plans in a box."""
        width, height = self._screen.size
        told = self._keys_told("q quit", "a all sessions", "↑↓ scroll")
        used = (
            [Text(cut(self._used, width), style="dim")]
            if self._used and height >= _LEAST_HEIGHT
            else []
        )
        rows = height - 4 - len(told) - len(used)
        if not self._views:
            title = Text(cut(harmless(self._session), width), style="bold")
            return Group(title, framed([Line("No tasks.", "dim")], most=width))
        view = self._views[0]
        drawing = Drawing(view, time.time(), frame, self._heard)
        lines = drawing.lines(self._agent) or [Line("No tasks.", "dim")]
        shown, self._scrolled = fitted(lines, max(rows, 1), self._scrolled)
        drawn = framed(shown, most=width, least=min(width, 100))
        box_width = max(cell_len(line) for line in drawn.plain.split("\n"))
        drawn.end = "\n" if told else ""
        return Group(headline(view, self._project, box_width, time.time()), *used, drawn, *told)

    def _all(self) -> RenderableType:
        """All sessions, in groups."""
        width, height = self._screen.size
        groups = grouped(self._views, time.time(), self._seen.moments)
        names = [row.view.session for rows in groups.values() for row in rows]
        if self._chosen not in names:
            self._chosen = names[0] if names and self._keys.there else ""
        sessions = "1 session" if len(names) == 1 else f"{len(names):,} sessions"
        clock = f"live  {datetime.now():%H:%M:%S}"
        title = cut(f"todowright · {sessions}", max(0, width - len(clock) - 2))
        head = Text(title, style="bold", no_wrap=True, overflow="crop")
        head.append(
            " " * max(1, width - cell_len(title) - len(clock)) + clock, style="not bold dim"
        )
        told = self._keys_told("q quit", "↑↓ choose", "Enter open")
        lines = listed(
            groups,
            width,
            rows=max(3, height - 2 - len(told)),
            chosen=self._chosen,
            unicode=speaks_unicode(self._screen.encoding),
        )
        return Group(head, *(lines or [Text("No sessions yet.", style="dim")]), *told)

    def _keys_told(self, *keys: str) -> list[Text]:
        width, height = self._screen.size
        if not self._keys.there or height < _LEAST_HEIGHT or width < _LEAST_WIDTH:
            return []
        return [Text("   ".join(keys), style="dim", no_wrap=True, overflow="crop", end="")]

    def _press(self, key: str) -> bool:
        """Do what a key says; whether that is the end."""
        if key in ("q", "escape"):
            if not self._session or not self._from_all:
                return key == "q"
            self._go("")
        elif key == "a" and self._session:
            self._chosen, self._from_all = self._session, True
            self._go("")
        elif key == "enter" and not self._session and self._chosen:
            self._go(self._chosen)
        elif key in ("up", "down"):
            self._move(1 if key == "down" else -1)
        return False

    def _go(self, session: str) -> None:
        self._session, self._scrolled, self._marked = session, 0, False
        self._opened, self._due = time.monotonic(), 0.0
        self._rested = 0.0
        self._screen.clear()
        self._look()

    def _move(self, by: int) -> None:
        if self._session:
            self._scrolled += by
            return
        groups = grouped(self._views, time.time(), self._seen.moments)
        names = [row.view.session for rows in groups.values() for row in rows]
        if names:
            at = names.index(self._chosen) + by if self._chosen in names else 0
            self._chosen = names[max(0, min(at, len(names) - 1))]
