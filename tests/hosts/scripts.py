"""What the scripted model does."""

from __future__ import annotations

from tests.hosts.conversation import Call, Turn

STEPS = ["Read the code", "Write the parser", "Add tests", "Tell the user"]


def plan(*steps: str) -> list[Call]:
    return [Call("plan", {"steps": list(steps)})]


def done(*steps: str) -> list[Call]:
    return [Call("done", {"finished": list(steps)})]


TEN: list[Turn] = [
    plan(*STEPS),
    done("Read the code"),
    [Call("add", {"step": "Update the docs", "where": "before: Tell the user"})],
    [Call("change", {"step": "Add tests", "to": "Add tests of the parser"})],
    done("Write the parser"),
    done("Add tests of the parser"),
    [Call("add", {"step": "Buy milk", "where": "end"})],
    [Call("drop", {"step": "Buy milk"})],
    done("Update the docs"),
    done("Tell the user"),
    "All is done.",
]
TWO: list[Turn] = [plan(*STEPS), done("Read the code"), "I go on later."]
MORE: list[Turn] = [done("Write the parser"), "One more is done."]


def window(mark: str) -> list[Turn]:
    """A session of ten calls, in words that no other window has."""
    steps = [f"{mark} step {number}" for number in range(1, 10)]
    return [plan(*steps), *(done(step) for step in steps), "All is done."]
