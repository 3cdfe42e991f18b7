"""All sessions and one of them on a terminal of any width: who needs a person, and nothing lost."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.cli.terminal import BIN, Terminal
from todowright import Edit, TodoWrite
from todowright.cli import main
from todowright.cli.columns import cell_len, cut, filled
from todowright.cli.home import grouped, listed
from todowright.cli.session_lines import Drawing, fitted, headline
from todowright.cli.states import CELLS, cells, short, speaks_unicode
from todowright.plan.attention import SessionView
from todowright.stores.memory import MemoryStore
from todowright.stores.watching import Watcher
from todowright.tool.person import edit_plan

LONG = "a step so long that it would push every number of the table off the screen " * 4


class Lively:
    """A store with sessions in every state, as they are now."""

    def __init__(self, store: Any) -> None:
        self.store = store
        self.now = datetime.now(UTC)
        self._at = self.now

    def tool(self, session: str, dialect: str = "lean") -> TodoWrite:
        return TodoWrite(dialect, store=self.store, session=session, clock=lambda: self._at)

    def at(self, minutes: float) -> None:
        self._at = self.now - timedelta(minutes=minutes)

    def fill(self) -> TodoWrite:
        self.at(49)
        main = self.tool("checkout-deadlock")
        main({"steps": ["Reproduce it", "Prove the retry path", "Release"]}, tool="plan")
        self.at(37)
        main({"finished": ["Reproduce it"]}, tool="done")
        writer = main.subagent("test-writer")
        self.at(33)
        writer({"steps": [f"Generate schedules, {LONG}", "Shrink them"]}, tool="plan")
        self.at(12)
        review = main.subagent("reviewer")
        review({"steps": ["Read the diff", "Benchmark it"]}, tool="plan")
        self.at(5)
        review({"finished": ["Read the diff"]}, tool="done")
        self._others()
        return main

    def _others(self) -> None:
        auth = self.tool("auth-refactor", "checklist")
        for minutes, texts in (
            (12, ["Read", "Add refresh tokens", "Delete cookies", "Docs"]),
            (4, ["Read", "Docs"]),
        ):
            self.at(minutes)
            rows = [{"content": each, "status": "pending", "activeForm": each} for each in texts]
            auth({"items": [rows[0] | {"status": "in_progress"}, *rows[1:]]})
        self.at(2)
        self.tool("支付回调重构")({"steps": ["给解析器补充性质测试", "发布 🚀"]}, tool="plan")
        self.at(600)
        self.tool("migrate-db")({"steps": ["Back up", "Run it"]}, tool="plan")
        self.at(0)
        done = self.tool("release")
        done({"steps": ["Tag it"]}, tool="plan")
        done({"finished": ["Tag it"]}, tool="done")


def views_of(store: Any, now: datetime) -> list[SessionView]:
    watcher = Watcher(store)
    watcher.look()
    return watcher.sessions(now.timestamp())


@pytest.fixture(scope="module")
def lively() -> Lively:
    made = Lively(MemoryStore())
    made.fill()
    return made


def lines_of(lively: Lively, width: int) -> list[str]:
    groups = grouped(views_of(lively.store, lively.now), lively.now.timestamp())
    return [line.plain for line in listed(groups, width)]


@pytest.mark.parametrize("width", [60, 79, 80, 100, 130, 160])
def test_numbers_never_give_way_to_words(lively: Lively, width: int) -> None:
    caption, *lines = lines_of(lively, width)
    assert all(cell_len(line) <= width for line in (caption, *lines))
    row = next(line for line in lines if "checkout" in line)
    assert re.search(r" 2/7 +33m +5m  test-writer is", row), row
    assert "…" in row
    assert re.search(r" 0/2 +2m +2m  给解析", "\n".join(lines))
    starts = {_cells_before(line, number) for line, number in _moved(lines)}
    assert len(starts) == 1, "the column stands in one line"
    assert {"DONE", "ON IT", "MOVED", "NOW"} <= set(re.split(r"  +", caption.strip()))


def _moved(lines: list[str]) -> list[tuple[str, int]]:
    found = (re.search(r"\d+/\d+ +\S+( \d+m)? +\S+( \d+m)?(?=  )", line) for line in lines)
    return [(each.string, each.end()) for each in found if each]


def _cells_before(line: str, at: int) -> int:
    return cell_len(line[:at])


def test_the_groups_are_the_boards_in_its_order_and_tell_why(lively: Lively) -> None:
    lines = lines_of(lively, 100)
    heads = [line for line in lines if line.split(" ")[0].isupper() and "SESSION" not in line]
    assert heads[:3] == ["NEEDS YOU 2", "WORKING 1", "ABANDONED 1"]
    assert lines[2].startswith("▲  checkout-deadlock")
    assert lines[3].startswith("✗  auth-refactor")
    assert "2 steps dropped by main: Add refresh tokens;" in lines[3]
    assert "stopped at: Back up" in lines[7]


def test_wide_terminals_see_the_agents_and_a_cell_for_each_step(lively: Lively) -> None:
    row = next(line for line in lines_of(lively, 160) if "checkout" in line)
    assert re.search(r" 3  ██▲◓◓··  ", row), row
    assert cells("d" * 30 + "s" + "p" * 9, CELLS) == "█" * 10 + "▲" + "·" * 3
    assert "██" not in "\n".join(lines_of(lively, 129))


def test_the_marks_of_a_terminal_without_unicode_are_plain(lively: Lively) -> None:
    groups = grouped(views_of(lively.store, lively.now), lively.now.timestamp())
    text = "\n".join(line.plain for line in listed(groups, 160, unicode=False))
    assert "!  checkout" in text
    assert "x  auth" in text
    assert not re.search("[▲✗●◌✓█◓]", text)
    assert speaks_unicode("utf-8")
    assert not speaks_unicode("latin-1")
    assert not speaks_unicode("no such encoding")


def test_what_was_looked_at_needs_nobody_but_who_is_stuck_does(lively: Lively) -> None:
    now = lively.now.timestamp()
    seen = {"auth-refactor": now, "checkout-deadlock": now}
    groups = grouped(views_of(lively.store, lively.now), now, seen)
    assert [row.name for row in groups["needs_you"]] == ["checkout-deadlock"]
    assert "auth-refactor" in [row.name for row in groups["working"]]


@settings(max_examples=60)
@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=80)
    | st.sampled_from(["👩‍👩‍👧‍👦" * 9, "🇩🇪" * 30, "é" * 40, "한국어" * 20, "ｗｉｄｅ" * 9]),
    st.integers(20, 170),
)
def test_every_line_fits_whatever_the_texts(text: str, width: int) -> None:
    store = MemoryStore()
    name = "".join(filter(str.isalnum, text))[:40] or "s"
    todo = TodoWrite("lean", store=store, session=name)
    todo({"steps": [text, "b"]}, tool="plan")
    assume(todo.plan.open)  # a step of blanks alone is refused
    now = datetime.now(UTC)
    for line in listed(grouped(views_of(store, now), now.timestamp()), width):
        assert cell_len(line.plain) <= width
    (view,) = views_of(store, now)
    assert headline(view, "shop", width, now.timestamp()).cell_len <= width


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("重构认证模块", 7, "重构认…"),
        ("重构认证模块", 6, "重构 …"),
        ("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3, "👩‍👩‍👧‍👦…"),
        ("🇩🇪🇫🇷🇨🇳", 4, "🇩🇪 …"),
        ("plain", 5, "plain"),
        ("plain", 0, ""),
    ],
)
def test_text_is_cut_by_what_it_takes_on_the_screen(text: str, width: int, shown: str) -> None:
    assert cut(text, width) == shown
    assert cell_len(filled(text, width)) == width


def test_durations_are_short_in_columns() -> None:
    assert [short(each) for each in (-1, 24, 240, 5340, 7200, 100_000)] == [
        "0s", "24s", "4m", "1h 29m", "2h", "1d",
    ]  # fmt: skip


def drawing(lively: Lively, session: str) -> tuple[SessionView, list[str]]:
    (view,) = [each for each in views_of(lively.store, lively.now) if each.session == session]
    lines = Drawing(view, lively.now.timestamp()).lines("main")
    return view, [f"{line.text} | {line.note}" for line in lines]


def test_a_session_names_its_agents_nests_them_and_shows_who_is_stuck(lively: Lively) -> None:
    view, lines = drawing(lively, "checkout-deadlock")
    assert lines[0] == "✓ Reproduce it | "
    assert lines[1] == "● Prove the retry path... | 37m"
    assert lines[2].startswith("  └ test-writer  ▲ stuck 33 min | 0/2")
    assert lines[3].startswith("    ▲ Generate schedules")
    assert lines[5:8] == [
        "  └ reviewer | 1/2", "    ✓ Read the diff | ", "    ● Benchmark it... | 5m",
    ]  # fmt: skip
    head = headline(view, "shop-api", 100, lively.now.timestamp()).plain
    assert head.startswith("checkout-deadlock · shop-api  ")
    assert head.endswith("2 working · 1 stuck 33 min · 2/7 · 49 min")
    assert headline(view, "shop-api", 30, lively.now.timestamp()).plain.endswith("33 min · 2/7")


def test_a_session_with_earlier_plans_says_which_it_is_at() -> None:
    made = Lively(MemoryStore())
    todo = made.tool("twice", "twostate")
    for name in ("First", "Second"):
        todo({"todos": [{"content": name, "status": "completed"}]})
    (view,) = views_of(made.store, made.now)
    head = headline(view, "", 60, made.now.timestamp()).plain
    assert head.startswith("twice · plan 2  ")


def test_dropped_work_stays_at_its_place_with_when_and_by_whom(lively: Lively) -> None:
    _, lines = drawing(lively, "auth-refactor")
    assert [line.split(" | ")[0] for line in lines] == [
        "● Read...", "✗ Add refresh tokens", "✗ Delete cookies", "○ Docs",
    ]  # fmt: skip
    assert re.search(
        r"dropped at \d\d:\d\d by main|dropped at \d\d \w+ \d\d:\d\d by main", lines[1]
    )


def test_an_edit_of_a_person_has_its_receipt() -> None:
    made = Lively(MemoryStore())
    todo = made.tool("edited")
    todo({"steps": ["Write it down", "Ship it"]}, tool="plan")
    revised = edit_plan(made.store, todo.plan, [Edit("reword", 2, "Ship it on Monday")])

    def receipts(heard: int) -> list[str]:
        (view,) = views_of(made.store, made.now)
        drawing = Drawing(view, made.now.timestamp(), heard={"main": heard})
        return [line.note for line in drawing.lines("main")][1:]

    assert receipts(0) == ["you: sent"]
    assert receipts(revised.plan.revision) == ["you: sent → heard"]
    todo({"finished": ["Write it down"]}, tool="done")
    assert receipts(0) == ["you: sent → heard → kept  0s"]


def test_where_lines_are_few_done_steps_fold_and_what_is_stuck_stays(lively: Lively) -> None:
    store = MemoryStore()
    made = Lively(store)
    made.at(40)
    todo = made.tool("long")
    steps = [f"Step {n}" for n in range(30)]
    todo({"steps": steps}, tool="plan")
    for step in steps[:20]:
        todo({"finished": [step]}, tool="done")
    (view,) = views_of(store, made.now)
    lines = Drawing(view, made.now.timestamp()).lines("main")
    shown, scrolled = fitted(lines, 6)
    assert [line.text for line in shown][:3] == ["✓ Step 19", "▲ Step 20...", "○ Step 21"]
    assert shown[-1].text == "… 7 more"
    assert scrolled == 0
    shown, _ = fitted(lines, 12)
    assert [line.text for line in shown][:3] == ["… 19 done", "✓ Step 19", "▲ Step 20..."]
    shown, scrolled = fitted(lines, 6, 99)
    assert shown[-2].text == "○ Step 29"
    assert fitted(lines, 6, scrolled)[0] == shown


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store in a file, with sessions in it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "shop")
    url = f"sqlite:///{tmp_path}/shop/.todowright/plans.db"
    Lively(url).fill()
    return url


def on(line: str) -> Any:
    return lambda lines: any(line in each for each in lines)


def test_watch_goes_from_all_sessions_to_one_and_back_by_keys(place: str, tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    watch = Terminal(str(BIN / "todowright"), "watch", "--all", columns=100, rows=26, cwd=shop)
    watch.wait_for(on("▲› checkout-deadlock"))
    assert watch.lines[0].startswith("todowright · 5 sessions")
    watch.type("j")
    watch.wait_for(on("✗› auth-refactor"))
    watch.type("\r")
    watch.wait_for(on("✗ Add refresh tokens"))
    assert watch.lines[0].startswith("auth-refactor · shop")
    assert "2 dropped" in watch.lines[0]
    folder = tmp_path / "data" / "todowright" / "seen"
    watch.wait_for(lambda _: folder.is_dir() and any(folder.glob("*.json")))
    watch.type("q")
    watch.wait_for(on("NEEDS YOU 1"))
    watch.type("k\x1b[A")
    watch.wait_for(on("▲› checkout-deadlock"))
    watch.type("q")
    assert watch.ended() == 0
    assert watch.written.endswith(b"\x1b[?25h")


def test_watch_of_one_session_has_a_headline_and_moves_with_its_agents(
    place: str, tmp_path: Path
) -> None:
    watch = Terminal(
        str(BIN / "todowright"), "watch", "--session", "checkout-deadlock",
        columns=100, rows=26, cwd=tmp_path / "shop",
    )  # fmt: skip
    watch.wait_for(on("└ test-writer  ▲ stuck 33 min"))
    assert watch.lines[0].endswith("2 working · 1 stuck 33 min · 2/7 · 49 min")
    assert watch.colours("▲ Generate") == {"brightbrown"}
    todo = TodoWrite("lean", store=place, session="checkout-deadlock", agent="bench")
    todo({"steps": ["Measure it"]}, tool="plan")
    watch.wait_for(on("Measure it..."))
    watch.wait_for(on("3 working · 1 stuck"))
    watch.type("a")
    watch.wait_for(on("NEEDS YOU 2"))
    watch.interrupt()
    assert watch.ended() == 0


def test_sessions_in_a_pipe_are_lines_with_tabs_one_for_each(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sessions"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert {len(row) for row in rows} == {6}
    assert [row[0] for row in rows][:2] == ["checkout-deadlock", "auth-refactor"]
    assert rows[0][2] == "2/7"
    assert rows[0][4:] == ["5m ago", "stuck"]
    assert LONG.strip() in rows[0][3]
    assert main(["watch", "--all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(rows)


@pytest.mark.parametrize("columns", [60])
def test_sessions_keeps_its_columns_on_a_terminal(place: str, tmp_path: Path, columns: int) -> None:
    shown = Terminal(
        str(BIN / "todowright"), "sessions", columns=columns, cwd=tmp_path / "shop", NO_COLOR="1"
    )
    assert shown.ended() == 0
    assert b"\x1b" not in shown.written
    row = next(line for line in shown.lines if "checkout" in line)
    assert re.search(r" 2/7 +33m +5m  test-writer is", row), row
