"""What is written is read again: all that a format says it holds, and nothing that it says it loses."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from todowright import Plan, Todo, read_plan, write_plan
from todowright.formats import Format, formats

EXAMPLES = 24
FORMATS = list(formats().values())
each_format = pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)

chars = st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp"])
tricky = st.sampled_from(
    ["[x] done", "- [ ] a", "**a** (in progress)", "~~a~~", "# a", "```", "1. a", "a\\", "{", "[]"]
)
line = st.one_of(tricky, st.text(chars, min_size=1, max_size=12)).filter(lambda text: text.strip())
several = st.one_of(line, st.builds("{}\n{}".format, line, line))
label = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,5}", fullmatch=True)
metadata = st.dictionaries(line, st.one_of(st.integers(0, 9), line), min_size=1, max_size=2).map(
    lambda found: json.dumps(found, ensure_ascii=False)
)
extras = st.fixed_dictionaries(
    {},
    optional={
        "priority": st.sampled_from(["high", "medium", "low", "urgent"]),
        "state": st.sampled_from(["blocked", "deferred"]),
        "description": several,
        "owner": line,
        "notes": several,
        "parent": label,
        "type": st.sampled_from(["epic", "task", "bug", "chore"]),
        "metadata": metadata,
        "plan": several,
        "log": several,
        "colour": line,
    },
)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    labels = draw(st.lists(st.one_of(st.just(""), label), max_size=5))
    labels = [each for at, each in enumerate(labels) if not each or each not in labels[:at]]
    known = [each for each in labels if each]
    todos = []
    for own in labels:
        kept = draw(extras)
        if waits := draw(st.lists(st.sampled_from([*known, "gone"]), max_size=2, unique=True)):
            kept["blockedBy"] = " ".join(waits)
        status = draw(st.sampled_from(["pending", "in_progress", "completed", "cancelled"]))
        form = draw(st.one_of(st.just(""), line))
        todos.append(Todo(draw(several), status, form, own, 0, tuple(sorted(kept.items()))))  # type: ignore[arg-type]
    return Plan(todos=tuple(todos), summary=draw(st.one_of(st.just(""), line.map(str.strip))))


def predicted(plan: Plan, form: Format) -> Iterator[tuple[int | None, str]]:
    """What is lost, told by what the format says it holds, and by nothing else."""
    holds = form.holds
    if plan.summary and not holds.summary:
        yield None, "summary"
    kept = [
        todo for todo in plan.todos if todo.status != "cancelled" or "cancelled" in holds.statuses
    ]
    places = {todo.id: str(place) for place, todo in enumerate(kept, 1) if todo.id}
    first = next((todo for todo in kept if not todo.closed), None)
    for index, todo in enumerate(plan.todos):
        if todo not in kept:
            yield index, "item"
            continue
        if not holds.lines and (todo.content != todo.content.strip() or "\n" in todo.content):
            yield index, "content"
        held = todo.status in holds.statuses
        if holds.focus_first and not todo.closed:
            held = (todo is first) == (todo.status == "in_progress")
        if not held:
            yield index, "status"
        if todo.active_form and not holds.active_form:
            yield index, "active_form"
        if todo.id and not _id_is_held(form, todo.id, places):
            yield index, "id"
        for key, text in todo.extras:
            if not _extra_is_held(form, todo, key, text, places):
                yield index, key


def _id_is_held(form: Format, own: str, places: dict[str, str]) -> bool:
    match form.holds.id:
        case "number":
            return own.isdecimal() and str(int(own)) == own
        case "place":
            return places[own] == own
        case held:
            return bool(held)


def _extra_is_held(form: Format, todo: Todo, key: str, text: str, places: dict[str, str]) -> bool:
    holds = form.holds
    if key == "state":
        return todo.status == "pending" and (holds.states is None or text in holds.states)
    if key not in holds.extras or text not in holds.choices.get(key, (text,)):
        return False
    if key == "blockedBy" and holds.id == "place":
        return [places.get(each, each) for each in text.split()] == text.split()
    return True


@settings(max_examples=EXAMPLES, deadline=None)
@given(plan=plans())
def test_what_a_format_loses_is_what_it_says_and_no_more(plan: Plan) -> None:
    check_losses(plan)


@pytest.mark.slow
@pytest.mark.soak
@settings(max_examples=2_000, deadline=None)
@given(plan=plans())
def test_what_a_format_loses_is_what_it_says_for_many_plans(plan: Plan) -> None:
    check_losses(plan)


def check_losses(plan: Plan) -> None:
    for form in FORMATS:
        written = write_plan(plan, form.name)
        lost = {(loss.index, loss.field) for loss in written.losses}
        assert lost == set(predicted(plan, form)), form


@settings(max_examples=EXAMPLES // 2, deadline=None)
@given(plan=plans().filter(lambda plan: not all(todo.closed for todo in plan.todos)))
def test_what_was_read_once_is_read_the_same_again_by_itself(plan: Plan) -> None:
    for form in FORMATS:
        once = write_plan(plan, form)
        read = read_plan(once.payload).plan
        assert read == read_plan(once.payload, format=form).plan, form
        twice = write_plan(read, form)
        assert twice.losses == (), form
        assert twice.payload == once.payload, form


@each_format
def test_a_payload_of_calls_and_messages_is_json(form: Format) -> None:
    plan = Plan(todos=(Todo("a", "in_progress"), Todo("b", "completed")))
    payload = write_plan(plan, form).payload
    assert json.loads(json.dumps(payload)) == payload


@settings(max_examples=EXAMPLES // 2, deadline=None)
@given(steps=st.lists(st.integers(-3, 1), min_size=1, max_size=8), words=line.map(str.strip))
def test_nested_items_stay_nested(steps: list[int], words: str) -> None:
    level, todos = -1, []
    for step in steps:
        level = max(0, level + step) if level >= 0 else 0
        kept = (("level", str(level)),) if level else ()
        todos.append(Todo(words, "completed", extras=kept))
    for name in ("markdown", "roo", "cline", "copilot-cli", "goose"):
        written = write_plan(Plan(todos=tuple(todos)), name)
        assert written.losses == (), name
        assert read_plan(written.payload).plan.todos == tuple(todos), name
