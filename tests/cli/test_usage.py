"""What a session's requests took, in `show`, `watch` and `sessions --json`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import Terminal
from todowright import TodoWrite
from todowright.cli import main
from todowright.cli.usage_line import dollars, tokens, usage_line
from todowright.stores.prices import Prices
from todowright.stores.usage import ModelRequest, Usage


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store with a plan, a sub-agent's plan, and requests of both and of a sub-agent without one."""
    monkeypatch.delenv("TODOWRIGHT_PRICE", raising=False)
    url = f"sqlite:///{tmp_path}/plans.db"
    with TodoWrite("lean", store=url, session="auth") as todo:
        todo({"steps": ["Read", "Fix"]}, tool="plan")
        with TodoWrite("lean", store=url, session="auth", agent="main/sub") as sub:
            sub({"steps": ["Deep"]}, tool="plan")
        told = [
            ("main", "opus-20251101", 12_000),
            ("main/sub", "haiku", 300),
            ("main/other", "haiku", 20),
        ]
        todo.store.count_requests(
            ModelRequest(session="auth", agent=agent, model=model, input=read, output=41)
            for agent, model, read in told
        )
    return url


def out(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    assert main(list(command)) == 0
    return capsys.readouterr().out


def test_show_tells_it_below_the_box(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("show", "--session", "auth", "--store", url)
    assert out(capsys, *command).splitlines()[-1] == "opus +1 · 12.3k in · 123 out"
    monkeypatch.setenv("TODOWRIGHT_PRICE", "opus=10,50")
    assert out(capsys, *command).splitlines()[-1] == "opus +1 · 12.3k in · 123 out · ≥ 0.12 $"
    monkeypatch.setenv("TODOWRIGHT_PRICE", "opus=10,50 1,5")
    assert out(capsys, *command).splitlines()[-1].endswith(" · 0.12 $")
    monkeypatch.setenv("TODOWRIGHT_PRICE", "cheap")
    assert main(list(command)) == 1
    assert (
        "TODOWRIGHT_PRICE: 'cheap' is no price: write dollars a million tokens"
        in capsys.readouterr().err
    )


def test_sessions_and_show_have_it_as_json_for_each_plan(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    listed: list[dict[str, Any]] = json.loads(out(capsys, "sessions", "--json", "--store", url))
    usage = {plan["agent"]: plan["usage"] for plan in listed}
    assert usage["main"]["models"] == [
        "haiku",
        "opus-20251101",
    ]  # with the sub-agent that has no plan
    assert (usage["main"]["requests"], usage["main"]["input"]) == (2, 12_020)
    assert (usage["main/sub"]["input"], usage["main/sub"]["cost"]) == (300, None)
    shown = json.loads(out(capsys, "show", "--session", "auth", "--format", "json", "--store", url))
    assert shown["usage"] == usage["main"]
    with TodoWrite("lean", store=url, session="other") as todo:
        todo({"steps": ["Rest"]}, tool="plan")
    listed = json.loads(out(capsys, "sessions", "--json", "--session", "other", "--store", url))
    assert [plan["usage"] for plan in listed] == [None]
    nobody = ("show", "--session", "nobody", "--format", "json", "--store", url)
    assert json.loads(out(capsys, *nobody))["usage"] is None


def test_the_live_screen_has_it_below_its_headline(url: str) -> None:
    command = (sys.executable, "-m", "todowright", "watch", "--session", "auth", "--store", url)
    terminal = Terminal(*command)
    try:
        terminal.wait_for(lambda lines: any("12.3k in" in line for line in lines))
        at = next(n for n, line in enumerate(terminal.lines) if "12.3k in" in line)
        assert terminal.lines[at] == "opus +1 · 12.3k in · 123 out"
        assert terminal.lines[at - 1].startswith("auth")
        assert "Tasks" in terminal.lines[at + 1]
    finally:
        terminal.type("q")
        terminal.ended()


@pytest.mark.parametrize(
    ("count", "told"),
    [(0, "0"), (999, "999"), (1000, "1.0k"), (12_345, "12.3k"), (999_949, "999.9k"),
     (999_999, "1.0M"), (4_100_000, "4.1M")],
)  # fmt: skip
def test_tokens_are_told_shortly(count: int, told: str) -> None:
    assert tokens(count) == told


def test_a_model_cannot_write_to_the_terminal() -> None:
    found: Sequence[Usage] = [Usage("main", "\x1b[2Jmodel" + "x" * 100, 1, 5, 5, 0, 0.001, 1)]
    line = usage_line(found, Prices())
    assert line.isprintable()
    assert line.endswith("… · 5 in · 5 out · < 0.01 $")
    assert usage_line([], Prices()) == ""
    assert (dollars(0), dollars(1234.567)) == ("0.00 $", "1234.57 $")
