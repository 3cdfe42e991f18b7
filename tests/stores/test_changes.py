"""Revisions that are kept as changes: the same plans come back, in a fraction of the room."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.stores.test_sqlite import integrity
from todowright import Plan, StoreError, Todo, TodoWrite, revisions
from todowright.stores.changes import MOST_ON_A_BASE
from todowright.stores.sqlite import SQLiteStore

VERBS = ("Read", "Write", "Fix", "Test", "Move", "Rename", "Document", "Measure", "Review", "Split")
THINGS = ("parser", "login form", "cache", "release notes", "migration", "retry loop", "index")


def said(seed: int) -> list[tuple[str, str]]:
    """Fifty steps in a person's words, each with what is being done."""
    choose = random.Random(seed)
    found = []
    for number in range(50):
        verb, thing = choose.choice(VERBS), choose.choice(THINGS)
        words = f"{verb} the {thing} of module {number} and see that {choose.choice(THINGS)} works"
        found.append((words, f"{verb}ing the {thing} of module {number}"))
    return found


def session_of_50(dialect: str, path: Path) -> int:
    """A session as agents have them: each step is taken up, then finished; now and then one is reworded."""
    steps, statuses = said(7), ["pending"] * 50
    todo = TodoWrite(dialect, store=SQLiteStore(path), root=path.parent)
    for now in range(50):
        for status in ("in_progress", "completed"):
            statuses[now] = status
            if now % 10 == 9 and status == "completed" and now < 49:
                words, active = steps[now + 1]
                steps[now + 1] = (f"{words}, with a test for it", active)
            reply = todo(call_of(dialect, steps, statuses))
            assert not reply.is_error, reply.text
    todo.store.close()
    return todo_revisions(path)


def call_of(dialect: str, steps: list[tuple[str, str]], statuses: list[str]) -> Any:
    rows: list[dict[str, Any]] = [
        {"content": words, "status": done, "activeForm": active}
        for (words, active), done in zip(steps, statuses, strict=True)
    ]
    if dialect == "lean":
        return {"steps": [{name: row[name] for name in ("content", "status")} for row in rows]}
    if dialect == "twostate":
        two = {"in_progress": "pending"}
        rows = [
            {"content": row["content"], "status": two.get(row["status"], row["status"])}
            for row in rows
        ]
    return json.dumps({"todos": rows}) if dialect == "shell" else {"todos": rows}


def todo_revisions(path: Path) -> int:
    store = SQLiteStore(path)
    count = store.load("default", "main").revision
    store.close()
    return count


@pytest.mark.parametrize("dialect", ["smart", "shell", "twostate", "lean"])
def test_a_revision_of_a_plan_of_fifty_takes_at_most_1500_bytes_on_disk(
    tmp_path: Path, dialect: str
) -> None:
    path = tmp_path / "plans.db"
    count = session_of_50(dialect, path)
    assert count >= 50
    size = sum(file.stat().st_size for file in tmp_path.glob("plans.db*"))
    assert size / count <= 1500, size / count
    store = SQLiteStore(path)
    kept = list(revisions(store, "default", "main"))
    store.close()
    assert [plan.revision for plan in kept] == list(range(1, count + 1))
    assert all(len(plan.todos) == 50 for plan in kept)
    assert kept[-1].finished


def todos() -> st.SearchStrategy[tuple[Todo, ...]]:
    texts = st.sampled_from(["", "a", "写测试", "x" * 80, '"', "t7"])
    extras = st.sampled_from([(), (("owner", "Ada"),), (("owner", "Bo"), ("priority", "high"))])
    one = st.builds(
        Todo,
        texts,
        st.sampled_from(["pending", "in_progress", "completed", "cancelled"]),
        texts,
        st.sampled_from(["", "t1", "t2", "t3", "t04", "own", "t٣"]),
        st.integers(0, 12),
        extras,
    )
    return st.lists(one, max_size=14).map(tuple)


@settings(max_examples=60)
@given(st.lists(st.tuples(todos(), st.sampled_from(["", "the whole"])), min_size=1, max_size=8))
def test_whatever_is_saved_comes_back_for_who_saved_it_and_for_who_opens_it_anew(
    tmp_path_factory: pytest.TempPathFactory, lists: list[tuple[tuple[Todo, ...], str]]
) -> None:
    path = tmp_path_factory.mktemp("changes") / "plans.db"
    store = SQLiteStore(path)
    long = tuple(Todo(f"{'long ' * 30}{n}", "pending", "", f"t{n}", n) for n in range(100, 130))
    plans = [
        Plan("s", "a", n, long[: n + 20] + items, summary, dialect="lean", issued=200)
        for n, (items, summary) in enumerate(lists, 1)
    ]
    for plan in plans:
        store.save(plan)
        assert undated(store.load("s", "a")) == plan
    again = SQLiteStore(path)
    for found in (store, again):
        assert [undated(plan) for plan in found.history("s", "a")] == plans
        assert [undated(plan) for _, plan in found.since(0)] == plans
        assert undated(found.load("s", "a")) == plans[-1]
        found.close()


def undated(plan: Plan) -> Plan:
    return replace(plan, updated_at=None)


