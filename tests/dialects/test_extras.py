"""Fields of a dialect's own: a priority, an owner, notes. Kept, checked, shown."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from todowright import Edit, Plan, Refused, Todo, TodoWrite, load_dialect, open_store
from todowright.dialects import Extra, Field, ListDialect
from todowright.plan.data import as_data
from todowright.stores import sqlite_file

PRIORITY = Extra("priority", "How soon", choices=("low", "high"))
OWNER = Extra("owner", max_length=8)
TEAM = ListDialect(name="team", max_length=20, extras=(PRIORITY, OWNER))
LEAN = replace(load_dialect("lean"), extras=(PRIORITY, OWNER))


def row(content: str, status: str = "pending", **extras: object) -> dict[str, object]:
    return {"content": content, "status": status, **extras}


def team(*rows: dict[str, object], dialect: ListDialect = TEAM, **options: Any) -> TodoWrite:
    todo = TodoWrite(dialect, **options)
    reply = todo({"todos": list(rows)})
    assert not reply.is_error, reply.text
    return todo


def extras(plan: Plan) -> list[dict[str, str]]:
    return [dict(todo.extras) for todo in plan.todos]


def test_what_an_item_is_sent_with_is_kept_shown_and_sent_again() -> None:
    todo = TodoWrite(TEAM)
    reply = todo({"todos": [row("Paint", owner="Ann", priority="high"), row("Sand")]})
    assert reply.text == "[ ] Paint (owner: Ann, priority: high)\n[ ] Sand"
    assert todo.plan.todos[0].extras == (("owner", "Ann"), ("priority", "high"))
    assert todo.plan.todos[1].extras == ()
    assert reply.data["todos"] == [row("Paint", priority="high", owner="Ann"), row("Sand")]
    assert todo.tail().splitlines()[1:] == [
        "1. Paint (owner: Ann, priority: high) - NEXT",
        "2. Sand",
    ]
    assert [each["extras"] for each in json.loads(json.dumps(as_data(todo.plan)))["todos"]] == [
        {"owner": "Ann", "priority": "high"},
        {},
    ]


def test_a_todo_keeps_what_the_next_list_does_not_say() -> None:
    todo = team(row("Paint", priority="high", owner="Ann"), row("Sand", priority="low"))
    todo({"todos": [row("Sand", "in_progress"), row("Paint", owner="Bob"), row("Oil")]})
    assert extras(todo.plan) == [{"priority": "low"}, {"priority": "high", "owner": "Bob"}, {}]
    before = todo.plan.todos
    todo({"todos": [row("Sand", "in_progress"), row("Paint"), row("Oil")]})
    assert all(now is then for now, then in zip(todo.plan.todos, before, strict=True))
    todo({"todos": [row("Sand", "completed", priority=""), row("Paint", owner=" "), row("Oil")]})
    assert extras(todo.plan) == [{}, {"priority": "high"}, {}]


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"priority": "urgent"}, "Error: todos[0].priority is 'urgent': use one of low, high"),
        ({"priority": 3}, "Error: todos[0].priority must be string, not number"),
        ({"owner": None}, "Error: todos[0].owner must be string, not null"),
        ({"owner": "x" * 9}, "Error: todos[0].owner has 9 characters, the limit is 8: shorten it"),
        ({"owner": "\ud800"}, "Error: todos[0].owner is not valid Unicode"),
        ({"colour": "red"}, "Error: todos[0] has unknown keys ('colour'): leave them out"),
    ],
)
def test_a_wrong_one_is_refused_in_one_line_and_changes_nothing(sent: Any, told: str) -> None:
    todo = team(row("Paint", priority="low"))
    before = todo.plan
    reply = todo({"todos": [row("Paint", **sent)]})
    assert reply.is_error
    assert reply.text.startswith(told)
    assert todo.plan is before


def test_a_required_one_must_be_there() -> None:
    strict = replace(TEAM, extras=(Extra("owner", required=True),))
    todo = TodoWrite(strict)
    assert todo({"todos": [row("Paint")]}).text == "Error: todos[0].owner is missing: add it"
    assert todo({"todos": [row("Paint", owner=" ")]}).text.startswith("Error: todos[0].owner is bl")
    with pytest.raises(Refused, match="owner is missing"):
        todo.add("Paint")
    assert extras(todo.add("Paint", owner="Ann")) == [{"owner": "Ann"}]


def test_the_schema_tells_the_model_of_them() -> None:
    item = TEAM.input_schema()["properties"]["todos"]["items"]
    assert list(item["properties"]) == ["content", "status", "priority", "owner"]
    assert item["properties"]["priority"] == {
        "type": "string",
        "description": "How soon",
        "enum": ["low", "high", ""],
    }
    assert item["properties"]["owner"] == {"type": "string", "maxLength": 8}
    assert item["required"] == ["content", "status"]
    owner = replace(TEAM, extras=(Extra("owner", required=True),)).input_schema()
    assert owner["properties"]["todos"]["items"]["required"] == ["content", "status", "owner"]


@pytest.mark.parametrize(
    "wrong",
    [
        [Extra("id")],
        [Extra("")],
        [Extra(" a")],
        [Extra("a\nb")],
        [Extra("x" * 41)],
        [Extra("a"), Extra("a")],
        [Extra("content")],
        [Extra("a", max_length=0)],
        [Extra("a", choices=("low", " "))],
        [Extra("a", choices=(1,))],  # type: ignore[arg-type]
    ],
)
def test_one_that_could_not_be_kept_is_refused_when_the_dialect_is_made(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"dialect team: .*extra"):
        replace(TEAM, extras=tuple(wrong))


@pytest.mark.parametrize("name", ["smart", "shell", "envelope", "checklist", "twostate"])
def test_every_dialect_of_the_documents_may_have_them(name: str, tmp_path: Path) -> None:
    dialect = load_dialect(name)
    assert isinstance(dialect, ListDialect)
    todo = TodoWrite(replace(dialect, extras=(PRIORITY,)), environ={}, root=tmp_path)
    item = {"content": "Paint", "status": "pending", "priority": "high"}
    if any(part.role == "active_form" for part in dialect.fields):
        item["activeForm"] = "Painting"
    arguments = {dialect.list_key: [item]} | ({"summary": "s"} if dialect.summary else {})
    reply = todo(arguments)
    assert not reply.is_error, reply.text
    assert extras(todo.plan) == [{"priority": "high"}]
    assert "(priority: high)" in reply.display
    assert todo.dialect.arguments(todo.plan) == arguments


def test_a_lenient_dialect_makes_text_of_them_and_null_is_nothing() -> None:
    lenient = replace(TEAM, lenient=True)
    todo = TodoWrite(lenient)
    assert not todo({"todos": [row("Paint", owner=7, priority=None)]}).is_error
    assert extras(todo.plan) == [{"owner": "7"}]


def test_lean_keeps_what_a_program_gives_a_step() -> None:
    todo = TodoWrite(LEAN)
    todo({"steps": ["Paint"]}, tool="plan")
    todo.add("Sand", after=0, priority="high")
    todo({"step": 1}, tool="done")
    assert todo({}, tool="plan").text == "- Sand (priority: high) - NOW\n- Paint - done"
    todo({"steps": ["Sand", "Oil"]}, tool="plan")
    assert dict(todo.plan.todos[1].extras) == {"priority": "high"}


def test_a_program_adds_changes_and_takes_away() -> None:
    todo = team(row("Paint"))
    todo.add("Sand", priority="high", owner="Ann")
    todo.edit([Edit("add", text="Oil", extras=(("owner", "Bob"),)), Edit("complete", 1)])
    assert extras(todo.plan) == [{}, {"priority": "high", "owner": "Ann"}, {"owner": "Bob"}]
    todo.update([{"id": "t2", "priority": ""}, {"id": "t3", "priority": "low"}])
    assert extras(todo.plan) == [{}, {"owner": "Ann"}, {"owner": "Bob", "priority": "low"}]
    todo.reword(2, "Sand it")
    todo.move(2, after=0)
    assert todo.plan.todos[0].content + todo.plan.todos[0].aside == "Sand it (owner: Ann)"
    todo.replace([Todo("Wax", extras=(("owner", "Eve"),))])
    assert extras(todo.plan) == [{"owner": "Eve"}]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"colour": "red"}, "a step of this plan has no 'colour': it has priority, owner"),
        ({"priority": "urgent"}, "priority is 'urgent': use one of low, high"),
        ({"owner": 5}, "owner must be string, not number"),
    ],
)
def test_what_a_program_gets_wrong_is_refused(given: Any, told: str) -> None:
    for dialect in (TEAM, LEAN):
        todo = TodoWrite(dialect)
        with pytest.raises(Refused) as caught:
            todo.add("Sand", **given)
        assert str(caught.value) == told
        assert todo.plan.revision == 0
    with pytest.raises(Refused, match="has no 'owner': it has none"):
        TodoWrite().add("Sand", owner="Ann")


def test_only_an_edit_that_adds_has_them_on_the_wire() -> None:
    from todowright.plan.editing import read_edits

    (edit,) = read_edits([{"do": "add", "text": "a", "extras": {"owner": "Ann"}}])
    assert edit.extras == (("owner", "Ann"),)
    for wrong in ({"do": "add", "text": "a", "extras": 5}, {"do": "start", "step": 1, "extras": {"a": "b"}}):  # fmt: skip
        with pytest.raises(Refused):
            read_edits([wrong])


def test_a_change_of_them_is_told_as_one() -> None:
    todo = team(row("Paint", priority="low"), dialect=TEAM, with_news=True)
    heard: list[Any] = []
    todo.on_change(heard.append)
    todo.update([{"id": "t1", "priority": "high"}])
    assert [item.kinds for item in heard[0].items] == [("changed",)]
    assert todo.news() == 'The host program changed your plan: changed 1. "Paint (priority: high)"'


def test_a_plan_of_another_dialect_keeps_them_when_the_dialect_changes() -> None:
    todo = team(row("Paint", priority="high"), row("Sand"))
    other = TodoWrite("lean", store=todo.store, with_news=False)
    assert other({"step": 1}, tool="done").text == "1/2 done. Now: Sand"
    plain = TodoWrite(
        ListDialect(name="plain", fields=(Field("content"), Field("status"))), store=todo.store
    )
    plain({"todos": [row("Sand"), row("Paint", "completed")]})
    assert extras(plain.plan) == [{}, {"priority": "high"}]


def test_a_file_keeps_them_and_a_file_without_them_stays_as_small(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    todo = team(row("写", owner="王芳"), row("Sand"), store=url)
    todo({"todos": [row("写", "completed"), row("Sand")]})
    again = TodoWrite(TEAM, store=url)
    assert again.plan == todo.plan
    assert extras(again.plan) == [{"owner": "王芳"}, {}]
    TodoWrite("lean", store=url, session="other")({"steps": ["a"]})
    with closing(sqlite3.connect(tmp_path / "plans.db")) as file, file:
        rows = file.execute("SELECT extras FROM revision ORDER BY number").fetchall()
    file.close()
    assert [json.loads(text or "null") for (text,) in rows] == [
        {"0": {"owner": "王芳"}}, {"0": {"owner": "王芳"}}, None,
    ]  # fmt: skip


@pytest.mark.parametrize("broken", ["[]", '{"5": {"a": "b"}}', '{"0": {"a": 1}}', "{"])
def test_damaged_extras_are_told_as_damage(broken: str, tmp_path: Path) -> None:
    from todowright import StoreError

    todo = team(row("Paint", owner="Ann"), store=f"sqlite:///{tmp_path}/plans.db")
    todo.store.close()
    with closing(sqlite3.connect(tmp_path / "plans.db")) as file, file:
        file.execute("UPDATE revision SET extras = ?", (broken,))
    file.close()
    with pytest.raises(StoreError, match="is damaged"):
        _ = todo.plan


def test_a_file_of_the_schema_before_opens_and_then_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "plans.db"
    with closing(sqlite3.connect(path)) as old, old:
        for step in (1, 2, 3):
            name = f"schema/sqlite-{step}.sql"
            old.executescript(files("todowright.stores").joinpath(name).read_text("utf-8"))
        old.execute(
            "INSERT INTO revision (session, agent, revision, todos, summary, updated_at, issued, numbered_from, log, "
            "dialect) VALUES ('default', 'main', 1, '[[\"Paint\",\"pending\",\"\",\"t1\",1]]', '', 0, 1, 0, '', 'team')"
        )
        old.execute(f"PRAGMA application_id = {sqlite_file.APPLICATION}")
        old.execute("PRAGMA user_version = 3")
    old.close()
    todo = TodoWrite(TEAM, store=f"sqlite:///{path}")
    assert todo.plan.todos == (Todo("Paint", id="t1", number=1),)
    todo({"todos": [row("Paint", owner="Ann")]})
    assert open_store(f"sqlite:///{path}").load("default", "main").todos[0].extras == (
        ("owner", "Ann"),
    )


def test_a_process_of_the_release_before_that_is_still_at_work_ignores_them(tmp_path: Path) -> None:
    """Its statements name the columns that it knows: they go on working on the migrated file."""
    path = tmp_path / "plans.db"
    todo = team(row("Paint", owner="Ann"), store=f"sqlite:///{path}")
    known = "session, agent, revision, todos, summary, updated_at, issued, log, made_by, made_by_name, dialect, serves, ended, verified, numbered_from"  # fmt: skip
    with closing(sqlite3.connect(path)) as old, old:
        (todos,) = old.execute("SELECT todos FROM revision").fetchone()
        assert [len(each) for each in json.loads(todos)] == [5]
        old.execute(
            f"INSERT INTO revision ({known}) SELECT {known.replace('revision,', '2,')} FROM revision"
        )
    old.close()
    assert todo.plan.revision == 2
    assert extras(todo.plan) == [{}]
