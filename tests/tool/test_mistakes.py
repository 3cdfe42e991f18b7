"""Ordinary mistakes of a Python program: what it does, what is raised, and the one line that says what to do.

A model's arguments never raise; these are mistakes of who calls the tool, or makes it.
"""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import todowright
from tests.support import call
from todowright import (
    BadName,
    Change,
    Edit,
    MemoryStore,
    Plan,
    Refused,
    StoreError,
    Todo,
    TodoWrite,
    UnknownName,
    follow,
    load_dialect,
    open_store,
)
from todowright.dialects.list_dialect import ListDialect
from todowright.plan.changes import KINDS

tw: Any = todowright
"""For calls that a type checker would not let pass."""


def planned(**given: Any) -> Any:
    todo = TodoWrite("lean", **given)
    todo({"steps": ["Read", "Fix", "Test"]}, tool="plan")
    return todo


def closed() -> Any:
    with planned() as todo:
        return todo


def changed() -> Any:
    heard: list[Change] = []
    todo = TodoWrite()
    todo.on_change(heard.append)
    todo.add("A")
    return heard[0]


def ended_turn() -> Any:
    with planned().turn() as turn:
        return turn


def nested_turns() -> None:
    todo = planned()
    with todo.turn(), todo.turn():
        raise AssertionError


class HalfAStore:
    def load(self, session: str, agent: str) -> Plan:
        return Plan(session, agent)


async def verify(_: Todo) -> bool:
    return True


def checked_by_async() -> Any:
    todo = TodoWrite(verify=verify)
    todo.add("Read")
    return todo


class Row(NamedTuple):
    does: str
    do: Callable[[], object]
    error: type[Exception]
    line: str
    """With `{folder}` for the folder of the test."""


URLS = "use memory:, sqlite:///path/to/plans.db or postgresql://host/database"
NAMES = "use 1 to 100 printable characters, no slashes, not starting with a dot or a dash"
DIALECT_NAMES = "lean, smart, shell, envelope, checklist, twostate, tasks"
DEEDS = "use complete, reopen, start, cancel, reword, add, move, remove"
PLACES = "the places are i, field, path, got, kind, received, limit, expected, allowed, list, tool"
folder = Path()
own: Any = ListDialect