def long_plan(revision: int, done: int = 0, dialect: str = "lean") -> Plan:
    items = [
        Todo(
            f"Write the module for part {n}", "completed" if n < done else "pending", "", f"t{n}", n
        )
        for n in range(1, 51)
    ]
    return Plan("s", "a", revision, tuple(items), issued=50, dialect=dialect)


def kept_whole(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT revision FROM revision WHERE base <= 0 ORDER BY revision")
        return [revision for (revision,) in rows]


def test_a_base_serves_a_bounded_number_of_revisions(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "plans.db")
    for revision in range(1, MOST_ON_A_BASE + 10):
        store.save(long_plan(revision, revision % 40))
    assert kept_whole(tmp_path / "plans.db") == [1, MOST_ON_A_BASE + 2]
    store.close()


def test_who_saves_on_what_it_never_read_saves_whole_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "plans.db"
    for revision in range(1, 6):
        store = SQLiteStore(path)
        store.save(long_plan(revision, revision))
        store.close()
    assert kept_whole(path) == [1, 2, 3, 4, 5]
    store = SQLiteStore(path)
    assert store.load("s", "a").revision == 5
    store.save(long_plan(6, 6))
    assert kept_whole(path) == [1, 2, 3, 4, 5]
    assert undated(store.load("s", "a")) == long_plan(6, 6)
    store.close()


def test_two_writers_who_know_different_bases_both_save_what_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "plans.db"
    one, other = SQLiteStore(path), SQLiteStore(path)
    plans = [long_plan(revision, revision % 30) for revision in range(1, 40)]
    for plan in plans:
        (one if plan.revision % 3 else other).save(plan)
    for store in (one, other, SQLiteStore(path)):
        assert [undated(plan) for plan in store.history("s", "a")] == plans
        store.close()
    assert integrity(path) == "ok"


def test_a_base_that_is_not_what_it_was_is_not_built_upon(tmp_path: Path) -> None:
    """After a restore, say: the row of the same number has another content."""
    path = tmp_path / "plans.db"
    store = SQLiteStore(path)
    store.save(long_plan(1))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE revision SET todos = replace(todos, 'module', 'chapter')")
    store.save(long_plan(2, 1))
    assert kept_whole(path) == [1, 2]
    assert undated(store.load("s", "a")) == long_plan(2, 1)
    store.close()


def test_rows_of_the_schemas_before_stay_readable_and_are_not_built_upon(tmp_path: Path) -> None:
    path = tmp_path / "plans.db"
    store = SQLiteStore(path)
    store.save(long_plan(1))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE revision SET base = -1")
    store.close()
    assert undated(store.load("s", "a")) == long_plan(1)
    store.save(long_plan(2, 1))
    store.save(long_plan(3, 2))
    assert kept_whole(path) == [1, 2]
    assert [undated(plan) for plan in store.history("s", "a")] == [
        long_plan(1), long_plan(2, 1), long_plan(3, 2),
    ]  # fmt: skip
    store.close()


@pytest.mark.parametrize(
    "spoiled",
    [
        "DELETE FROM revision WHERE revision = 1",
        "UPDATE revision SET base = 0 WHERE revision = 2",
        "UPDATE revision SET base = 2 WHERE revision = 2",
        "UPDATE revision SET todos = '{}' WHERE revision = 2",
        """UPDATE revision SET todos = '{"todos":[[0,51]]}' WHERE revision = 2""",
        """UPDATE revision SET todos = '{"todos":[[-1,1]]}' WHERE revision = 2""",
        """UPDATE revision SET todos = '{"todos":[[0,1,{"1":"blocked"}]]}' WHERE revision = 2""",
        """UPDATE revision SET todos = '{"todos":[[0,1,{"9":"x"}]]}' WHERE revision = 2""",
        """UPDATE revision SET todos = '{"todos":[[0,1,{"t":"x"}]]}' WHERE revision = 2""",
        """UPDATE revision SET todos = '{"todos":[["x"]]}' WHERE revision = 2""",
        """UPDATE revision SET todos = '{"todos":[[0]]}' WHERE revision = 2""",
        """UPDATE revision SET todos = '{"todos":7}' WHERE revision = 2""",
        """UPDATE revision SET todos = '{"todos":[[0,1,7]]}' WHERE revision = 2""",
    ],
)
def test_changes_that_fit_no_base_are_told_as_damage(tmp_path: Path, spoiled: str) -> None:
    path = tmp_path / "plans.db"
    store = SQLiteStore(path)
    store.save(long_plan(1))
    store.save(long_plan(2, 1))
    assert kept_whole(path) == [1]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(spoiled)
    for look in (
        lambda: store.load("s", "a"),
        lambda: store.since(0),
        lambda: store.history("s", "a"),
    ):
        with pytest.raises(StoreError, match="is damaged"):
            look()
    store.close()


def test_a_page_of_history_shares_what_its_plans_have_in_common(tmp_path: Path) -> None:
    """A thousand revisions of fifty items are not fifty thousand todos in memory."""
    store = SQLiteStore(tmp_path / "plans.db")
    for revision in range(1, 201):
        store.save(long_plan(revision, revision % 40))
    found = store.history("s", "a")
    different = {id(todo) for plan in found for todo in plan.todos}
    assert len(found) == 200
    assert len(different) < 200 * 50 / 2
    store.close()
    assert (tmp_path / "plans.db").stat().st_size < 200 * 1500
