"""`serve --follow`: the board shows what another agent writes, without touching that agent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.terminal import until
from tests.importers.agents import codex
from tests.web.serving import Served

P, N, C = "pending", "in_progress", "completed"


@pytest.mark.slow
def test_the_board_shows_a_rollout_while_it_grows(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    path = codex(folder / "rollout-c1.jsonl", (N, P))
    before = path.read_bytes()
    served = Served(tmp_path, "--follow", str(folder))

    def now() -> str:
        found = served.http.get("/api/sessions").json()["sessions"]
        return str(found[0]["agents"][0]["now"]) if found else ""

    try:
        until(lambda: now() == "Step 1")
        assert path.read_bytes() == before
        codex(path, (N, P), (C, N))
        until(lambda: now() == "Step 2")
    finally:
        served.stop()
