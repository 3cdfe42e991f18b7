"""An import is the same twice, takes only what is new, and is stopped by no file."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.importers import agents
from tests.importers.agents import claude, imported, jsonl, shape, todos, use
from todowright import MemoryStore, open_store, revisions
from todowright.cli import main
from todowright.importers.bringing import FAILED, Importer, bring
from todowright.importers.documents import pieces
from todowright.importers.found import Damage, Found
from todowright.importers.ledger import Ledger
from todowright.importers.mirror import mirror
from todowright.importers.reading import calls_in
from todowright.names import check_session
from todowright.stores.watching import Watcher

P, N, C = "pending", "in_progress", "completed"


def found_in(path: Path) -> tuple[list[Found], list[Damage]]:
    every = list(calls_in(str(path)))
    calls = [each for each in every if isinstance(each, Found)]
    return calls, [each for each in every if isinstance(each, Damage)]


def test_a_second_import_changes_nothing_and_reads_no_file_again(tmp_path: Path) -> None:
    claude(tmp_path / "a" / "s1.jsonl", (P, P), (C, N))
    agents.codex(tmp_path / "a" / "rollout-c1.jsonl", (N,), (C,))
    store, ledger = MemoryStore(), Ledger()
    imported(tmp_path, store=store, ledger=ledger)
    newest = store.newest()
    _, again = imported(tmp_path, store=store, ledger=ledger)
    assert (again.new, again.files, again.unchanged, store.newest()) == (0, 0, 2, newest)
    _, without_ledger = imported(tmp_path, store=store)
    assert (without_ledger.new, store.newest()) == (0, newest)
    ledger.close()


def test_the_first_command_in_a_new_project_may_be_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    claude(tmp_path / "files" / "s1.jsonl", (P, P), (C, N))
    (tmp_path / "project" / ".git").mkdir(parents=True)
    monkeypatch.delenv("TODOWRIGHT_STORE", raising=False)
    monkeypatch.chdir(tmp_path / "project")
    assert main(["import", str(tmp_path / "files")]) == 0
    assert (tmp_path / "project" / ".todowright" / ".gitignore").read_text() == "*\n"
    capsys.readouterr()
    assert (
        main(["show", "--format", "recap"]) == 0
    )  # no session is called default: the one there is
    assert "1/2" in capsys.readouterr().out


def test_a_file_that_has_grown_brings_only_what_is_new(tmp_path: Path) -> None:
    path = claude(tmp_path / "s1.jsonl", (P, P))
    store, ledger = MemoryStore(), Ledger()
    imported(path, store=store, ledger=ledger)
    more = claude(tmp_path / "more", (C, N), (C, C), first=2)
    with path.open("a") as file:
        file.write(more.read_text())
    _, report = imported(path, store=store, ledger=ledger)
    assert (report.calls, report.new) == (3, 2)
    assert len(list(revisions(store, "s1", "main"))) == 3
    ledger.close()


def test_a_resumed_session_that_copies_old_calls_goes_on_with_the_old_one(tmp_path: Path) -> None:
    claude(tmp_path / "a.jsonl", (P, P), (N, P), session="old")
    path = claude(tmp_path / "b.jsonl", (P, P), (N, P), (C, N), session="new")
    os.utime(tmp_path / "a.jsonl", (1_700_000_000, 1_700_000_000))
    store, report = imported(tmp_path)
    assert (report.calls, report.new) == (5, 3)
    assert list(store.sessions()) == ["old"]
    assert shape(store.load("old", "main")) == [("Step 1", C), ("Step 2", N)]
    assert imported(path, store=store)[1].calls == 3


def test_ids_that_a_model_only_counts_belong_to_their_session(tmp_path: Path) -> None:
    for name in ("a", "b"):
        path = claude(tmp_path / f"{name}.jsonl", (P, P), (C, N), session=name)
        path.write_text(path.read_text().replace("toolu_01Abc456Def789", "functions.TodoWrite:"))
    store, report = imported(tmp_path)
    assert report.new == 4
    assert list(store.sessions()) == ["a", "b"]


def test_a_list_in_a_file_that_becomes_what_it_was_before_is_taken_again(tmp_path: Path) -> None:
    path = tmp_path / "todos" / "s1-agent-s1.json"
    store, ledger = MemoryStore(), Ledger()
    for moment, statuses in enumerate([(P, P), (C, N), (P, P)]):
        agents.whole(path, todos(*statuses))
        os.utime(path, (1_785_000_000 + moment, 1_785_000_000 + moment))
        imported(path, store=store, ledger=ledger)
    assert shape(store.load("s1", "main")) == [("Step 1", P), ("Step 2", P)]
    assert len(list(revisions(store, "s1", "main"))) == 3
    ledger.close()


def test_a_session_that_the_store_has_lost_comes_in_again(tmp_path: Path) -> None:
    path = claude(tmp_path / "s1.jsonl", (P, P), (C, N))
    store, ledger = MemoryStore(), Ledger()
    imported(path, store=store, ledger=ledger)
    store.forget("s1", "main")
    _, report = imported(path, store=store, ledger=ledger)
    assert report.new == 2
    assert shape(store.load("s1", "main")) == [("Step 1", C), ("Step 2", N)]
    ledger.close()


def test_damaged_lines_are_counted_and_named_and_all_others_are_read(tmp_path: Path) -> None:
    path = claude(tmp_path / "s1.jsonl", (P, P), (N, P), (C, N))
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2][: len(lines[2]) // 2] + b"\n"
    lines.insert(3, b'{"TodoWrite": \xff\xfe}\n')
    path.write_bytes(b"".join(lines) + b'{"type":"assistant","TodoWrite')
    store, report = imported(path)
    assert report.new == 2
    assert [line.split(": ")[0] for line in report.damage] == [f"{path}:{n}" for n in (3, 4, 8)]
    assert shape(store.load("s1", "main")) == [("Step 1", C), ("Step 2", N)]


def test_a_character_that_is_none_does_not_cost_its_line(tmp_path: Path) -> None:
    path = claude(tmp_path / "s1.jsonl", (P, N))
    path.write_bytes(path.read_bytes().replace(b"Step 1", b"Step \xff\x01"))
    calls, damage = found_in(path)
    assert (len(calls), damage) == (1, [])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_files_of_other_shells_are_read_too(tmp_path: Path, encoding: str) -> None:
    path = agents.codex(tmp_path / "rollout-c1.jsonl", (N, P), (C, N))
    path.write_text(path.read_text(), encoding)
    assert len(found_in(path)[0]) == 2


def test_packed_files_are_read_up_to_where_they_are_cut_off(tmp_path: Path) -> None:
    path = claude(tmp_path / "s1.jsonl", (P, P), (C, N))
    packed = tmp_path / "s1.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert len(found_in(packed)[0]) == 2
    packed.write_bytes(packed.read_bytes()[:-20])
    calls, damage = found_in(packed)
    assert calls
    assert "cut off" in damage[-1].reason


def test_a_document_that_is_cut_off_gives_what_is_whole(tmp_path: Path) -> None:
    entries = [
        {"session_id": "h", "hook_event_name": "PostToolUse", "tool_name": "TodoWrite", "tool_input": {"todos": todos(P, N)}, "n": n}
        for n in range(5)
    ]  # fmt: skip
    path = agents.whole(tmp_path / "log.json", entries)
    text = path.read_text()
    path.write_text(text[: text.index('"n": 3')])
    calls, damage = found_in(path)
    assert len(calls) == 3
    assert len(damage) == 1
    assert damage[0].line > 60


def test_loops_of_links_pipes_and_forbidden_folders_stop_nothing(tmp_path: Path) -> None:
    claude(tmp_path / "in" / "deep" / "s1.jsonl", (P, N))
    (tmp_path / "in" / "deep" / "up").symlink_to(tmp_path)
    (tmp_path / "in" / "nowhere.jsonl").symlink_to(tmp_path / "gone")
    (tmp_path / "in" / "twice.jsonl").symlink_to(tmp_path / "in" / "deep" / "s1.jsonl")
    os.mkfifo(tmp_path / "in" / "pipe.jsonl")
    _, report = imported(tmp_path / "in")
    assert (report.files, report.new) == (1, 1)
    _, named = imported(tmp_path / "in" / "pipe.jsonl", tmp_path / "missing")
    assert [line.rpartition(": ")[2] for line in named.damage] == [
        "it is no plain file",
        "No such file or directory",
    ]


def test_a_line_without_end_is_told_and_not_kept_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("todowright.importers.sources.LONGEST_LINE", 100_000)
    path = claude(tmp_path / "s1.jsonl", (P, N))
    path.write_bytes(path.read_bytes() + b'{"x":"' + b"TodoWrite " * 500_000 + b'"}\n' + path.read_bytes())  # fmt: skip
    calls, damage = found_in(path)
    assert len(calls) == 2
    assert [each.line for each in damage] == [3]


def test_a_file_that_grows_while_it_is_read_ends(tmp_path: Path) -> None:
    path = claude(tmp_path / "s1.jsonl", *[(P,), (N,), (C,)] * 20)
    calls = 0
    for each in calls_in(str(path)):
        calls += isinstance(each, Found)
        if calls <= 5:
            with path.open("a") as file:
                file.write(json.dumps(use(100 + calls, "TodoWrite", {"todos": todos(P)})) + "\n")
    assert calls >= 60


WORDS = st.sampled_from([b'{"sessionId":"s","type":"assistant"', b"TodoWrite", b'"message":', b"{", b"}", b"[", b"]", b'"', b",", b":", b"\n", b"\\u", b"\xff", b"null", b'"content":[', b'{"type":"tool_use","id":"a","name":"TodoWrite","input":'])  # fmt: skip


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(WORDS, max_size=40).map(b"".join) | st.binary(max_size=300))
def test_no_bytes_whatever_raise(tmp_path: Path, data: bytes) -> None:
    for name in ("s1.jsonl", "chatSessions/x.json", "todos/a-agent-a.json", "tasks/l/1.json", "rollout-1.jsonl", "api_conversation_history.json", "opencode.db", "focus_chain_taskid_1.md"):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    _, report = imported(tmp_path)
    assert report.revisions <= report.new
    assert not any(FAILED in line for line in report.damage)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["todos", "content", "status", "id", "v", "k", "parts", "item", "payload", "type", "name", "input", "message", "values", "messages", "tool_calls"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(VALUES, max_size=4))
def test_no_values_whatever_raise(tmp_path: Path, values: list[object]) -> None:
    marks = {"sessionId": "s", "session_meta": 1, "hook_event_name": 1, "tool_input": values, "thread_id": 1, "tool_name": "TodoWrite"}  # fmt: skip
    called = [use(1, "TodoWrite", each) for each in values] + [use(2, "TaskUpdate", each) for each in values]  # fmt: skip
    kinds: list[list[object]] = [values, [marks, *values], [*called]]
    for number, lines in enumerate(kinds):
        jsonl(tmp_path / f"{number}.jsonl", *lines)
        agents.whole(tmp_path / "chatSessions" / f"{number}.json", {"requests": lines, "info": {"id": "ses_1"}})  # fmt: skip
    _, report = imported(tmp_path)
    assert not any(FAILED in line for line in report.damage)


def test_pieces_of_a_document_are_what_the_whole_has(tmp_path: Path) -> None:
    value: dict[str, Any] = {
        "a": 1,
        "list": [{"x": ']}\\"' * 50_000}, [], "t", 2.5],
        "b": {"c": [1, 2]},
    }
    path = agents.whole(tmp_path / "x.json", value)
    with path.open("rb") as file:
        assert list(pieces(file, ("list",))) == [("a", 1), *(("list", each) for each in value["list"]), ("b", {"c": [1, 2]})]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["[}", "[abc}", "[1, }, 2]", '{"list": [}', '{"list": [:], "b": 1', "[" * 5000]
)
def test_brackets_that_do_not_fit_end_a_document(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with path.open("rb") as file:
        assert any(isinstance(each, Damage) for each in pieces(file, ("list",)))


def test_a_piece_that_is_too_large_is_left_out_and_the_next_ones_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("todowright.importers.documents.LONGEST_PIECE", 1_000_000)
    path = agents.whole(tmp_path / "x.json", [1, {"x": ["[" * 900_000, "y" * 900_000]}, 3])
    with path.open("rb") as file:
        found = list(pieces(file, ()))
    assert found[0] == ("", 1)
    assert isinstance(found[1], Damage)
    assert found[2] == ("", 3)


MEASURE = """
import re, sys
from todowright import MemoryStore
from todowright.importers.bringing import FAILED, Importer, bring
from todowright.importers.ledger import Ledger
report = bring(sys.argv[1:], Importer(MemoryStore(), Ledger()))
most = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(report.new, report.damaged, int(most[1]) // 1024)
"""
"""ru_maxrss would tell the size of the process that started it, if that was larger."""


def measured(*paths: Path) -> tuple[int, int, int]:
    """New calls, damaged places, and the most memory in MB, of an import in a process of its own."""
    command = [sys.executable, "-c", MEASURE, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    new, damaged, memory = map(int, done.stdout.split())
    return new, damaged, memory


@pytest.mark.slow
@pytest.mark.soak
def test_large_lines_and_documents_stay_below_200_mb(tmp_path: Path) -> None:
    path = claude(tmp_path / "s1.jsonl", (P, N))
    with path.open("ab") as file:
        file.write(b'{"TodoWrite":[' + b"[]," * 1_500_000 + b"1]}\n")
        file.write(b'{"x":"' + b"y" * 45_000_000 + b'"}\n')
        file.write(
            b'{"TodoWrite":"' + "\N{PERSON WITH FOLDED HANDS}".encode() * 2_000_000 + b'"}\n'
        )
        file.write(json.dumps(use(9, "TodoWrite", {"todos": todos(C, C)})).encode() + b"\n")
    log = tmp_path / "log.json"
    log.write_bytes(b'[{"hook_event_name":1,"tool_input":[' + b"[]," * 1_500_000 + b"1]},1]")
    new, damaged, memory = measured(path, log)
    assert (new, damaged) == (2, 3)
    assert memory < 200


@pytest.mark.slow
@pytest.mark.soak
def test_a_file_of_a_gigabyte_is_read_in_bounded_memory(tmp_path: Path) -> None:
    path = claude(tmp_path / "s1.jsonl", *[(P, N), (C, N)] * 25)
    block = path.read_bytes()
    other = json.dumps({"type": "user", "sessionId": "s1", "message": {"content": "z" * 50_000}}).encode() + b"\n"  # fmt: skip
    with path.open("ab") as file:
        while file.tell() < 1_000_000_000:
            file.write(other * 100 + block)
    new, damaged, memory = measured(path)
    assert (new, damaged) == (50, 0)
    assert memory < 200
    path.unlink()


def test_the_command_tells_what_came_in_and_where_it_was_damaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = claude(tmp_path / "files" / "s1.jsonl", (P, P), (C, N))
    with path.open("a") as file:
        file.write('{"TodoWrite\n')
    url = f"sqlite:///{tmp_path}/plans.db"
    assert main(["import", str(tmp_path / "files"), "--store", url]) == 0
    told = capsys.readouterr().out
    assert told.startswith("2 calls of 1 session came in, 2 revisions.\n        2  Claude Code\n")
    assert f"1 place could not be read; all else was:\n  {path}:5: no whole JSON object" in told
    assert main(["import", str(tmp_path / "files"), "--store", url, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["new"], report["files"], report["unchanged"]) == (0, 0, 1)
    store = open_store(url)
    assert shape(store.load("s1", "main")) == [("Step 1", C), ("Step 2", N)]
    store.close()


def test_a_dry_run_keeps_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = claude(tmp_path / "s1.jsonl", (P, P))
    assert (
        main(["import", str(path), "--dry-run", "--store", f"sqlite:///{tmp_path}/plans.db"]) == 0
    )
    assert capsys.readouterr().out.startswith("1 call of 1 session would come in")
    assert not (tmp_path / "plans.db").exists()


def test_the_command_says_what_to_do_where_nothing_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert main(["import"]) == 2
    assert "name a file or a folder" in capsys.readouterr().err
    assert main(["import", "--all"]) == 1
    assert "none of the known agents has files here" in capsys.readouterr().err
    claude(tmp_path / ".claude" / "projects" / "p" / "s1.jsonl", (P, P))
    url = f"sqlite:///{tmp_path}/plans.db"
    assert main(["import", "--all", "--store", url]) == 0
    assert main(["import", str(tmp_path / "gone"), "--store", url]) == 1
    assert "gone: No such file or directory" in capsys.readouterr().out


def test_a_ledger_that_is_no_database_any_more_is_made_anew(tmp_path: Path) -> None:
    path, kept = claude(tmp_path / "s1.jsonl", (P, P)), tmp_path / "plans.db.imports"
    kept.write_bytes(b"no database" * 1000)
    store = MemoryStore()
    ledger = Ledger(str(kept))
    assert bring([str(path)], Importer(store, ledger)).new == 1
    ledger.close()


@pytest.mark.parametrize(
    "when",
    ["9999-12-31T23:59:59.999-23:59", "0001-01-01T00:00:00+23:59", "2098-01-01T00:00:00Z", "then", 10**400, 4e9, 1e300, float("nan"), -1, True],
    ids=lambda when: str(when)[:30],
)  # fmt: skip
def test_a_time_that_cannot_be_counts_as_none_and_costs_no_call(
    tmp_path: Path, when: object
) -> None:
    first = use(1, "TodoWrite", {"todos": todos(P, P)}, timestamp=when)
    path = jsonl(tmp_path / "s1.jsonl", first, use(2, "TodoWrite", {"todos": todos(C, N)}))
    os.utime(path, (1_700_000_000, 1_700_000_000))
    calls, damage = found_in(path)
    assert (len(calls), calls[0].when, damage) == (2, None, [])
    store, report = imported(path)
    assert (report.new, report.damage) == (2, [])
    assert [plan.updated_at and plan.updated_at.year for plan in revisions(store, "s1", "main")] == [2023, 2026]  # fmt: skip


def test_a_file_whose_time_is_in_the_future_does_not_close_its_plan_to_what_comes(
    tmp_path: Path,
) -> None:
    path = tmp_path / "focus_chain_taskid_1.md"
    path.write_text("- [ ] One\n")
    os.utime(path, (4_000_000_000, 4_000_000_000))
    store, ledger = MemoryStore(), Ledger()
    imported(path, store=store, ledger=ledger)
    path.write_text("- [x] One\n")
    os.utime(path)
    imported(path, store=store, ledger=ledger)
    ledger.close()
    assert shape(store.load("1", "main")) == [("One", C)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("focus_chain_taskid_1.md", "x" + "\n" * 60_000),
        ("focus_chain_taskid_1.md", " " * 60_000),
        ("focus_chain_taskid_1.md", "1" * 60_000),
        ("api_conversation_history.json", json.dumps([{"role": "user", "content": "<task>" + " " * 200_000}])),
        ("api_conversation_history.json", json.dumps([{"role": "assistant", "content": "<update_todo_list><todos>" * 40_000}])),
    ],
    ids=["blank lines", "spaces", "digits", "a task", "lists without end"],
)  # fmt: skip
def test_a_text_of_one_sign_is_read_in_no_time(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    code = "import sys; from todowright.importers.reading import calls_in; print(list(calls_in(sys.argv[1])))"
    # Far longer than it needs; what looks again and again at the same signs takes minutes.
    told = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / name)], capture_output=True, text=True, timeout=20
    )  # fmt: skip
    assert (told.stdout, told.stderr) == ("[]\n", "")


def test_a_ledger_with_a_view_without_end_is_made_anew(tmp_path: Path) -> None:
    path, kept = claude(tmp_path / "s1.jsonl", (P, P)), tmp_path / "plans.db.imports"
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"
    with closing(sqlite3.connect(kept)) as rows:
        rows.execute(f"CREATE VIEW file AS {endless} i AS path, 0 AS size, 0 AS changed, '' AS sessions FROM n")  # fmt: skip
    ledger = Ledger(str(kept))
    assert imported(path, ledger=ledger)[1].new == 1
    ledger.close()


@pytest.mark.parametrize(("live", "state"), [(False, "abandoned"), (True, "needs_you")])
def test_a_plan_whose_time_nobody_knows_is_not_judged_stuck_unless_its_file_is_followed(
    tmp_path: Path, live: bool, state: str
) -> None:
    first = use(1, "TodoWrite", {"todos": todos(N, P)}, timestamp="then")
    path = jsonl(tmp_path / "s1.jsonl", first)
    store, ledger = MemoryStore(), Ledger()
    bring([str(path)], Importer(store, ledger, live=live))
    ledger.close()
    watcher = Watcher(store)
    watcher.look()
    view = watcher.session("s1", time.time() + 1200)
    assert view is not None
    assert view.state == state
    assert [need.kind for need in view.needs] == (["stuck"] if live else [])


ID = "01a1e4f9-89bf-7323-a126-5887a12d8ba6"


def prompted(path: Path, *lists: tuple[str, ...], prompt: str = "Fix the parser, please") -> Path:
    """A transcript of Claude Code with an id for a name, and with what its user asked."""
    claude(path, *lists, session=ID)
    asked = [
        {"type": "user", "isMeta": True, "message": {"role": "user", "content": "Not this"}},
        {"type": "user", "message": {"role": "user", "content": "<command-name>/init</command-name>"}},
        {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": prompt}]}},
    ]  # fmt: skip
    lines = path.read_text("utf-8").replace('"sessionId"', '"cwd":"/home/ann/shop","sessionId"')
    path.write_text("".join(json.dumps(each) + "\n" for each in asked) + lines, "utf-8")
    return path


def test_a_session_that_has_only_an_id_is_named_by_project_and_task(tmp_path: Path) -> None:
    store, ledger = MemoryStore(), Ledger()
    path = prompted(tmp_path / f"{ID}.jsonl", (P, P))
    imported(path, store=store, ledger=ledger)
    name = "shop-Fix-the-parser-please-5887a12d8ba6"
    assert list(store.sessions()) == [name]
    prompted(path, (P, P), (C, N), prompt="Another word")
    imported(path, store=store, ledger=ledger)
    assert list(store.sessions()) == [name]
    assert shape(store.load(name, "main")) == [("Step 1", C), ("Step 2", N)]
    ledger.close()
    assert imported(path, store=store)[1].revisions == 0  # without the ledger it is found by its id
    assert list(store.sessions()) == [name]


def test_without_a_folder_and_a_prompt_the_agent_and_the_plan_name_a_session(
    tmp_path: Path,
) -> None:
    path = agents.codex(tmp_path / "rollout.jsonl", (P, P), session=ID)
    store, _ = imported(path)
    assert list(store.sessions()) == ["Codex-Step-1-5887a12d8ba6"]
    lines = path.read_text("utf-8").splitlines()
    head = json.loads(lines[0])
    head["payload"]["cwd"] = "C:\\work\\shop\\"
    asked = {"type": "event_msg", "payload": {"type": "user_message", "message": "修复解析器"}}
    path.write_text("\n".join([json.dumps(head), json.dumps(asked), *lines[1:]]) + "\n", "utf-8")
    assert list(imported(path)[0].sessions()) == ["shop-修复解析器-5887a12d8ba6"]


def test_a_session_that_was_imported_by_its_id_keeps_that_name(tmp_path: Path) -> None:
    store = MemoryStore()
    mirror({"todos": todos(P)}, tool="TodoWrite", store=store, session=ID)
    imported(prompted(tmp_path / "a.jsonl", (P, P)), store=store)
    assert list(store.sessions()) == [ID]


@pytest.mark.parametrize(
    "prompt", ["../../etc", "\x1b[31m", "a/b\\c", " ", "x" * 500, "\ud800", '"']
)
def test_whatever_a_prompt_holds_it_makes_a_sound_name(tmp_path: Path, prompt: str) -> None:
    store, report = imported(prompted(tmp_path / "a.jsonl", (P, P), prompt=prompt))
    (name,) = store.sessions()
    assert check_session(name).startswith("shop-")
    assert name.endswith("-5887a12d8ba6")
    assert (report.new, report.damage) == (1, [])
