"""The box of document 001, on a screen."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.cli.terminal import BIN, Terminal
from tests.requirements import requirement
from tests.support import step
from todowright import Plan, Todo, TodoWrite, load_dialect
from todowright.cli.box import box, console
from todowright.dialects import Extra
from todowright.plan.model import STATUSES
from todowright.text import harmless

SAMPLE = """\
┌─ Tasks ─────────────────────────────────────────────┐
│ ✓ Analyze requirements                              │
│ ● Writing implementation...                         │
│ ○ Run tests                                         │
│ ○ Update documentation                              │
└─────────────────────────────────────────────────────┘"""

OF_THE_SAMPLE = [
    step("Analyze requirements", "completed", "Analyzing requirements"),
    step("Write implementation", "in_progress", "Writing implementation"),
    step("Run tests", "pending", "Running tests"),
    step("Update documentation", "pending", "Updating documentation"),
]


def plan(*items: dict[str, str]) -> Plan:
    todo = TodoWrite("shell", environ={})
    assert not todo({"todos": list(items)}).is_error
    return todo.plan


def keep(folder: Path, *items: dict[str, str]) -> str:
    """Keep a plan in a store of the folder; its URL."""
    url = f"sqlite:///{folder}/plans.db"
    assert not TodoWrite("shell", store=url, environ={})({"todos": list(items)}).is_error
    return url


@requirement("001-11", "001-12")
def test_case_11_the_box_is_the_documents_to_the_character(tmp_path: Path) -> None:
    assert box(plan(*OF_THE_SAMPLE)).plain == SAMPLE
    terminal = Terminal(
        str(BIN / "todowright"), "show", TODOWRIGHT_STORE=keep(tmp_path, *OF_THE_SAMPLE)
    )
    assert terminal.ended() == 0
    assert "\n".join(terminal.lines) == SAMPLE


@requirement("001-11", "001-12")
def test_case_11_done_is_grey_the_current_yellow_and_the_rest_dim(tmp_path: Path) -> None:
    terminal = Terminal(
        str(BIN / "todowright"), "show", TODOWRIGHT_STORE=keep(tmp_path, *OF_THE_SAMPLE)
    )
    terminal.ended()
    assert b"\x1b[90m\xe2\x9c\x93 Analyze requirements" in terminal.written
    assert b"\x1b[33m\xe2\x97\x8f Writing implementation..." in terminal.written
    assert b"\x1b[2m\xe2\x97\x8b Run tests" in terminal.written
    assert terminal.colours("● Writing") == {"brown"}  # what terminals call yellow without bold
    assert terminal.colours("│") == {"default"}


def test_what_a_dialect_keeps_beside_a_task_stands_short_and_dim_behind_it(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    extras = (Extra("owner"), Extra("notes"))
    todo = TodoWrite(replace(load_dialect("lean"), extras=extras), store=url)
    todo.add("Paint", owner="Ann", notes="x" * 60)
    todo.start(todo.add("Sand", owner="B\x1b[2Job").todos[1].number)
    lines = box(todo.plan).plain.splitlines()
    assert lines[1] == f"│ ○ Paint (notes: {'x' * 30}…     │"
    assert lines[2].startswith("│ ● Sand... (owner: B␛[2Job)  ")
    assert {cell_len(line) for line in lines} == {55}
    assert {cell_len(line) for line in box(todo.plan, most=14).plain.splitlines()} == {14}
    assert box(todo.plan, most=14).plain.splitlines()[2] == "│ ● Sand...… │"
    terminal = Terminal(str(BIN / "todowright"), "show", TODOWRIGHT_STORE=url)
    assert terminal.ended() == 0
    assert b"\x1b[33m\xe2\x97\x8f Sand...\x1b[0m\x1b[2m (owner: B" in terminal.written


@requirement("001-11")
@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_colour_where_nobody_wants_it(tmp_path: Path, variable: str, value: str) -> None:
    url = keep(tmp_path, *OF_THE_SAMPLE)
    environ: Any = {"TODOWRIGHT_STORE": url, variable: value}
    terminal = Terminal(str(BIN / "todowright"), "show", **environ)
    assert terminal.ended() == 0
    assert b"\x1b" not in terminal.written
    assert "\n".join(terminal.lines) == SAMPLE


@requirement("001-11")
def test_no_colour_and_no_cutting_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    stream = io.StringIO()
    wide = plan(step("x" * 190))
    console(stream).print(box(wide), soft_wrap=True)
    assert stream.getvalue() == box(wide).plain + "\n"
    assert "\x1b" not in stream.getvalue()


@requirement("001-11", "A6")
def test_the_box_grows_with_its_texts_and_never_beyond_the_terminal() -> None:
    for length, width in ((48, 55), (49, 55), (50, 56), (80, 86), (190, 100)):
        lines = box(plan(step("x" * length)), most=100).plain.split("\n")
        assert {len(line) for line in lines} == {width}
    cut = box(plan(step("x" * 190)), most=100).plain.split("\n")[1]
    assert cut == f"│ ○ {'x' * 93}… │"


@requirement("001-11", "A6")
@pytest.mark.parametrize("columns", [20, 40, 55, 80])
def test_borders_line_up_with_chinese_and_emoji_at_any_width(tmp_path: Path, columns: int) -> None:
    items = [
        step("重构认证模块，补充单元测试，更新文档，然后发布新版本并通知所有用户", "completed"),
        step("写测试", "in_progress", "正在编写测试用例"),
        step("naïve café ﬁn", "pending"),
        step("ｆｕｌｌｗｉｄｔｈ", "pending"),
    ]
    url = keep(tmp_path, *items)
    terminal = Terminal(str(BIN / "todowright"), "show", columns=columns, TODOWRIGHT_STORE=url)
    assert terminal.ended() == 0
    shown = [line for line in terminal.screen.display if line.strip()]
    right = {cell_of(terminal, number, "│┐┘") for number in range(len(shown))}
    assert len(shown) == 6
    assert len(right) == 1
    assert right.pop() == min(columns, max(55, 72)) - 1


def cell_of(terminal: Terminal, row: int, borders: str) -> int:
    """The column of the right border, in cells."""
    cells = terminal.screen.buffer[row]
    return max(column for column in range(terminal.screen.columns) if cells[column].data in borders)


@requirement("001-11", "A6", "A8")
@given(
    st.lists(
        st.tuples(
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60),
            st.sampled_from(STATUSES),
        ),
        max_size=6,
    ),
    st.integers(8, 120),
    st.none() | st.integers(1, 4),
)
def test_every_line_of_a_box_has_the_same_width_whatever_the_texts(
    items: list[tuple[str, Any]], most: int, rows: int | None
) -> None:
    todos = tuple(Todo(text, status) for text, status in items)
    lines = box(Plan(todos=todos), most=most, rows=rows).plain.split("\n")
    widths = {cell_len(line) for line in lines}
    assert len(widths) == 1
    assert widths.pop() <= most
    assert len(lines) == (min(len(items), rows or 99) or 1) + 2
    assert all(harmless(line) == line for line in lines)


def test_a_long_list_shows_the_part_that_matters_and_how_much_is_left_out() -> None:
    done = [step(f"done {n}", "completed") for n in range(20)]
    todo = [step(f"todo {n}") for n in range(20)]
    text = box(plan(*done, *todo), rows=5).plain
    assert "done 19" in text
    assert "todo 0" in text
    assert "… 36 more" in text
    assert "done 3 " not in text


def test_an_item_without_active_form_shows_its_text_and_one_cancelled_is_struck() -> None:
    mixed = Plan(todos=(Todo("Build", "in_progress"), Todo("Old idea", "cancelled")))
    text = box(mixed).plain
    assert "● Build..." in text
    assert "✗ Old idea" in text
    assert "No tasks." in box(Plan()).plain
