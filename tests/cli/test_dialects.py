"""`todowright dialects`: which there are, and what each is for."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
from rich.cells import cell_len

from bench.tokens import cost_of
from tests.cli.terminal import BIN, Terminal
from todowright import load_dialect
from todowright.cli.dialects import ABOUT, HEAD, TOKENS
from todowright.names import DIALECTS

COMMAND = (str(BIN / "todowright"), "dialects")


def test_every_dialect_has_a_row() -> None:
    assert tuple(ABOUT) == tuple(TOKENS) == DIALECTS


@pytest.mark.parametrize("name", DIALECTS)
def test_the_tokens_are_those_that_are_counted(name: str) -> None:
    cost = cost_of(name, 9)
    assert TOKENS[name] == (cost.definition, cost.prompt)


def test_a_pipe_gets_a_line_for_each_with_tabs_between() -> None:
    done = subprocess.run(COMMAND, capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == list(DIALECTS)
    assert {len(row) for row in rows} == {len(HEAD)}
    assert [row[1] for row in rows] == [
        ", ".join(tool.name for tool in load_dialect(name).tools) for name in DIALECTS
    ]
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("columns", [60, 80, 160])
def test_a_terminal_gets_a_table_that_fits(columns: int) -> None:
    terminal = Terminal(*COMMAND, columns=columns, rows=60)
    assert terminal.ended() == 0
    assert terminal.lines[0].split()[:2] == ["NAME", "TOOLS"]
    assert max(map(cell_len, terminal.lines)) <= columns
    for name in DIALECTS:
        assert any(line.startswith(f"{name} ") for line in terminal.lines)
        for word in ABOUT[name][1].split():
            assert any(word in line for line in terminal.lines), word


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_nobody_who_wants_no_colours_gets_any(environ: Any) -> None:
    terminal = Terminal(*COMMAND, **environ)
    assert terminal.ended() == 0
    assert b"\x1b" not in terminal.written
    assert b"lean" in terminal.written
