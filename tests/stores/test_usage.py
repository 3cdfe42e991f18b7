"""What requests took, beside the plans of a store: copies, old files, what cannot be counted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from todowright import MemoryStore, TodoWrite
from todowright.cli import main
from todowright.stores.sqlite import SQLiteStore
from todowright.stores.sqlite_file import SCHEMA
from todowright.stores.usage import ModelRequest, Usage, beside_plans, total
from todowright.testing import plan, request


def one(text: str) -> dict[str, Any]:
    return {"todos": [{"content": text}]}


def tables(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as rows:
        assert rows.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
        return {name for (name,) in rows.execute("SELECT name FROM sqlite_master")}


def test_a_file_gets_its_tables_with_the_first_count_and_keeps_its_schema(tmp_path: Path) -> None:
    """So a release that knows nothing of usage goes on with the file, also if it has it open."""
    path = tmp_path / "plans.db"
    todo = TodoWrite("twostate", store=SQLiteStore(path))
    todo(one("before"))
    store = SQLiteStore(path)
    assert list(store.usage("default")) == []
    store.forget("default", "nobody")
    assert "usage" not in tables(path)
    store.count_requests([request("one", session="default")])
    assert {"usage", "usage_request"} <= tables(path)
    assert not todo(one("after")).is_error
    assert todo.plan.revision == 2
    assert [each.requests for each in store.usage("default")] == [1]
    for each in (store, todo.store):
        each.close()


def test_backup_restore_check_and_prune_keep_what_was_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, copy = tmp_path / "plans.db", tmp_path / "copy.db"
    url = f"sqlite:///{path}"
    store = SQLiteStore(path)
    for revision in range(1, 6):
        store.save(plan(revision, f"x{revision}"))
    store.count_requests([request("one"), request("two", agent="a/b")])
    kept = list(store.usage("s"))
    assert main(["backup", str(copy), "--store", url]) == 0
    assert main(["prune", "--keep-last", "1", "--store", url]) == 0
    assert list(store.usage("s")) == kept
    store.forget("s", "a")
    assert list(store.usage("s")) == []
    store.close()
    assert main(["restore", str(copy), "--store", url]) == 0
    assert main(["check", "--store", url]) == 0
    capsys.readouterr()
    restored = SQLiteStore(path)
    restored.count_requests([request("one")])
    assert list(restored.usage("s")) == kept
    restored.close()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"input": -1}, "input must be how many tokens, not -1"),
        ({"output": True}, "output must be how many tokens, not True"),
        ({"output": 1.5}, "output must be how many tokens, not 1.5"),
        ({"input": 10**12}, "input must be how many tokens"),
        ({"input": 5, "cached": 6}, "input counts the cached tokens, too"),
        ({"cost": -0.1}, "cost must be dollars or None, not -0.1"),
        ({"cost": float("nan")}, "cost must be dollars or None, not nan"),
        ({"cost": "1"}, "cost must be dollars or None, not 1"),
        ({"at": datetime(2026, 1, 1)}, "at must have a time zone"),
        ({"model": 5}, "model must be a str, not 5"),
        ({"id": None}, "id must be a str, not None"),
        ({"session": 5}, "session must be a str, not 5"),
        ({"agent": None}, "agent must be a str, not None"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises((ValueError, TypeError), match=told):
        ModelRequest(**{"session": "s", "agent": "a", **wrong})


def test_a_model_with_half_a_character_is_kept(tmp_path: Path) -> None:
    for store in (MemoryStore(), SQLiteStore(tmp_path / "plans.db")):
        store.count_requests([ModelRequest(session="s", agent="a", model="x\ud800")])
        assert [each.model for each in store.usage("s")] == ["x?"]
        store.close()


def test_what_sub_agents_without_a_plan_took_counts_with_who_they_work_for() -> None:
    found = [Usage(agent, "m", 1) for agent in ("main", "main/a", "main/a/b", "main/c", "x")]
    beside = beside_plans(found, ["main", "main/a"])
    assert {agent: [each.agent for each in part] for agent, part in beside.items()} == {
        "main": ["main", "main/c", "x"],
        "main/a": ["main/a", "main/a/b"],
    }
    assert total([]) is None
    assert total(found) == Usage("", "m", 5)
