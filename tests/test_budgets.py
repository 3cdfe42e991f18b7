"""Whatever reaches a model is counted; a change that spends more fails here."""

from __future__ import annotations

import pytest

from bench.tokens import BY_NUMBER, cost_of, tokens
from todowright import Plan, Todo, TodoWrite, load_dialect
from todowright.agent.calls import HOW_TO_CALL, NO_CALL, SAID_NOTHING
from todowright.host.reminders import INITIAL_REMINDER, NAG_REMINDER, StopGuard, WorkReminders


@pytest.mark.parametrize(
    ("name", "definition", "prompt"),
    [
        ("lean", 214, 37),
        ("smart", 148, 38),
        ("shell", 165, 500),
        ("envelope", 159, 48),
        ("checklist", 110, 0),
        ("twostate", 134, 46),
    ],
)
def test_definitions_and_prompts_stay_within_their_budget(
    name: str, definition: int, prompt: int
) -> None:
    cost = cost_of(name, 9)
    assert cost.definition <= definition
    assert cost.prompt <= prompt


@pytest.mark.parametrize(("name", "tool"), [("lean", "plan"), ("smart", "TodoWrite")])
def test_the_text_that_says_when_to_plan_is_short(name: str, tool: str) -> None:
    prompt = TodoWrite(name).prompt
    assert tokens(prompt) < 60
    for words in (f"first write the plan with {tool}", "several steps", "up to date", "without a plan"):  # fmt: skip
        assert words in prompt


@pytest.mark.parametrize(
    ("name", "seventeen", "nine"),
    [
        ("lean", 520, 439),
        ("smart", 3135, 1751),
        ("shell", 3682, 2266),
        ("envelope", 10438, 5649),
        ("checklist", 3986, 2186),
        ("twostate", 2349, 2349),
    ],
)
def test_a_whole_session_stays_within_its_budget(name: str, seventeen: int, nine: int) -> None:
    # the envelope tells how many milliseconds a call took: a digit more is a token more
    slack = 20 if name == "envelope" else 0
    assert cost_of(name, 17).total <= seventeen + slack
    assert cost_of(name, 9).total <= nine + slack


def test_lean_stays_within_its_budget_by_words_and_by_number() -> None:
    for name, calls, most in (("lean", 17, 600), (BY_NUMBER, 17, 480), ("lean", 9, 480)):
        cost = cost_of(name, calls)
        assert cost.definition <= 220
        assert cost.total <= most
        assert cost.answered / cost.calls <= 16


@pytest.mark.parametrize(
    ("tool", "arguments", "budget"),
    [
        ("plan", {"steps": ["Write the parser", "Write the tests"]}, 8),
        ("done", {"step": 1}, 12),
        ("done", {"step": 9}, 16),
        ("done", {"step": "one"}, 24),
        ("done", {"steps": ["write"]}, 30),
        ("plan", {"now": "Write the tests"}, 12),
        ("plan", {"now": ""}, 8),
        ("add", {"steps": ["Write docs"]}, 6),
        ("drop", {"steps": ["Write the tests"]}, 6),
        ("change", {"step": "Write the tests", "text": "Write tests"}, 6),
        ("plan", {"steps": [""]}, 13),
    ],
)
def test_each_kind_of_lean_reply_has_a_budget(
    tool: str | None, arguments: object, budget: int
) -> None:
    todo = TodoWrite("lean")
    if tool != "plan" or "now" in str(arguments):
        todo({"steps": ["Write the parser", "Write the tests"]})
    assert tokens(todo(arguments, tool=tool).text) <= budget


def test_reminders_tails_and_guards_have_a_budget() -> None:
    todo = TodoWrite("lean")
    todo({"steps": [f"Write part {n}" for n in range(8)]})
    reminders = WorkReminders(todo, after=1)
    reminders.after_round()
    assert tokens(INITIAL_REMINDER) <= 13
    assert tokens(NAG_REMINDER) <= 16
    assert tokens(HOW_TO_CALL) <= 20
    assert tokens(NO_CALL) <= 43
    assert tokens(SAID_NOTHING) <= 36
    assert tokens(reminders.after_round() or "") <= 23
    two = TodoWrite("twostate")
    two({"todos": [{"content": f"Write part {n}"} for n in range(8)]})
    of_two = WorkReminders(two, after=1)
    of_two.after_round()
    assert tokens(of_two.after_round() or "") <= 23
    assert tokens(StopGuard(todo).at_end().text) <= 61
    assert tokens(todo.plan.tail()) <= 68
    long = Plan(todos=tuple(Todo("x y " * 100) for _ in range(500)))
    assert tokens(long.tail()) <= 760


def test_a_refusal_of_any_dialect_is_short() -> None:
    for name in ("lean", "smart", "shell", "checklist", "twostate"):
        key = load_dialect(name).list_key
        long: dict[str, object] = {"content": "x" * 10_000, "status": "nope" * 1000}
        calls: list[object] = [{key: 5}, {key: [long]}, []]
        for bad in calls:
            assert tokens(TodoWrite(name, environ={})(bad).text) <= 75
