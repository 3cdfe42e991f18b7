"""What holds for every dialect."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.requirements import requirement
from tests.support import FIVE, call, texts, wire
from todowright import (
    Change,
    Conflict,
    MemoryStore,
    Plan,
    Receipt,
    StoreError,
    Todo,
    TodoWrite,
)

BAD: Any = {"todos": 5, "items": 5, "summary": "s"}


@pytest.fixture(params=FIVE)
def todo(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TodoWrite]:
    yield TodoWrite(request.param, root=tmp_path, environ={})
    assert not (tmp_path / "memory").exists()


def ask(todo: TodoWrite, *items: Any) -> Any:
    return call(todo.dialect, *items)


@requirement("A1")
def test_a_refused_call_changes_nothing_and_tells_nobody(todo: TodoWrite) -> None:
    todo(ask(todo, "keep"))
    before = todo.plan
    heard: list[Change] = []
    todo.on_change(heard.append)
    assert todo(BAD).is_error
    assert todo.plan is before
    assert heard == []


@requirement("A3")
def test_mutating_what_went_in_or_came_out_changes_nothing(todo: TodoWrite) -> None:
    arguments = ask(todo, "a", "b")
    payloads: list[tuple[Todo, ...]] = []
    todo.on("todos:update", payloads.append)
    reply = todo(arguments)
    before, kept = todo.plan, wire(todo)

    rows = arguments[todo.dialect.list_key]
    rows[0]["content"] = "mutated"
    rows.clear()
    data: Any = reply.data
    for value in list(data.values()):
        if isinstance(value, (list, dict)):
            value.clear()
    with pytest.raises(AttributeError):
        before.todos = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        payloads[0][0].content = "mutated"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        payloads[0].append(Todo("more"))  # type: ignore[attr-defined]

    assert todo.plan == before
    assert wire(todo) == kept


@requirement("A4")
def test_an_equal_list_makes_a_new_revision_and_is_told(todo: TodoWrite) -> None:
    heard: list[Change] = []
    todo.on_change(heard.append)
    for _ in range(3):
        assert not todo(ask(todo, "a")).is_error
    assert todo.plan.revision == 3
    assert [change.plan.revision for change in heard] == [1, 2, 3]
    assert [len(change.items) for change in heard] == [1, 0, 0]


@requirement("A5")
def test_a_listener_that_raises_stops_neither_the_others_nor_the_commit_nor_the_reply(
    todo: TodoWrite, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[Change] = []

    def broken(change: Change) -> None:
        raise RuntimeError("out of order")

    todo.on_change(broken)
    todo.on_change(heard.append)
    assert not todo(ask(todo, "a")).is_error
    assert texts(todo.plan) == ["a"]
    assert len(heard) == 1
    assert "a listener failed" in caplog.text


@requirement("A5")
def test_a_listener_may_unsubscribe_itself_or_another_while_it_is_told(todo: TodoWrite) -> None:
    heard: list[str] = []

    def once(change: Change) -> None:
        heard.append("once")
        stop_once()
        stop_other()

    stop_once = todo.on_change(once)
    stop_other = todo.on_change(lambda change: heard.append("other"))
    todo.on_change(lambda change: heard.append("stays"))
    todo(ask(todo, "a"))
    todo(ask(todo, "b"))
    assert heard == ["once", "stays", "stays"]


@requirement("A5")
def test_one_function_subscribed_twice_is_told_twice_and_stopped_once(todo: TodoWrite) -> None:
    heard: list[Change] = []
    stop = todo.on_change(heard.append)
    todo.on_change(heard.append)
    todo(ask(todo, "a"))
    stop()
    todo(ask(todo, "b"))
    assert [change.plan.revision for change in heard] == [1, 1, 2]


@requirement("A5")
def test_a_listener_may_call_the_tool_and_everybody_hears_revisions_in_order(
    todo: TodoWrite,
) -> None:
    early: list[int] = []
    late: list[int] = []

    def again(change: Change) -> None:
        early.append(change.plan.revision)
        if change.plan.revision < 3:
            assert not todo(ask(todo, f"after {change.plan.revision}")).is_error

    todo.on_change(again)
    todo.on_change(lambda change: late.append(change.plan.revision))
    todo(ask(todo, "first"))
    assert early == late == [1, 2, 3]
    assert texts(todo.plan) == ["after 2"]


@requirement("A5")
def test_a_listener_may_wait_for_another_thread_that_calls_the_tool(todo: TodoWrite) -> None:
    heard: list[int] = []

    def wait(change: Change) -> None:
        heard.append(change.plan.revision)
        if change.plan.revision == 1:
            other = threading.Thread(target=todo, args=(ask(todo, "b"),))
            other.start()
            other.join(10)
            assert not other.is_alive()

    todo.on_change(wait)
    todo(ask(todo, "a"))
    assert heard == [1, 2]


@requirement("A5")
def test_eight_threads_never_lose_an_accepted_update(todo: TodoWrite) -> None:
    heard: list[int] = []
    todo.on_change(lambda change: heard.append(change.plan.revision))
    each, accepted = 100, []

    def work(name: int) -> None:
        # half the threads share the tool, half have their own on the same store
        mine = (
            todo
            if name % 2
            else TodoWrite(todo.dialect, store=todo.store, root=todo.root, environ={})
        )
        for number in range(each):
            reply = mine(ask(todo, f"{name}-{number}"))
            if not reply.is_error:
                accepted.append(f"{name}-{number}")

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    history = todo.store.history(todo.session, todo.agent)
    assert len(accepted) == 8 * each
    assert [plan.revision for plan in history] == list(range(1, 8 * each + 1))
    assert sorted(texts(plan)[0] for plan in history) == sorted(accepted)
    assert heard == sorted(heard)
    assert len(heard) == 8 * each  # whoever made it in this process


@requirement("A9")
def test_sessions_and_agents_have_plans_of_their_own(todo: TodoWrite) -> None:
    store = todo.store
    names = [("s1", "main"), ("s1", "worker"), ("s2", "main")]
    tools = [
        TodoWrite(todo.dialect, store=store, session=session, agent=agent, root=todo.root)
        for session, agent in names
    ]
    for number, tool in enumerate(tools):
        tool(ask(tool, f"of {number}"))
    assert [texts(tool.plan) for tool in tools] == [["of 0"], ["of 1"], ["of 2"]]
    assert todo.plan.todos == ()
    same = TodoWrite(todo.dialect, store=store, session="s1", agent="worker", root=todo.root)
    assert texts(same.plan) == ["of 1"]
    assert TodoWrite(todo.dialect).plan.todos == ()


@requirement("A10")
def test_several_calls_in_one_turn_run_in_order_and_the_last_says_that_it_stands(
    todo: TodoWrite,
) -> None:
    name = todo.dialect.tool_name
    alone = todo(ask(todo, "a"))
    first, refused, last = todo.turn([(name, ask(todo, "a")), (name, BAD), (name, ask(todo, "b"))])
    assert not first.is_error
    assert refused.is_error
    assert texts(todo.plan) == ["b"]
    note = "注意：本轮共调用 3 次，以这一次为准。"
    if todo.dialect.name != "twostate":
        note = "Note: 3 plan calls in this turn; this is the one that stands."
    assert note in last.text
    assert note in last.display
    assert note not in first.text
    assert (note in str(last.data)) == (todo.dialect.name in ("shell", "envelope"))
    (single,) = todo.turn([(name, ask(todo, "a"))])
    assert len(single.text) == pytest.approx(len(alone.text), abs=4)
    assert note not in single.text


@requirement("A10")
def test_where_the_last_is_refused_the_last_accepted_one_stands_and_says_so(
    todo: TodoWrite,
) -> None:
    name = todo.dialect.tool_name
    first, last = todo.turn([(name, ask(todo, "a")), (name, BAD)])
    assert last.is_error
    assert texts(todo.plan) == ["a"]
    assert "2" in first.text
    assert len(first.text) > len(todo(ask(todo, "a")).text)


@requirement("A10")
def test_an_empty_list_that_comes_last_stands_too(todo: TodoWrite) -> None:
    name = todo.dialect.tool_name
    first, last = todo.turn([(name, ask(todo, "a")), (name, ask(todo))])
    assert texts(todo.plan) == []
    assert len(last.text) > len(todo(ask(todo)).text) + 10
    assert not first.is_error


def test_a_call_by_another_tools_name_is_refused(todo: TodoWrite) -> None:
    assert not todo(ask(todo, "a"), tool=todo.dialect.tool_name).is_error
    assert todo(ask(todo, "b"), tool="no_such_tool").is_error
    assert texts(todo.plan) == ["a"]


class BrokenStore(MemoryStore):
    """A store that cannot be written any more."""

    error: Exception = StoreError("the disk is full")

    def save(self, plan: Plan, receipt: Receipt | None = None) -> None:
        raise self.error


@requirement("A1", "A2")
@pytest.mark.parametrize(
    ("error", "told"),
    [
        (StoreError("the disk is full"), "the disk is full"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (RecursionError("secret"), "RecursionError"),
        (Conflict("s", "a", 1, 5), "the store is at 5"),
    ],
)
def test_a_store_that_fails_gives_a_clear_error_and_loses_nothing(
    todo: TodoWrite, error: Exception, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    todo(ask(todo, "keep"))
    kept = todo.plan
    heard: list[Change] = []
    todo.on_change(heard.append)
    todo.store.__class__ = BrokenStore
    todo.store.error = error  # type: ignore[attr-defined]

    reply = todo(ask(todo, "new"))

    assert reply.is_error
    assert told in reply.text
    assert "secret" not in reply.text
    assert todo.plan is kept
    assert heard == []
    assert "a plan call failed" in caplog.text
    with pytest.raises(type(error)):
        todo.clear()


def test_a_store_that_cannot_even_be_read_is_told_in_the_dialects_words(
    todo: TodoWrite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(session: str, agent: str) -> Plan:
        raise StoreError("the file is no database")

    monkeypatch.setattr(todo.store, "load", unreadable)
    for arguments in (ask(todo, "a"), BAD):
        reply = todo(arguments)
        assert reply.is_error
        assert "the file is no database" in reply.text