ROWS = [
    # The dialect
    Row("misspells a dialect", lambda: TodoWrite("checklst"), UnknownName,
        f"no dialect is called 'checklst': did you mean checklist? use {DIALECT_NAMES}, a Dialect, or a path like pkg.mod:NAME"),
    Row("writes a dialect in capitals", lambda: load_dialect("LEAN"), UnknownName,
        f"no dialect is called 'LEAN': did you mean lean? use {DIALECT_NAMES}, a Dialect, or a path like pkg.mod:NAME"),
    Row("gives a number for a dialect", lambda: tw.TodoWrite(dialect=5), TypeError,
        "a dialect is a name or a Dialect, not an int: use 'lean'"),
    Row("gives several dialects", lambda: tw.TodoWrite(["lean", "smart"]), TypeError,
        "a dialect is a name or a Dialect, not a list: use 'lean'"),
    Row("names a dialect that is not in its module", lambda: TodoWrite("tests.support:KANBAN"), UnknownName,
        "no dialect at 'tests.support:KANBAN' (module 'tests.support' has no attribute 'KANBAN'): use a path like pkg.mod:NAME"),
    Row("misspells a phrase", lambda: ListDialect(name="own", phrases={"mising": "?"}), ValueError,
        "dialect own: phrases knows no 'mising': did you mean missing? they are in todowright.dialects.default_phrases"),
    Row("misspells a place in a phrase", lambda: ListDialect(name="own", phrases={"missing": "{feild} please"}), ValueError,
        f"dialect own: the phrase 'missing' cannot be filled in (KeyError: 'feild'): {PLACES}"),
    Row("leaves a brace open in a phrase", lambda: ListDialect(name="own", phrases={"missing": "{field"}), ValueError,
        f"dialect own: the phrase 'missing' cannot be filled in (ValueError: expected '}}' before end of string): {PLACES}"),
    Row("names a place that a note does not have", lambda: ListDialect(name="own", phrases={"last_stands": "{limit}"}), ValueError,
        "dialect own: the phrase 'last_stands' cannot be filled in (KeyError: 'limit'): the places are got"),
    Row("gives words where a function is wanted", lambda: own(name="own", accept="Done."), ValueError,
        "dialect own: accept must be a function, not a str"),
    # The store
    Row("gives a path in place of a URL", lambda: TodoWrite(store="plans.db"), UnknownName,
        f"no store is known for 'plans.db': did you mean sqlite:///plans.db? {URLS}"),
    Row("forgets a slash of the URL", lambda: TodoWrite(store="sqlite://plans.db"), UnknownName,
        f"no store is known for 'sqlite://plans.db': did you mean sqlite:///plans.db? {URLS}"),
    Row("writes memory as SQLite does", lambda: TodoWrite(store="sqlite:///:memory:"), UnknownName,
        f"no store is known for 'sqlite:///:memory:': did you mean memory:? {URLS}"),
    Row("forgets the colon", lambda: TodoWrite(store="memory"), UnknownName,
        f"no store is known for 'memory': did you mean memory:? {URLS}"),
    Row("names a database that is not built", lambda: open_store("mysql://host/plans"), UnknownName,
        f"no store is known for 'mysql://host/plans': {URLS}"),
    Row("uses ~ in a URL", lambda: TodoWrite(store="sqlite:///~/plans.db"), UnknownName,
        "the ~ of 'sqlite:///~/plans.db' would be a folder: write the whole path"),
    Row("gives a Path as the store", lambda: tw.TodoWrite(store=Path("plans.db")), TypeError,
        "store must be a URL or a Store, not a PosixPath: use f'sqlite:///{path}'"),
    Row("opens a Path", lambda: tw.open_store(Path("plans.db")), TypeError,
        "a store is named by a URL, not a PosixPath: use f'sqlite:///{path}'"),
    Row("gives None as the store", lambda: tw.TodoWrite(store=None), TypeError,
        "store must be a URL or a Store, not None: use 'sqlite:///plans.db'"),
    Row("gives the class in place of a store", lambda: tw.TodoWrite(store=MemoryStore), TypeError,
        "store is the class MemoryStore: make one, as in MemoryStore()"),
    Row("gives a tool in place of a store", lambda: tw.TodoWrite(store=TodoWrite()), TypeError,
        "store must be a URL or a Store, not a TodoWrite: use its `.store`"),
    Row("gives a store that cannot save", lambda: tw.TodoWrite(store=HalfAStore()), TypeError,
        "the store, a HalfAStore, has no save; end; history; plans; sessions; and 15 more: write that, as `todowright.Store` has it"),
    Row("names a folder as the database", lambda: TodoWrite(store=f"sqlite:///{folder}").add("A"), StoreError,
        "{folder} is a folder: name a file in it"),
    Row("keeps no revision in memory", lambda: MemoryStore(keep=0), ValueError,
        "keep is how many revisions to keep, 1 or more, not 0"),
    # What else a tool is made of
    Row("gives a number as the session", lambda: tw.TodoWrite(session=5), BadName,
        "the name of a session is a str, not an int: give it as text"),
    Row("gives a path as the session", lambda: TodoWrite(session="../other"), BadName,
        f"'../other' cannot be the name of a session: {NAMES}"),
    Row("gives no agent", lambda: tw.TodoWrite(agent=None), BadName,
        "the name of an agent is a str, not None: give it as text"),
    Row("makes a session name of a number", lambda: tw.session_name(5), TypeError,
        "session_name takes a str, not an int: give it str(…) of that"),
    Row("turns verify on", lambda: tw.TodoWrite(verify=True), TypeError,
        "verify must be a function, not a bool: use lambda step: True"),
    Row("gives the time in place of a clock", lambda: tw.TodoWrite(clock=datetime(2025, 1, 2)), TypeError,
        "clock must be a function, not a datetime: use lambda: datetime.now(UTC)"),
    Row("gives a clock without a time zone", lambda: TodoWrite(clock=lambda: datetime(2025, 1, 2)).add("A"), TypeError,
        "clock gave '2025-01-02 00:00:00': use datetime.now(UTC)"),
    Row("gives the environment as a list", lambda: tw.TodoWrite(environ=["TODO_MAX_ITEMS=5"]), TypeError,
        "environ must be a mapping such as os.environ, not a list"),
    Row("gives a number as the root", lambda: tw.TodoWrite(root=5), TypeError,
        "root must be the path of a folder, such as '.', not an int"),
    Row("gives a text for yes or no", lambda: tw.TodoWrite(with_news="no"), TypeError,
        "with_news must be True or False, not a str"),
    Row("sets yes or no to a text", lambda: setattr(TodoWrite(), "with_news", "no"), TypeError,
        "with_news must be True or False, not a str"),
    Row("serves a step by its words", lambda: tw.TodoWrite(serves="Read"), TypeError,
        "serves must be the number of a step, 0 for none, not a str"),
    # Listening
    Row("listens with what a call gave", lambda: tw.TodoWrite().on_change(None), TypeError,
        "listener must be a function, not None: use one that takes what changed"),
    Row("listens with a number", lambda: tw.TodoWrite().on_change(5), TypeError,
        "listener must be a function, not an int: use one that takes what changed"),
    Row("listens with an async function", lambda: tw.TodoWrite().on_change(verify), TypeError,
        "listener must be a plain function, not async: to await, use afollow(store)"),
    Row("listens to an event that is not there", lambda: tw.TodoWrite().on("todos:changed", print), UnknownName,
        "no event is called 'todos:changed': use todos:update"),
    Row("handles an event with nothing", lambda: tw.TodoWrite().on("todos:update", None), TypeError,
        "handler must be a function, not None: use one that takes what changed"),
    Row("asks a change for a kind that is not there", lambda: changed().of("finished"), UnknownName,
        f"no change is called 'finished': use {', '.join(KINDS)}"),
    Row("asks a change for a deed", lambda: changed().of("complete"), UnknownName,
        f"no change is called 'complete': did you mean completed? use {', '.join(KINDS)}"),
    Row("follows a tool", lambda: tw.follow(tw.TodoWrite()), TypeError,
        "store must be a URL or a Store, not a TodoWrite: use its `.store`"),
    Row("follows a path", lambda: follow("plans.db"), UnknownName,
        f"no store is known for 'plans.db': did you mean sqlite:///plans.db? {URLS}"),
    Row("follows after a plan", lambda: tw.follow(MemoryStore(), after=Plan()), TypeError,
        "after must be the number of a revision, not a Plan"),
    Row("follows until something is true", lambda: tw.follow(MemoryStore(), until=True), TypeError,
        "until must be a function, not a bool: use lambda: done"),
    Row("follows without a pause", lambda: follow(MemoryStore(), pause=-1), ValueError,
        "pause must be a number of seconds, not -1"),
    Row("follows a session by number", lambda: tw.afollow(MemoryStore(), session=5), TypeError,
        "session must be the name of one, not an int"),
    Row("forgets the async of `async for`", lambda: list(tw.afollow(MemoryStore())), TypeError,
        "afollow is awaited: use `async for`, or `for` with follow(store)"),
    # Await
    Row("forgets to await where verify is async", lambda: tw.TodoWrite(verify=verify)({"steps": ["Read"]}), TypeError,
        "verify is async: use `await todo.acall(…)` in place of todo(…)"),
    Row("completes without await where verify is async", lambda: checked_by_async().complete(1), Refused,
        "step 1 is not finished: it is checked by an async function: use `await todo.acall(…)` or `await todo.aedit(…)`"),
    # Edits
    Row("completes a step that is not there", lambda: planned().complete(9), Refused,
        "there is no step 9: the steps are 1-3"),
    Row("completes words that are not there", lambda: planned().complete("Deploy"), Refused,
        "there is no step 'Deploy'; there are: 1 Read; 2 Fix"),
    Row("counts steps from 0", lambda: planned().complete(0), Refused,
        "there is no step 0: the steps are 1-3"),
    Row("completes several steps", lambda: planned().complete([1, 2]), TypeError,
        "a step is a list: name it by its number, id or words"),
    Row("completes a Todo", lambda: planned().complete(planned().plan.todos[0]), TypeError,
        "a step is a Todo: name it by its number, id or words"),
    Row("completes nothing", lambda: planned().complete(None), Refused,
        "step is missing: add it"),
    Row("moves a step beyond the end", lambda: planned().move(1, after=99), Refused,
        "there is no step 99: the steps are 1-3"),
    Row("adds several steps", lambda: planned().add(["Deploy", "Rest"]), TypeError,
        "text must be a str, not a list: give the words of one step"),
    Row("adds an empty step", lambda: planned().add("  "), Refused,
        "text is blank: say what to do"),
    Row("rewords a step to nothing", lambda: planned().reword(1, None), TypeError,
        "text must be a str, not None: give the words of one step"),
    Row("updates with a mapping", lambda: planned().update({"id": "t1", "status": "completed"}), TypeError,
        "give a list of todos, not a dict: put it in brackets"),
    Row("updates with a number", lambda: planned().update(5), TypeError,
        "give a list of todos, not an int: put it in brackets"),
    Row("updates with numbers", lambda: planned().update([1, 2]), TypeError,
        "a todo is an int: give a dict, a Todo or a text"),
    Row("updates an id that is not there", lambda: planned().update([{"id": "t9", "status": "completed"}]), Refused,
        "there is no step 't9': the steps are t1; t2; t3"),
    Row("updates by a number for an id", lambda: planned().update([{"id": 1, "status": "completed"}]), TypeError,
        "the id of a todo is an int: give a str, such as 't1'"),
    Row("misspells a status", lambda: planned().update([{"id": "t1", "status": "done"}]), Refused,
        "steps[0].status is 'done': use one of pending, in_progress, completed, cancelled"),
    Row("misspells a key", lambda: planned().update([{"id": "t1", "state": "completed"}]), Refused,
        "steps[0] has unknown keys ('state'): leave them out"),
    Row("edits with one edit", lambda: planned().edit(Edit("complete", 1)), TypeError,
        "edit takes a list of edits, not an Edit: use [Edit('complete', 1)]"),
    Row("edits with dicts", lambda: planned().edit([{"do": "complete", "step": 1}]), TypeError,
        "an edit is a dict: use an Edit, as in Edit('complete', 1)"),
    Row("misspells an edit", lambda: tw.Edit("completed", 1), UnknownName,
        f"no edit is called 'completed': did you mean complete? {DEEDS}"),
    Row("edits in its own name", lambda: planned().add("Deploy", by="Ada"), TypeError,
        "by is an Author of the kind agent, person, program, as in Author('person', 'Ada'), not 'Ada'"),
    Row("invents a kind of author", lambda: planned().add("Deploy", by=tw.Author("robot")), TypeError,
        "by is an Author of the kind agent, person, program, as in Author('person', 'Ada'), not Author(kind='robot', name='')"),
    # Turns
    Row("opens a turn inside another", nested_turns, RuntimeError,
        "a turn of this tool is open: end its `with` block before the next"),
    Row("calls a turn after its block", lambda: ended_turn()("plan"), RuntimeError,
        "this turn has ended: call it inside `with todo.turn() as turn:`"),
    Row("calls a turn without a block", lambda: planned().turn()("plan"), RuntimeError,
        "this turn has not begun: call it inside `with todo.turn() as turn:`"),
    Row("begins a turn again", lambda: ended_turn().__enter__(), RuntimeError,
        "this turn has ended: begin another one with todo.turn()"),
    Row("gives a turn as a dict", lambda: planned().turn({"done": {"step": 1}}), TypeError,
        "a turn is a list of calls, not a dict: use [(name, arguments)]"),
    Row("gives a turn of names", lambda: planned().turn(["plan"]), TypeError,
        "call 1 of the turn is 'plan': use a pair (name, arguments)"),
    Row("gives a turn whose pairs are the wrong way round", lambda: planned().turn([("plan", {}), ({"step": 1}, "done")]), TypeError,
        "call 2 of the turn is ({'step': 1}, 'done'): use a pair (name, arguments)"),
    # The end
    Row("calls a tool that is closed", lambda: closed()({"step": 1}, tool="done"), StoreError,
        "this TodoWrite is closed: make another one on the same store"),
    Row("reads the plan of a tool that is closed", lambda: closed().plan, StoreError,
        "this TodoWrite is closed: make another one on the same store"),
    Row("ends the plan of the main agent", lambda: planned().end(), ValueError,
        "main is no sub-agent: empty its plan with todo.clear()"),
    Row("labels a sub-agent with a number", lambda: planned().subagent(5), BadName,
        "the name of an agent is a str, not an int: give it as text"),
    Row("pickles a tool", lambda: pickle.dumps(planned()), TypeError,
        "a TodoWrite cannot be copied or pickled: make another one with the same store and session"),
    Row("copies a tool", lambda: copy.deepcopy(planned()), TypeError,
        "a TodoWrite cannot be copied or pickled: make another one with the same store and session"),
    # Values
    Row("changes a todo in place", lambda: setattr(planned().plan.todos[0], "status", "completed"), FrozenInstanceError,
        "'status' of a Todo stays as it is: change the plan with todo.edit(…), or make a copy with dataclasses.replace(…)"),
    Row("sets the plan", lambda: setattr(planned(), "plan", Plan()), AttributeError,
        "plan cannot be set: change it with todo.update(…) or todo.edit(…)"),
    Row("counts a status that is not there", lambda: planned().plan.count("done"), UnknownName,
        "no status is called 'done': use pending, in_progress, completed, cancelled"),
    Row("makes a plan from a list", lambda: tw.Plan.from_dict([]), ValueError,
        "a Plan is made from a dict, not a list: use what to_dict() gave"),
    Row("makes a reply from its text", lambda: tw.Reply.from_dict("Done."), ValueError,
        "a Reply is made from a dict, not a str: use what to_dict() gave"),
    Row("asks for the lifelines of one revision", lambda: tw.lifelines(planned().plan), TypeError,
        "lifelines takes the revisions of a plan, not a Plan: use revisions(store, session, agent)"),
]  # fmt: skip


