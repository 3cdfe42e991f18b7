"""Laws that hold for every input, tried on generated ones."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.requirements import requirement
from tests.support import FIVE, anything, list_dialect, near_miss, wire
from todowright import Change, MemoryStore, TodoWrite
from todowright.dialects import Extra, ListDialect

DIALECTS = [replace(list_dialect(name), log_folder="") for name in FIVE]
EXTRAS = (
    Extra("priority", choices=("low", "high")),
    Extra("owner", required=True, max_length=5),
    Extra("notes"),
    Extra("area", choices=("web", "cli"), required=True),
)
WITH_EXTRAS = [
    replace(dialect, name=f"{dialect.name} with extras", extras=extras)
    for dialect in DIALECTS
    for extras in (EXTRAS[:1] + EXTRAS[2:3], EXTRAS)
    if dialect.name in ("smart", "shell", "envelope", "checklist")
]
WITH_EXTRAS = [replace(each, name=f"{each.name} {n}") for n, each in enumerate(WITH_EXTRAS)]
dialects = st.sampled_from(DIALECTS + WITH_EXTRAS)
dialect_and_call = dialects.flatmap(
    lambda dialect: st.tuples(st.just(dialect), near_miss(dialect) | anything)
)


def validator(dialect: ListDialect, *, complete: bool) -> Draft202012Validator:
    schema = dialect.input_schema(complete=complete)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


COMPLETE = {dialect.name: validator(dialect, complete=True) for dialect in DIALECTS + WITH_EXTRAS}
PUBLISHED = {dialect.name: validator(dialect, complete=False) for dialect in DIALECTS + WITH_EXTRAS}


@requirement("A1", "A2")
@given(dialects, st.lists(anything, max_size=4), st.data())
def test_no_sequence_of_calls_raises_and_a_refused_one_changes_nothing(
    dialect: ListDialect, calls: list[Any], data: st.DataObject
) -> None:
    todo = TodoWrite(dialect, environ={})
    calls.append(data.draw(near_miss(dialect)))
    heard: list[Change] = []
    todo.on_change(heard.append)
    for arguments in calls:
        before, told = todo.plan, len(heard)
        reply = todo(arguments)
        reply.text.encode("utf-8")
        if reply.is_error:
            assert todo.plan == before
            assert len(heard) == told
        else:
            assert todo.plan.revision == before.revision + 1
            assert len(heard) == told + 1


@requirement("A7")
@given(dialect_and_call)
def test_the_schema_and_the_checker_agree_as_an_independent_validator_judges(
    case: tuple[ListDialect, Any],
) -> None:
    dialect, arguments = case
    todo = TodoWrite(dialect, environ={})
    accepted = not todo(arguments).is_error
    valid = COMPLETE[dialect.name].is_valid(arguments)
    if dialect.lenient:
        if valid:
            assert accepted
        if accepted:  # then what was made of it must be valid
            assert COMPLETE[dialect.name].is_valid(wire(todo))
    else:
        assert accepted == valid
    if valid:
        assert PUBLISHED[dialect.name].is_valid(arguments)


@requirement("A7")
@pytest.mark.parametrize("name", ["smart", "shell", "twostate"])
@given(st.data())
def test_where_no_document_prescribes_the_schema_the_published_one_agrees_too(
    name: str, data: st.DataObject
) -> None:
    dialect = list_dialect(name)
    arguments = data.draw(near_miss(dialect))
    if "\ud800" in json.dumps(arguments, ensure_ascii=False, default=str):
        return  # a schema for models does not speak of surrogates
    accepted = not TodoWrite(dialect, environ={})(arguments).is_error
    assert accepted == PUBLISHED[name].is_valid(arguments)


@requirement("A4")
@given(dialect_and_call)
def test_a_kept_plan_sent_again_is_accepted_and_equal(case: tuple[ListDialect, Any]) -> None:
    dialect, arguments = case
    todo = TodoWrite(dialect, environ={})
    if todo(arguments).is_error:
        return
    kept, todos = wire(todo), todo.plan.todos
    assert not todo(kept).is_error
    assert wire(todo) == kept
    assert todo.plan.revision == 2
    if dialect.labels == "kept":
        assert todo.plan.todos == todos
        assert all(now is then for now, then in zip(todo.plan.todos, todos, strict=True))


@given(dialect_and_call)
def test_a_plan_survives_being_handed_back_by_a_program(case: tuple[ListDialect, Any]) -> None:
    dialect, arguments = case
    todo = TodoWrite(dialect, environ={})
    if not todo(arguments).is_error:
        before = todo.plan
        assert todo.update(before.todos).todos == before.todos


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=5, unique=True), max_size=8))
def test_a_number_is_given_once_and_stays_with_its_step(lists: list[list[str]]) -> None:
    for dialect in DIALECTS:
        todo = TodoWrite(dialect, environ={})
        ever: set[int] = set()
        for names in lists:
            before = {item.number: item for item in todo.plan.todos}
            todo.replace(_todos(names), summary="s")
            numbers = [item.number for item in todo.plan.todos]
            assert len(set(numbers)) == len(numbers)
            assert min(numbers, default=1) >= 1
            assert not {number for number in numbers if number not in before} & ever
            ever |= set(numbers)


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=5, unique=True), max_size=8))
def test_ids_are_unique_in_a_list_and_never_given_to_another_text(lists: list[list[str]]) -> None:
    store = MemoryStore()
    for dialect in DIALECTS:
        todo = TodoWrite(dialect, store=store, session=dialect.name, environ={})
        owners: dict[str, str] = {}
        said: set[str] = set()
        for names in lists:
            rows = [dialect.wire(item) for item in _todos(names)]
            arguments: dict[str, Any] = {dialect.list_key: rows, "summary": "s"}
            if dialect.summary is None:
                del arguments["summary"]
            assert not todo(arguments).is_error
            ids = [item.id for item in todo.plan.todos]
            assert len(set(ids)) == len(ids)
            if dialect.labels == "fresh":
                assert not set(ids) & owners.keys()
            for item in todo.plan.todos:
                # a text that was there before keeps its id or gets a new one, never another's
                if item.id in owners and item.content in said:
                    assert owners[item.id] == item.content
            owners |= {item.id: item.content for item in todo.plan.todos}
            said = set(names)


def _todos(names: list[str]) -> list[Any]:
    from todowright import Todo

    return [Todo(name, "pending", name) for name in names]
