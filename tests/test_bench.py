"""The benches run: a schema that moved on must not leave them behind."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from bench.store import rate, with_sqlite3, with_todowright


@pytest.mark.slow
@pytest.mark.parametrize("work", [with_sqlite3, with_todowright])
def test_durable_updates_can_be_measured(work: object) -> None:
    assert rate(work, 1, 3) > 0


def test_the_readers_of_files_are_held_against_the_raw_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = import_module("bench.import")
    path = bench.made_up(tmp_path, 200_000)
    assert bench.check([path]) == 0
    assert "as its raw text" in capsys.readouterr().out
    path.write_text(path.read_text().replace('"type":"tool_use"', '"type":"tool_used"', 1))
    assert bench.check([path]) == 1