def test_there_are_more_than_forty_and_each_is_another_one() -> None:
    assert len({row.does for row in ROWS}) == len(ROWS) > 40


@pytest.mark.parametrize("row", ROWS, ids=[row.does for row in ROWS])
def test_the_mistake_is_refused_with_one_line_that_says_what_to_do(
    row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "folder", tmp_path)
    with pytest.raises(row.error) as caught:
        row.do()
    said = str(caught.value)
    assert said == row.line.replace("{folder}", str(tmp_path))
    assert type(caught.value) is row.error
    assert "\n" not in said
    assert len(said) <= 200


@pytest.mark.parametrize("row", ROWS, ids=[row.does for row in ROWS])
def test_no_line_is_from_within(row: Row) -> None:
    """None is what Python says by itself: it would not tell what to do."""
    assert "object has no attribute" not in row.line
    assert "is not iterable" not in row.line
    assert "unexpected" not in row.line


# Faults of a dialect of one's own that only show when it is used: the model is answered all the same


def wrong(**given: Any) -> Any:
    return replace(load_dialect("checklist"), name="own", **given)


def test_an_accept_that_says_it_gives_a_text_is_refused_when_the_dialect_is_made() -> None:
    def accept(dialect: object, plan: Plan, call: object) -> str:
        return "Done."

    with pytest.raises(ValueError, match="dialect own: accept gives a str: return a Reply"):
        wrong(accept=accept)


