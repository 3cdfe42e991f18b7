"""All sessions of a store as they stand: read once, then only what came since."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from todowright import TodoWrite
from todowright.stores import open_store
from todowright.stores.memory import MemoryStore
from todowright.stores.watching import Watcher


class Counting(MemoryStore):
    """A store that counts the revisions that are read of it."""

    read = 0

    def since(self, number: int, **page: Any) -> Any:
        found = super().since(number, **page)
        self.read += len(found)
        return found


def test_only_what_came_since_is_read_again() -> None:
    store = Counting()
    todos = [TodoWrite("lean", store=store, session=f"s{n}") for n in range(20)]
    for todo in todos:
        todo({"steps": ["One", "Two"]}, tool="plan")
    watcher = Watcher(store)
    watcher.look()
    assert len(watcher.sessions()) == 20
    store.read = 0
    todos[3]({"step": 1}, tool="done")
    before = watcher.number
    watcher.look()
    assert store.read == 1
    [moved] = watcher.sessions(after=before)
    assert (moved.session, moved.steps) == ("s3", "dn")


def test_who_became_stuck_by_itself_is_told_with_what_moved() -> None:
    store = MemoryStore()
    TodoWrite("lean", store=store, session="slow")({"steps": ["One"]}, tool="plan")
    TodoWrite("lean", store=store, session="done")({"steps": []}, tool="plan")
    watcher = Watcher(store)
    watcher.look()
    then, number = time.time(), watcher.number
    assert watcher.sessions(then + 60, after=number, since=then) == []
    [stuck] = watcher.sessions(then + 700, after=number, since=then)
    assert (stuck.session, stuck.state) == ("slow", "needs_you")
    assert watcher.sessions(then + 800, after=number, since=then + 700) == []


def test_usual_times_come_from_finished_steps_of_agents_of_that_name() -> None:
    store = MemoryStore()
    todo = TodoWrite("lean", store=store, session="a")
    todo({"steps": [f"Step {n}" for n in range(1, 9)]}, tool="plan")
    watcher = Watcher(store)
    watcher.look()
    assert watcher.sessions()[0].agents[0].usual is None
    for step in range(1, 7):
        todo({"step": step}, tool="done")
    watcher.look()
    usual = watcher.sessions()[0].agents[0].usual
    assert usual is not None
    assert 0 <= usual < 60


def test_a_long_past_is_not_read_whole_but_the_step_in_hand_is_known() -> None:
    store = Counting(keep=500)
    todo = TodoWrite("lean", store=store, session="a")
    todo({"steps": ["One", "Two"]}, tool="plan")
    began = time.time()
    for n in range(60):
        todo({"step": 2, "text": f"Two {n}"}, tool="change")
    store.read = 0
    watcher = Watcher(store, back=10)
    watcher.look()
    assert store.read <= 10
    view = watcher.session("a")
    assert view is not None
    assert view.now is not None
    assert view.now.on_since is not None
    assert view.now.on_since <= began


def test_deleted_sessions_and_stores_that_begin_anew_are_forgotten(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/plans.db")
    for name in ("stays", "goes"):
        TodoWrite("lean", store=store, session=name)({"steps": ["One"]}, tool="plan")
    watcher = Watcher(store)
    watcher.look()
    store.forget("goes", "main")
    watcher.look()
    assert [each.session for each in watcher.sessions()] == ["stays"]
    assert watcher.session("goes") is None
    store.close()
