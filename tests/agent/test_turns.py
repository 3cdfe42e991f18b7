"""Several plan calls in one turn of the agent: the one that stands says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.agent.conftest import Talk
from tests.agent.provider import calls, says
from tests.requirements import requirement
from tests.support import call
from todowright import load_dialect
from todowright.names import DIALECTS

Make = Callable[..., Talk]
REFUSED: dict[str, Any] = {"todos": 5, "items": 5, "steps": 5, "summary": "s"}


def plan_call(dialect: str, arguments: Any) -> tuple[str, Any]:
    """A call of the plan, also where that is a word of the shell."""
    tool = load_dialect(dialect).tool_name
    if dialect != "shell":
        return tool, arguments
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return "bash", {"command": f"{tool} '{text}'"}


def sound(dialect: str, text: str) -> Any:
    return {"steps": [text]} if dialect == "lean" else call(dialect, text)


def results(made: Talk) -> list[str]:
    """What the calls of the first round were answered."""
    return [block["content"] for block in made.agent.messages[2]["content"]]


def says_it_stands(text: str, dialect: str, count: int) -> bool:
    note = {
        "twostate": f"注意：本轮共调用 {count} 次，以这一次为准。",
        "lean": f"{count} plan calls in this turn: this one stands.",
    }
    return note.get(dialect, f"Note: {count} plan calls in this turn; this is the one") in text


@requirement("A10")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("last", [REFUSED, '{"todos": [{"content'], ids=["refused", "truncated"])
def test_of_an_accepted_and_a_refused_call_the_accepted_one_says_that_it_stands(
    talk: Make, dialect: str, last: Any
) -> None:
    turn = calls(plan_call(dialect, sound(dialect, "One")), plan_call(dialect, last))
    made = talk(says(turn, *["Done."] * 4), dialect=dialect, reminders=False)
    made.run()
    accepted, refused = results(made)
    assert says_it_stands(accepted, dialect, 2)
    assert not says_it_stands(refused, dialect, 2)
    assert ("invalid json" in refused.lower()) == isinstance(last, str)
    assert [todo.content for todo in made.agent.todo.plan.todos] == ["One"]


@requirement("A10")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_of_two_accepted_calls_the_last_one_says_that_it_stands(talk: Make, dialect: str) -> None:
    turn = calls(*[plan_call(dialect, sound(dialect, text)) for text in ("One", "Two")])
    made = talk(says(turn, *["Done."] * 4), dialect=dialect, reminders=False)
    made.run()
    first, last = results(made)
    assert says_it_stands(last, dialect, 2)
    assert not says_it_stands(first, dialect, 2)


@requirement("A10")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_single_call_and_one_that_only_asks_for_the_plan_say_nothing_of_it(
    talk: Make, dialect: str
) -> None:
    made_calls = [plan_call(dialect, sound(dialect, "One")), ("bash", {"command": "true"})]
    if dialect == "lean":
        made_calls += [("plan", {}), ("plan", {"steps": []}), ("done", {"step": 1})]
    made = talk(says(calls(*made_calls), *["Done."] * 4), dialect=dialect, reminders=False)
    made.run()
    for text in results(made):
        assert not any(says_it_stands(text, dialect, count) for count in range(1, 6))
