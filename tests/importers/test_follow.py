"""What agents write comes into the store while they write it, and their files are only read."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.importers import agents
from tests.importers.agents import claude, codex, jsonl, shape, todos, use
from todowright import MemoryStore
from todowright.importers import follow
from todowright.importers.bringing import Importer
from todowright.importers.follow import Follower
from todowright.importers.ledger import Ledger
from todowright.importers.sources import Lines

P, N, C = "pending", "in_progress", "completed"


class Watched:
    """A follower, and what it brought."""

    def __init__(self, folder: Path) -> None:
        self.store = MemoryStore()
        self.importer = Importer(self.store, Ledger())
        self.follower = Follower(self.importer, [str(folder)])

    def look(self, *, search: bool = True) -> int:
        """Look once; how many calls were new."""
        before = self.importer.report.new
        if search:
            self.follower._next_search = 0.0
        self.follower.look()
        return self.importer.report.new - before


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def test_new_lines_come_in_and_old_ones_are_not_read_again(
    tmp_path: Path, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = claude(tmp_path / "s1.jsonl", *[(P, P), (N, P)] * 50)
    assert watched.look() == 100
    read: list[int] = []
    monkeypatch.setattr(follow, "Lines", _counting(read))
    more = claude(tmp_path / "more.txt", (C, N), first=101).read_bytes()
    for part in (more[:100], more[100:]):  # a line that is not whole yet waits
        with path.open("ab") as file:
            file.write(part)
        watched.look(search=False)
    assert shape(watched.store.load("s1", "main")) == [("Step 1", C), ("Step 2", N)]
    assert read[0] == path.stat().st_size - len(more)
    assert watched.look() == 0


def _counting(read: list[int]) -> type[Lines]:
    class Counting(Lines):
        def __init__(self, file: Any, number: int, tell: int) -> None:
            read.append(tell)
            super().__init__(file, number, tell)

    return Counting


def test_a_call_that_never_got_an_answer_does_not_hold_up_those_behind_it(
    tmp_path: Path, watched: Watched
) -> None:
    path = jsonl(tmp_path / "s1.jsonl", use(1, "TodoWrite", {"todos": todos(P, P)}))
    assert watched.look() == 0  # the agent was ended here, and resumed later
    with path.open("ab") as file:
        file.write(claude(tmp_path / "more.txt", (N, P), (C, N), (C, C), first=2).read_bytes())
    assert watched.look(search=False) == 4
    assert shape(watched.store.load("s1", "main")) == [("Step 1", C), ("Step 2", C)]


def test_a_file_that_is_cut_off_or_replaced_is_read_anew(tmp_path: Path, watched: Watched) -> None:
    path = claude(tmp_path / "s1.jsonl", (P, P), (N, P))
    assert watched.look() == 2
    claude(path, (C, N), first=3)  # shorter than before
    assert watched.look() == 1
    fresh = claude(tmp_path / "fresh", (C, C), (C, C), (C, C), first=4)
    fresh.replace(path)
    assert watched.look() == 3
    path.unlink()
    assert watched.look() == 0


def test_more_files_than_it_remembers_are_not_read_again_and_again(
    tmp_path: Path, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "MOST_OPEN", 3)
    for number in range(8):
        claude(tmp_path / f"s{number}.jsonl", (P, N), session=f"s{number}", first=10 * number)
    assert watched.look() == 8
    read: list[int] = []
    monkeypatch.setattr(follow, "Lines", _counting(read))
    assert watched.look() == 0
    assert read == []
    claude(
        tmp_path / "s0.jsonl", (P, N), (C, C), session="s0", first=0
    )  # one that it has forgotten
    assert watched.look() == 1
    assert read == [0]


def test_files_that_nobody_wrote_to_for_long_are_left_alone_until_they_are(
    tmp_path: Path, watched: Watched
) -> None:
    path = claude(tmp_path / "s1.jsonl", (P, P))
    long_ago = time.time() - 10 * follow.RECENT
    os.utime(path, (long_ago, long_ago))
    assert watched.look() == 0
    os.utime(path)
    assert watched.look() == 1


def test_codex_opencode_and_its_database_are_followed(tmp_path: Path, watched: Watched) -> None:
    codex(tmp_path / "rollout-c1.jsonl", (N, P))
    agents.opencode_storage(tmp_path / "data", (P, N))
    database = agents.opencode_database(tmp_path / "opencode.db", (P, N), (C, N))
    with sqlite3.connect(database) as rows:
        rows.execute("PRAGMA journal_mode = WAL")
        rows.execute("UPDATE part SET session_id = 'ses_2', data = replace(data, 'oc_', 'db_')")
    rows.close()
    assert watched.look() == 4
    rows = sqlite3.connect(database)
    when = int(1000 * time.time())
    data = json.dumps(agents.tool_part(3, C, C) | {"callID": "db_3"})
    rows.execute("INSERT INTO part VALUES ('prt_3', 'msg_2', 'ses_2', ?, ?, ?)", (when, when, data))
    rows.commit()  # it stands in the log beside the database
    assert watched.look() == 1
    rows.close()
    assert shape(watched.store.load("ses_2", "main")) == [("Step 1", C), ("Step 2", C)]


def test_it_runs_beside_a_server_and_stops(tmp_path: Path, watched: Watched) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=watched.follower.run, args=(stop, 0.01))
    thread.start()
    claude(tmp_path / "s1.jsonl", (C, N))
    watched.follower._next_search = 0.0
    deadline = time.monotonic() + 60
    while not watched.store.load("s1", "main").revision and time.monotonic() < deadline:
        time.sleep(0.01)
    stop.set()
    thread.join()
    assert shape(watched.store.load("s1", "main")) == [("Step 1", C), ("Step 2", N)]
