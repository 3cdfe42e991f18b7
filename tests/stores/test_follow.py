"""Following a store: what is deleted, and a store that begins anew."""

from __future__ import annotations

import time
from pathlib import Path

from todowright import MemoryStore, TodoWrite, follow
from todowright.stores import Store, open_store


def write(store: Store, steps: list[str], agent: str = "main") -> None:
    TodoWrite("lean", store=store, agent=agent)({"steps": steps}, tool="plan")


def test_what_was_forgotten_before_it_was_read_does_not_keep_a_follower_busy() -> None:
    looks = 0

    class Counting(MemoryStore):
        def wait(self, number: int, timeout: float) -> bool:
            nonlocal looks
            looks += 1
            return super().wait(number, timeout)

    store = Counting()
    write(store, ["One"])
    write(store, ["Inner"], agent="main/step-1-abcd")
    store.forget("default", "main/step-1-abcd")
    end = time.monotonic() + 0.4

    seen = list(follow(store, after=1, pause=0.1, until=lambda: time.monotonic() > end))

    assert seen == []
    assert looks < 10


def test_a_store_that_begins_anew_is_followed_from_its_beginning(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/plans.db")
    for number in range(5):
        write(store, [f"Step {number}"])
    last = store.newest()
    for file in tmp_path.glob("plans.db*"):
        file.unlink()
    write(store, ["Anew"])
    end = time.monotonic() + 0.3

    seen = [
        (at, plan.todos[0].content)
        for at, plan in follow(store, after=last, until=lambda: time.monotonic() > end)
    ]

    assert seen == [(1, "Anew")]
    store.close()
