"""What the agent reminds of: only what the dialect can say, and only of tools that are offered."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.requirements import requirement
from tests.support import call
from todowright import TodoWrite, load_dialect
from todowright.agent import Agent, Limits, ScriptedModel, events
from todowright.agent.providers import Answer, OnText, Request
from todowright.dialects import Dialect
from todowright.host.reminders import NAG_REMINDER
from todowright.names import DIALECTS

BASH: dict[str, Any] = {"calls": [["bash", {"command": "true"}]]}
READ: dict[str, Any] = {"calls": [["read_file", {"path": "."}]]}
SPEAKS_OF = {
    "in_progress": re.compile(r"start|in.progress|\bnow\b|still on", re.IGNORECASE),
    "cancelled": re.compile(r"cancel|drop", re.IGNORECASE),
}


class Overheard(ScriptedModel):
    """A scripted model that keeps what it was given."""

    def __init__(self, script: list[Any]) -> None:
        super().__init__(script)
        self.requests: list[Request] = []

    def answer(self, request: Request, on_text: OnText) -> Answer:
        self.requests.append(request)
        return super().answer(request, on_text)


def planned(dialect: Dialect) -> dict[str, Any]:
    """The call that makes a plan of three steps, none of them started."""
    tool = dialect.tool_name
    if dialect.name == "lean":
        steps = [{"content": text, "status": "pending"} for text in ("One", "Two", "Three")]
        return {"calls": [[tool, {"steps": steps}]]}
    return {"calls": [[tool, call(dialect, "One", "Two", "Three")]]}


def run(folder: Path, script: list[Any], **options: Any) -> tuple[list[str], list[str]]:
    """The reminders of a run, and all that was put behind its messages for one request."""
    model = Overheard([*script, *[{"text": "Done."}] * 4])
    agent = Agent(model, folder=folder, **options)
    told = [event.text for event in agent.run("Go") if isinstance(event, events.Reminder)]
    agent.close()
    return told, [text for request in model.requests for text in request.tail]


@requirement("A14", "004-4")
@pytest.mark.parametrize("name", DIALECTS)
def test_no_reminder_of_a_dialect_asks_for_a_status_that_it_does_not_have(
    name: str, tmp_path: Path
) -> None:
    dialect = load_dialect(name)
    script = [BASH] * 40 if dialect.json_text else [planned(dialect), *[BASH] * 40]
    todo = TodoWrite(dialect, environ={})
    if dialect.json_text:  # its plan is a word of the shell
        todo(call(dialect, "One", "Two", "Three"))
    told, behind = run(tmp_path, script, todo=todo)
    assert len(told) > 2
    for text in told + behind:
        for status, words in SPEAKS_OF.items():
            assert dialect.wire_status(status) is not None or not words.search(text), text


@requirement("A14", "003-11")
@pytest.mark.parametrize("name", DIALECTS)
def test_in_plan_mode_no_reminder_speaks_of_a_tool_that_is_not_offered(
    name: str, tmp_path: Path
) -> None:
    todo = TodoWrite(name, environ={}, root=tmp_path)
    todo.update(["One", "Two", "Three"], summary="All")
    assert run(tmp_path, [READ] * 40, todo=todo, mode="plan") == ([], [])


@requirement("A14", "003-6")
def test_rounds_in_plan_mode_are_not_counted_since_nobody_could_have_planned(
    tmp_path: Path,
) -> None:
    model = ScriptedModel([*[READ] * 15, {"text": "So."}, *[BASH] * 11, {"text": "Done."}])
    agent = Agent(model, folder=tmp_path, dialect="checklist", mode="plan")
    assert not [event for event in agent.run("Look") if isinstance(event, events.Reminder)]
    agent.permissions.mode = "auto"
    told = [event.text for event in agent.run("Do") if isinstance(event, events.Reminder)]
    assert told == [NAG_REMINDER]


@requirement("A14")
def test_the_first_reminder_names_the_tool_by_the_name_that_it_has(tmp_path: Path) -> None:
    dialect = replace(load_dialect("twostate"), reminders="rounds")
    told, _ = run(tmp_path, [], dialect=dialect)
    assert told == ["<reminder>Use todo_write for multi-step tasks.</reminder>"]


@requirement("003-11")
def test_beside_its_two_reminders_the_agent_adds_nothing_to_the_context_of_checklist(
    tmp_path: Path,
) -> None:
    script = [planned(load_dialect("checklist")), *[BASH] * 12]
    told, behind = run(tmp_path, script, dialect="checklist")
    assert told == ["<reminder>Use TodoWrite for multi-step tasks.</reminder>", *[NAG_REMINDER] * 2]
    assert behind == []
    assert run(tmp_path, script, dialect="checklist", reminders=False) == ([], [])


@requirement("003-11")
def test_the_tail_of_checklist_is_there_for_who_asks_for_it_and_of_others_for_who_does_not(
    tmp_path: Path,
) -> None:
    checklist = [planned(load_dialect("checklist")), BASH, BASH]
    _, behind = run(tmp_path, checklist, dialect="checklist", tail=True)
    assert behind == ["Plan: 0 of 3 done.\n1. One - NEXT\n2. Two\n3. Three"] * 2
    lean = [planned(load_dialect("lean")), BASH, BASH]
    assert len(run(tmp_path, lean, dialect="lean")[1]) > 2
    assert run(tmp_path, lean, dialect="lean", tail=False)[1] == []


@requirement("003-10", "003-11")
def test_without_a_tail_the_plan_of_checklist_is_in_every_context_that_was_made_smaller(
    tmp_path: Path,
) -> None:
    flood = {"calls": [["bash", {"command": "seq 4000"}]]}
    script = [planned(load_dialect("checklist")), *[flood] * 14, {"text": "Done."}]
    model = Overheard(script)
    limits = Limits(window=20_000, max_tokens=2000)
    agent = Agent(model, folder=tmp_path, dialect="checklist", limits=limits)
    compacted = [event.kind for event in agent.run("Go") if isinstance(event, events.Compaction)]
    assert len(compacted) > 1
    for request in model.requests[1:]:
        told = json.dumps(request.messages)
        assert "Three" in told or not request.tools  # those without tools ask for a summary


def resumed(folder: Path, rounds: list[Any], **options: Any) -> list[str]:
    """The reminders of a run that goes on with what an agent before it left."""
    model = ScriptedModel([*rounds, {"text": "Done."}])
    agent = Agent(
        model, folder=folder, dialect="checklist", transcript=folder / "s.jsonl", **options
    )
    told = [event.text for event in agent.run("Go") if isinstance(event, events.Reminder)]
    agent.close()
    return [text for text in told if text == NAG_REMINDER]


@requirement("003-6")
def test_the_count_of_idle_rounds_survives_that_the_session_is_resumed(tmp_path: Path) -> None:
    assert resumed(tmp_path, [BASH] * 6) == []
    assert resumed(tmp_path, [BASH] * 4) == []
    assert resumed(tmp_path, [BASH] * 2) == [NAG_REMINDER] * 2
    assert resumed(tmp_path, [planned(load_dialect("checklist"))]) == []
    assert resumed(tmp_path, [BASH] * 10) == []
    assert resumed(tmp_path, [BASH]) == [NAG_REMINDER]


@requirement("003-6")
def test_a_plan_call_of_a_round_that_was_stopped_in_the_middle_counts_when_it_is_resumed(
    tmp_path: Path,
) -> None:
    assert resumed(tmp_path, [BASH] * 10) == []
    batch = planned(load_dialect("checklist"))["calls"] + BASH["calls"]
    agent = Agent(
        ScriptedModel([{"calls": batch}]),
        folder=tmp_path,
        dialect="checklist",
        transcript=tmp_path / "s.jsonl",
    )
    working = agent.run("Go")
    for event in working:
        if isinstance(event, events.TodoUpdate):
            working.close()
    agent.close()
    assert resumed(tmp_path, [BASH] * 10) == []


@pytest.mark.parametrize("name", ["twostate", "checklist", "lean"])
def test_plan_mode_leaves_the_plan_as_it_is(name: str, tmp_path: Path) -> None:
    todo = TodoWrite(name, environ={}, root=tmp_path)
    todo.update(["One", "Two"], summary="All")
    before = todo.plan
    run(tmp_path, [READ], todo=todo, mode="plan")
    assert todo.plan == before
