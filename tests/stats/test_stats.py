"""What plans say is counted right, and told as text, JSON and a page that needs nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.importers import agents
from tests.importers.agents import claude, jsonl, todos, use
from todowright import MemoryStore, Plan, TodoWrite, open_store
from todowright.cli import main
from todowright.stats.gather import stats_of_files, stats_of_store
from todowright.stats.measure import Stats, spread
from todowright.stats.page import page
from todowright.stats.tokens import tokens

P, N, C = "pending", "in_progress", "completed"


def test_items_are_counted_by_what_became_of_them(tmp_path: Path) -> None:
    path = claude(tmp_path / "s1.jsonl", (P, P, P, P, P), (N, P, P, P, P), (C, C, C, C, P), (C, C, C, C, N))  # fmt: skip
    with path.open("a") as file:
        dropped = {"todos": [*todos(C, C, C, C), {"content": "Another thing altogether", "status": N, "activeForm": "x"}]}  # fmt: skip
        file.write(json.dumps(use(9, "TodoWrite", dropped)) + "\n")
    stats, report = stats_of_files([str(path)])
    assert (report.new, stats.calls, stats.updates) == (5, 5, 5)
    assert (stats.sessions, stats.plans, stats.finished) == (1, 1, 0)
    assert (stats.items, stats.completed, stats.dropped, stats.left) == (6, 4, 1, 1)
    assert (stats.batches, stats.batched, stats.jumps, stats.stuck) == (1, 4, 3, 1)
    assert stats.rounds == [1, 1, 1, 1]
    assert stats.seconds == [1.0]
    assert stats.models == {"claude-test": 5}


def test_a_plan_that_never_had_a_step_is_not_counted_as_finished(tmp_path: Path) -> None:
    store = MemoryStore()
    store.save(Plan("empty", revision=1))
    TodoWrite("twostate", store=store, session="s1")({"todos": [{"content": "One"}]})
    stats = stats_of_store(store)
    assert (stats.sessions, stats.plans, stats.finished) == (1, 1, 0)


def test_calls_whose_times_nobody_knows_do_not_tell_how_long_an_item_took(tmp_path: Path) -> None:
    entries = [
        {"session_id": "h", "hook_event_name": "PreToolUse", "tool_name": "TodoWrite", "tool_input": {"todos": todos(*each)}}
        for each in [(P, P), (N, P), (C, N), (C, C)]
    ]  # fmt: skip
    stats, report = stats_of_files([str(agents.whole(tmp_path / "log.json", entries))])
    assert (report.new, stats.completed, stats.jumps) == (4, 2, 0)
    assert stats.seconds == []


def test_an_item_that_stays_in_progress_over_many_updates_is_stuck(tmp_path: Path) -> None:
    lists = [(N, *([C] * n), *([P] * (10 - n))) for n in range(11)]
    stats, _ = stats_of_files([str(claude(tmp_path / "s1.jsonl", *lists, (C,) * 11))])
    assert (stats.stuck, stats.finished) == (1, 1)


def test_lean_says_the_same_in_fewer_tokens_and_copies_count_once(tmp_path: Path) -> None:
    lists = [tuple(C if n < done else N if n == done else P for n in range(8)) for done in range(9)]
    claude(tmp_path / "a.jsonl", *lists)
    claude(tmp_path / "b.jsonl", *lists, session="copy")
    stats, _ = stats_of_files([str(tmp_path)])
    assert (stats.sessions, stats.calls) == (1, 9)
    assert 0 < stats.lean_of_all < stats.sent / 2
    assert stats.lean_calls == 9


def test_a_store_is_counted_without_its_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    url = f"sqlite:///{tmp_path}/plans.db"
    store = open_store(url)
    todo = TodoWrite("lean", store=store, session="one")
    todo({"steps": ["Read it", "Write it"]}, tool="plan")
    todo({"finished": ["Read it", "Write it"]}, tool="done")
    store.close()
    assert main(["stats", "--store", url, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["items"], found["completed"], found["jumps_to_completed"]) == (2, 2, 1)
    assert found["tokens"]["of"] == "whole lists, one for each update"
    assert main(["stats", "--store", url, "--session", "another"]) == 1
    assert "nothing to count in session another" in capsys.readouterr().out


def test_the_command_tells_it_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agents.codex(tmp_path / "rollout-c1.jsonl", (P, P), (N, P), (C, N), (C, C))
    assert main(["stats", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert told.startswith(
        "1 session, 1 plan, 4 updates\n        100%  of the plans had nothing open"
    )
    assert "100%  of them completed" in told
    assert "rounds between two updates in the middle" in told
    assert re.search(r"in lean, \d+% of that", told)


def test_the_page_needs_nothing_else_and_is_well_formed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    jsonl(tmp_path / "s1.jsonl", use(1, "TodoWrite", {"todos": todos(P, N)}), use(2, "TodoWrite", {"todos": todos(C, N)}))  # fmt: skip
    path = tmp_path / "report.html"
    assert main(["stats", str(tmp_path), "--html", str(path)]) == 0
    text = path.read_text("utf-8")
    assert capsys.readouterr().out == f"Wrote {path}.\n"
    assert not re.search(r"<script|https?://|url\(|@import|<link|<img", text)
    assert "prefers-color-scheme:dark" in text
    for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        drawn = ElementTree.fromstring(svg)
        assert drawn.get("role") == "img"
        assert ": " in (drawn.get("aria-label") or "")


def test_names_from_files_cannot_break_the_page() -> None:
    stats = Stats(sessions=1, updates=1, items=1, completed=1)
    stats.models['<script>alert(1)</script>"'] = 1
    text = page(stats, "<b>&")
    assert "<script" not in text
    assert "<b>&amp;" not in text


def test_tokens_are_about_right_in_english_json_and_chinese() -> None:
    for text, counted in (  # in cl100k
        ("Refactor the authentication module and add unit tests for it", 11),
        (
            '{"todos":[{"content":"Add tests","status":"in_progress","activeForm":"Adding tests"}]}',
            20,
        ),
        ("重构认证模块并补充单元测试，然后更新文档", 22),
    ):
        assert 0.7 < tokens(text) / counted < 1.4
    assert tokens("") == 0
    assert spread([]) is None
    assert spread([3]) == {"p50": 3, "p90": 3, "max": 3}
