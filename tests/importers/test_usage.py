"""What requests took, from the files of agents: each request once, beside the plans that they made."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.importers import agents
from tests.importers.agents import TIME, answer, imported, jsonl, todos, use, whole
from todowright import MemoryStore
from todowright.importers import spending
from todowright.importers.bringing import Importer
from todowright.importers.follow import Follower
from todowright.importers.ledger import Ledger
from todowright.stores.protocol import Store
from todowright.stores.usage import Usage

Sum = tuple[str, str, int, int, int, int, float]


def sums(store: Store, session: str = "s1") -> list[Sum]:
    found: list[Usage] = list(store.usage(session))
    return [(u.agent, u.model, u.requests, u.input, u.output, u.cached, u.cost) for u in found]


def line(number: int, written: int, *, stop: str | None = None, **more: Any) -> dict[str, Any]:
    """A line of Claude Code of a request that read 10 + 20 + 70 tokens, 70 of them from the cache."""
    made = use(number, "Read", {"path": "x"}, **more)
    told = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 70,
        "output_tokens": written,
    }
    made["message"] |= {"usage": told, "stop_reason": stop}
    return made


def planned(number: int = 9) -> list[dict[str, Any]]:
    return [
        use(number, "TodoWrite", {"todos": todos("in_progress", "pending")}),
        answer(number, "Todos have been modified successfully."),
    ]


def test_a_message_of_claude_code_in_several_lines_counts_once_with_its_last(
    tmp_path: Path,
) -> None:
    lines = [
        line(1, 1),
        line(1, 5),
        line(1, 30, stop="tool_use"),
        line(2, 4),
        *planned(),
        line(3, 8),
    ]
    store, _ = imported(jsonl(tmp_path / "s1.jsonl", *lines))
    assert sums(store) == [("main", "claude-test", 3, 300, 42, 210, 0.0)]
    assert store.load("s1", "main").revision == 1


def test_an_import_twice_changes_nothing_with_or_without_a_ledger(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "s1.jsonl", *planned(), line(1, 5), line(2, 5))
    ledger = Ledger()
    store, _ = imported(path, ledger=ledger)
    before = sums(store)
    imported(path, store=store, ledger=ledger)
    imported(path, store=store)
    assert sums(store) == before
    with path.open("a") as file:
        file.write(json.dumps(line(3, 5)) + "\n")
    imported(path, store=store, ledger=ledger)
    assert [row[2] for row in sums(store)] == [3]
    ledger.close()


def test_what_a_sub_agent_took_is_its_own_also_if_its_parent_tells_it_again(
    tmp_path: Path,
) -> None:
    inner = line(5, 2)
    told = {
        "type": "progress",
        "sessionId": "s1",
        "data": {"type": "agent_progress", "agentId": "a1", "message": inner},
        "timestamp": TIME.format(5),
    }
    jsonl(tmp_path / "s1.jsonl", *planned(), line(1, 5, stop="end_turn"), told)
    jsonl(tmp_path / "agent-a1.jsonl", line(5, 2, agentId="a1", isSidechain=True))
    store, report = imported(tmp_path)
    assert report.damage == []
    assert [(row[0], row[2]) for row in sums(store)] == [("main", 1), ("main/a1", 1)]


def test_a_cost_that_the_host_tells_is_kept(tmp_path: Path) -> None:
    lines = [*planned(), line(1, 5, costUSD=0.25), line(2, 5, costUSD=0)]
    store, _ = imported(jsonl(tmp_path / "s1.jsonl", *lines))
    (usage,) = store.usage("s1")
    assert (usage.cost, usage.priced, usage.requests) == (0.25, 1, 2)


def test_a_session_without_a_plan_leaves_nothing_and_one_that_gets_it_later_all(
    tmp_path: Path,
) -> None:
    path = jsonl(tmp_path / "s1.jsonl", line(1, 5), line(2, 5))
    store, ledger = MemoryStore(), Ledger()
    imported(path, store=store, ledger=ledger)
    assert sums(store) == []
    jsonl(path, line(1, 5), line(2, 5), *planned())
    imported(path, store=store, ledger=ledger)
    assert [row[2] for row in sums(store)] == [2]
    ledger.close()


def test_a_resumed_session_that_copies_old_lines_counts_them_once(tmp_path: Path) -> None:
    first = jsonl(tmp_path / "a.jsonl", line(1, 5), *planned(), line(2, 5))
    copied = [
        line(1, 5, session="s2"),
        *planned(),
        line(2, 5, session="s2"),
        line(3, 5, session="s2"),
    ]
    copied[1]["sessionId"] = copied[2]["sessionId"] = "s2"
    second = jsonl(tmp_path / "b.jsonl", *copied)
    store, _ = imported(first, second)
    assert [row[2] for row in sums(store)] == [3]
    assert sums(store, "s2") == []


def test_codex_tells_each_request_and_some_of_them_twice(tmp_path: Path) -> None:
    def told(total: int | None, read: int, written: int) -> dict[str, Any]:
        last = {"input_tokens": read, "cached_input_tokens": 5, "output_tokens": written}
        info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": last}
        payload = {"type": "token_count", "info": info if total else None}
        return {"timestamp": TIME.format(3), "type": "event_msg", "payload": payload}

    path = agents.codex(tmp_path / "rollout-c1.jsonl", ("in_progress", "pending"))
    with path.open("a") as file:
        for each in (told(None, 1, 1), told(12, 10, 2), told(12, 10, 2), told(30, 15, 3)):
            file.write(json.dumps(each) + "\n")
    store, _ = imported(path)
    assert sums(store, "c1") == [("main", "gpt-test", 2, 25, 5, 10, 0.0)]
    imported(path, store=store)
    assert [row[2] for row in sums(store, "c1")] == [2]


def about(number: int, cost: float = 0.5, *, whole: bool = True) -> dict[str, Any]:
    """A message of opencode."""
    when = 1_785_578_400_000 + 1000 * number
    return {
        "id": f"msg_{number}",
        "sessionID": "ses_1",
        "role": "assistant",
        "modelID": "model-test",
        "cost": cost,
        "tokens": {"input": 3, "output": 2, "reasoning": 1, "cache": {"read": 90, "write": 7}},
        "time": {"created": when} | ({"completed": when + 5} if whole else {}),
    }


def test_opencode_tells_tokens_and_cost_in_all_three_kinds_of_files(tmp_path: Path) -> None:
    lists = (("in_progress", "pending"), ("completed", "in_progress"))
    messages = [about(1), about(2, 0), about(3, whole=False)]
    storage = agents.opencode_storage(tmp_path, *lists)
    for each in messages:
        whole(storage / "message" / "ses_1" / f"{each['id']}.json", each)
    database = agents.opencode_database(tmp_path / "opencode.db", *lists)
    with closing(sqlite3.connect(database)) as rows, rows:
        for each in messages[:2]:
            rows.execute("UPDATE message SET data = ? WHERE id = ?", (json.dumps(each), each["id"]))
    parts = [[agents.tool_part(n, *each)] for n, each in enumerate(lists, 1)]
    told = [
        {"info": info, "parts": part} for info, part in zip(messages, [*parts, []], strict=True)
    ]
    export = whole(tmp_path / "export.json", {"info": {"id": "ses_1"}, "messages": told})
    for path in (storage, database, export):
        store, report = imported(path)
        assert report.damage == []
        assert sums(store, "ses_1") == [("main", "model-test", 2, 200, 6, 180, 0.5)]
        assert store.usage("ses_1")[0].priced == 1


def test_a_follower_counts_what_comes(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "s1.jsonl", line(1, 5), *planned())
    store, ledger = MemoryStore(), Ledger()
    follower = Follower(Importer(store, ledger), [str(tmp_path)])
    follower.look()
    assert sums(store) == []  # its message may go on
    for number in (2, 3):
        with path.open("a") as file:
            file.write(json.dumps(line(number, 5, stop="tool_use")) + "\n")
        time.sleep(0.01)
        follower._next_search = 0
        follower.look()
        assert [row[2] for row in sums(store)] == [number]
    ledger.close()


def test_a_session_that_was_forgotten_is_counted_no_more(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "s1.jsonl", *planned(), line(1, 5, stop="tool_use"))
    store, ledger = MemoryStore(), Ledger()
    follower = Follower(Importer(store, ledger), [str(tmp_path)])
    follower.look()
    assert [row[2] for row in sums(store)] == [1]
    store.forget("s1", "main")
    with path.open("a") as file:
        file.write(json.dumps(line(2, 5, stop="tool_use")) + "\n")
    time.sleep(0.01)
    follower._next_search = 0
    follower.look()
    assert sums(store) == []
    ledger.close()


@pytest.mark.parametrize(
    "wrong", [{"input_tokens": -5}, {"input_tokens": "7"}, {"input_tokens": 1e300}, {"input_tokens": 10**40}, [], "x"]
)  # fmt: skip
def test_numbers_that_cannot_be_cost_no_call(tmp_path: Path, wrong: Any) -> None:
    odd = line(1, 5)
    odd["message"]["usage"] = wrong
    most = line(2, 10**10)
    most["message"]["usage"] |= dict.fromkeys(most["message"]["usage"], 10**10)
    store, report = imported(jsonl(tmp_path / "s1.jsonl", odd, most, *planned()))
    assert (report.new, report.damage) == (1, [])
    assert [row[2:5] for row in sums(store)] == [(1, 10**10, 10**10)]


def test_requests_that_wait_for_a_plan_are_kept_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spending, "MOST_WAITING", 3)
    for name in ("a", "b"):
        jsonl(tmp_path / f"{name}.jsonl", *[line(n, 5, session=name) for n in range(1, 4)])
        time.sleep(0.01)
    late = planned()
    for each in late:
        each["sessionId"] = "b"
    jsonl(tmp_path / "c.jsonl", *late)
    store, _ = imported(tmp_path)
    assert [row[2] for row in sums(store, "b")] == [3]
