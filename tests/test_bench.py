"""The benches run: a schema that moved on must not leave them behind."""

from __future__ import annotations

import pytest

from bench.store import rate, with_sqlite3, with_todowright


@pytest.mark.slow
@pytest.mark.parametrize("work", [with_sqlite3, with_todowright])
def test_durable_updates_can_be_measured(work: object) -> None:
    assert rate(work, 1, 3) > 0
