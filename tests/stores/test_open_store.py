"""Stores by their URLs."""

from __future__ import annotations

from pathlib import Path

import pytest

from todowright import MemoryStore, TodoWrite, UnknownName, open_store
from todowright.stores.sqlite import SQLiteStore


def test_a_store_is_opened_by_its_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert isinstance(open_store("memory:"), MemoryStore)
    absolute = open_store(f"sqlite:///{tmp_path}/plans.db")
    relative = open_store("sqlite:///plans.db")
    assert isinstance(absolute, SQLiteStore)
    TodoWrite("twostate", store=absolute)({"todos": [{"content": "a"}]})
    assert TodoWrite("twostate", store=relative).plan.todos[0].content == "a"


@pytest.mark.parametrize("url", ["mongodb://x", "", "sqlite:", "sqlite:///", "plans.db", "x" * 500])
def test_a_url_nobody_knows_is_told_with_those_that_are_known(url: str) -> None:
    with pytest.raises(
        UnknownName, match=r"use memory:, sqlite:///path/to/plans\.db or postgres"
    ) as caught:
        open_store(url)
    assert len(str(caught.value)) < 200