@pytest.mark.parametrize("name", ["accept", "reject", "annotate"])
def test_a_text_in_place_of_a_reply_is_told_to_the_model_and_logged_for_the_program(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    todo = TodoWrite(wrong(**{name: lambda *_: "Done."}))
    arguments = {"items": 5} if name == "reject" else call("checklist", "A")
    reply = todo(arguments)
    if name == "annotate":
        (_, reply) = todo.turn([("TodoWrite", arguments), ("TodoWrite", arguments)])
    assert (reply.text, reply.display, reply.is_error) == ("Done.", "Done.", name == "reject")
    assert f"dialect own: {name} gave a str: return a Reply" in caplog.text


def test_a_number_in_place_of_a_reply_still_keeps_the_plan_and_answers(
    caplog: pytest.LogCaptureFixture,
) -> None:
    todo = TodoWrite(wrong(accept=lambda *_: 5, reject=lambda *_: None))
    assert todo(call("checklist", "A")).text == "The list was updated."
    assert "dialect own: accept gave an int: return a Reply" in caplog.text
    refused = todo({"items": 5})
    assert refused.is_error
    assert "dialect own: reject gave None: return a Reply" in caplog.text
    assert todo.plan.revision == 1


def test_a_clock_that_goes_wrong_later_is_told_to_the_model_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    todo = TodoWrite(clock=lambda: datetime(2025, 1, 2))
    assert todo({"steps": ["A"]}, tool="plan").is_error
    assert "clock gave '2025-01-02 00:00:00': use datetime.now(UTC)" in caplog.text
    assert todo.plan.revision == 0


def test_a_verify_that_says_neither_yes_nor_no_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    todo = planned(verify=lambda step: None)
    assert todo({"step": 1}, tool="done").is_error
    assert "verify gave None: return True, False, or why not as a text" in caplog.text


def test_a_call_that_nobody_awaits_makes_no_revision() -> None:
    todo = TodoWrite()
    forgotten = todo.acall({"steps": ["A"]})
    assert asyncio.iscoroutine(forgotten)
    forgotten.close()
    assert todo.plan.revision == 0
