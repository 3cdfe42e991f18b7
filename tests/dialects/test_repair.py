"""Calls that are nearly right are mended, and say so; sound ones are never touched."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import FIVE, call, list_dialect, near_miss, statuses, texts, wire
from todowright import TodoWrite, load_dialect
from todowright.dialects import ListDialect

MENDING = {name: replace(list_dialect(name), repair=True, log_folder="") for name in FIVE}
ROWS = [
    {"content": "a", "status": "completed", "activeForm": "A"},
    {"content": "b", "status": "pending", "activeForm": "B"},
]


def smart(arguments: Any) -> tuple[str, list[str]]:
    todo = TodoWrite(MENDING["smart"])
    reply = todo(arguments)
    assert not reply.is_error, reply.text
    assert texts(todo.plan) == ["a", "b"][: len(todo.plan.todos)]
    return reply.text.split("\n")[-1], statuses(todo.plan)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"todos": json.dumps(ROWS)}, "mended: read the list from text"),
        ({"todos": repr(ROWS)}, "mended: read the list from text"),
        ({"todos": f"```json\n{json.dumps(ROWS)}\n```"}, "mended: read the list from text"),
        (json.dumps({"todos": ROWS}), "mended: read the list from text"),
        (ROWS, "mended: took the list itself"),
        ({"items": ROWS}, "mended: took items as todos"),
        ({"todos": ROWS[0]}, "mended: took the one object as a list"),
        (ROWS[0], "mended: took the one object as a list"),
    ],
)
def test_a_list_in_the_wrong_wrapping_is_unwrapped(arguments: Any, told: str) -> None:
    assert smart(arguments)[0] == told


@pytest.mark.parametrize("key", ["task", "title", "text", "step", "description", "subject", "name"])
def test_a_text_under_another_key_is_taken(key: str) -> None:
    rows = [{key: row["content"], "status": row["status"], "active_form": "A"} for row in ROWS]
    assert (
        smart({"todos": rows})[0]
        == f"mended: took {key} as content; took active_form as activeForm"
    )


@pytest.mark.parametrize(
    ("spelling", "meaning"),
    [
        ("done", "completed"), ("Complete", "completed"), ("FINISHED", "completed"),
        ("in-progress", "in_progress"), ("in progress", "in_progress"), ("inProgress", "in_progress"),
        ("doing", "in_progress"), ("todo", "pending"), ("to-do", "pending"), ("not_started", "pending"),
        ("NOT-STARTED", "pending"), ("Pending", "pending"),
    ],
)  # fmt: skip
def test_a_status_in_other_words_is_read(spelling: str, meaning: str) -> None:
    told, found = smart({"todos": [ROWS[0] | {"status": spelling}]})
    assert found == [meaning]
    assert told == f"mended: read '{spelling}' as {meaning}"


@pytest.mark.parametrize(
    "arguments",
    [
        {"todos": "a, b"},
        {"todos": [{"title": "a", "description": "b", "status": "pending", "activeForm": "A"}]},
        {"todos": [ROWS[0] | {"status": "blocked"}]},
        {"todos": [ROWS[0] | {"status": "cancelled"}]},
        {"items": ROWS, "steps": ROWS},
        {"todos": [ROWS[0] | {"content": ""}]},
        "todos",
        {},
        5,
    ],
)
def test_what_could_mean_several_things_is_refused_in_one_line(arguments: Any) -> None:
    todo = TodoWrite(MENDING["smart"])
    reply = todo(arguments)
    assert reply.is_error
    assert "\n" not in reply.text
    assert todo.plan.revision == 0


def test_two_keys_that_could_both_be_the_text_are_not_chosen_from() -> None:
    todo = TodoWrite(MENDING["checklist"])
    both = {"title": "a", "description": "b", "status": "pending", "activeForm": "A"}
    assert todo({"items": [both]}).text == "Error: Item 0: content required"


def test_the_five_documents_dialects_do_not_mend_unless_they_are_asked_to() -> None:
    for name in FIVE:
        assert not load_dialect(name).repair
        assert TodoWrite(name, environ={})({"list": []}).is_error


@given(
    st.sampled_from(list(MENDING.values())).flatmap(lambda d: st.tuples(st.just(d), near_miss(d)))
)
def test_mending_never_changes_the_meaning_of_a_sound_call(case: tuple[ListDialect, Any]) -> None:
    dialect, arguments = case
    strict = TodoWrite(replace(dialect, repair=False), environ={})
    mending = TodoWrite(dialect, environ={})
    plain, mended = strict(arguments), mending(arguments)
    if not plain.is_error:
        assert not mended.is_error
        assert wire(strict) == wire(mending)
        assert "ended: " not in mended.text
    elif not mended.is_error:
        assert "ended: " in mended.text
        assert not strict(wire(mending)).is_error


def test_an_envelope_says_what_was_mended_in_its_text() -> None:
    todo = TodoWrite(MENDING["envelope"])
    arguments = call("envelope", ("a", "done"))
    assert todo(arguments).data["text"].endswith("mended: read 'done' as completed")
