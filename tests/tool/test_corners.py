"""Corners of the tool: closing, forks, event loops, other processes, extras, and steps in other words."""

from __future__ import annotations

import asyncio
import multiprocessing
import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from todowright import Conflict, Edit, MemoryStore, Refused, Todo, TodoWrite, afollow, load_dialect
from todowright.dialects import Extra, Field, ListDialect
from todowright.plan.matching import match


class NoKey(MemoryStore):
    """A store that cannot be the key of a dictionary."""

    __hash__ = None  # type: ignore[assignment]


def test_a_tool_on_a_store_that_is_no_key_can_be_closed() -> None:
    with TodoWrite(store=NoKey()) as todo:
        todo.add("x")


def test_a_fork_does_not_wait_for_a_tool_that_is_freed_meanwhile(tmp_path: Path) -> None:
    code = (
        "import gc, os, sys\n"
        "os.register_at_fork(before=gc.collect)\n"
        "from todowright import TodoWrite\n"
        "def use(): TodoWrite(store='sqlite:///' + sys.argv[1]).add('a')\n"
        "use()\n"
        "if os.fork() == 0: os._exit(0)\n"
        "print(os.wait()[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "plans.db")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_what_is_awaited_tells_of_an_iterator_that_has_ended() -> None:
    times: Iterator[datetime] = iter([datetime.now(UTC)])

    async def main() -> None:
        todo = TodoWrite(clock=lambda: next(times))
        await todo.aedit([Edit("add", text="a")])
        await todo.aedit([Edit("add", text="b")])

    with pytest.raises(RuntimeError, match="StopIteration"):
        asyncio.run(main())


def test_a_plain_edit_in_the_loop_that_is_awaited_is_refused_at_once() -> None:
    async def main() -> None:
        asked, may_go = asyncio.Event(), asyncio.Event()

        async def verify(step: Todo) -> bool:
            asked.set()
            await may_go.wait()
            return True

        todo = TodoWrite(verify=verify)
        await todo.acall({"steps": ["a", "b"]}, tool="plan")
        done = asyncio.create_task(todo.acall({"step": 1}, tool="done"))
        await asked.wait()
        with pytest.raises(Refused):
            todo.add("c")
        assert todo.news() == ""  # nothing is kept yet
        may_go.set()
        assert (await done).text == "1/2 done. Now: b"

    asyncio.run(main())


def test_following_that_is_closed_while_it_waits_ends() -> None:
    async def main() -> list[int]:
        todo = TodoWrite()
        following = afollow(todo.store, after=0)

        async def read() -> list[int]:
            return [number async for number, _ in following]

        reader = asyncio.create_task(read())
        await asyncio.sleep(0.05)
        await following.aclose()
        todo.add("late")
        return await asyncio.wait_for(reader, 30)

    assert asyncio.run(main()) == []


def test_a_sub_agent_that_was_closed_takes_no_edit() -> None:
    todo = TodoWrite()
    child = todo.subagent("x")
    child.close()
    with pytest.raises(Refused):
        child.add("ghost")
    assert [plan.agent for plan in todo.store.plans("default")] == []


def test_a_closed_tool_makes_no_sub_agent_and_ends_none() -> None:
    todo = TodoWrite()
    todo.close()
    for use in (lambda: todo.subagent("x", serves=1), todo.end_subagents):
        with pytest.raises(Exception, match="is closed"):
            use()


def _complete(number: int) -> None:
    TodoWrite().complete(number)


def test_a_refusal_crosses_to_another_process() -> None:
    with pytest.raises(Refused) as refused:
        TodoWrite().complete(5)
    again = pickle.loads(pickle.dumps(refused.value))
    assert (str(again), again.issues) == (str(refused.value), refused.value.issues)
    conflict = pickle.loads(pickle.dumps(Conflict("s", "main", 3, 2)))
    assert (conflict.tried, conflict.current) == (3, 2)
    with multiprocessing.get_context("spawn").Pool(1) as pool, pytest.raises(Refused):
        pool.apply(_complete, (5,))


def test_the_same_file_by_another_name_is_the_same_store(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    one = TodoWrite(store=f"sqlite:///{tmp_path}/real/plans.db")
    other = TodoWrite(store=f"sqlite:///{tmp_path}/link/plans.db")
    assert one.store is other.store


def test_gemini_is_offered_no_empty_choice() -> None:
    dialect = replace(load_dialect("smart"), extras=(Extra("p", choices=("low", "high")),))
    assert '""' not in str(TodoWrite(dialect).definitions("gemini")).replace("'", '"')


def test_what_a_model_cannot_send_cannot_be_required() -> None:
    with pytest.raises(ValueError, match="cannot be required"):
        replace(load_dialect("lean"), extras=(Extra("owner", required=True),))


def test_extras_do_not_stand_in_for_content_and_status() -> None:
    store = MemoryStore()
    board = ListDialect(
        name="board",
        fields=(Field("content", "title"), Field("status", "column")),
        extras=(Extra("content"), Extra("status")),
    )
    row = {"title": "Paint", "column": "pending", "content": "OTHER", "status": "DONE"}
    assert not TodoWrite(board, store=store)({"todos": [row]}).is_error
    sent = {"summary": "s", "todos": [{"content": "Paint", "status": "pending"}]}
    (told,) = TodoWrite("envelope", store=store)(sent).data["data"]["todos"]
    assert (told["content"], told["status"]) == ("Paint", "pending")


@pytest.mark.parametrize("key", ["id", "text", "after", "by", "self"])
def test_an_extra_has_a_name_that_programs_can_give(key: str) -> None:
    with pytest.raises(ValueError, match="each extra has a short key"):
        replace(load_dialect("smart"), extras=(Extra(key),))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Handle errors in src/api/client.py", "Handle errors in client.py"),
        ("Write release notes", "Draft release notes"),
        ("Fix 12 failing tests", "Fix 7 failing tests"),
        ("Migrate users (50%)", "Migrate users (75%)"),
    ],
)
def test_a_step_in_other_words_stays_the_step(before: str, after: str) -> None:
    def steps(middle: str) -> list[Todo]:
        return [Todo("Read the issue"), Todo(middle), Todo("Ship it")]

    assert match(steps(before), steps(after)) == [0, 1, 2]


@pytest.mark.parametrize(
    ("before", "after"),
    [("Test phase 1 parsers", "Test phase 2 parsers"), ("Write chapter 3", "Write chapter 4")],
)
def test_a_step_of_another_number_is_another(before: str, after: str) -> None:
    todos = [[Todo("Read the issue"), Todo(text), Todo("Ship it")] for text in (before, after)]
    assert match(*todos) == [0, None, 2]


@pytest.mark.parametrize("name", ["lean", "smart"])
@pytest.mark.parametrize("tool", [["plan"], {"a": 1}, 10**400])
def test_a_tool_that_is_no_name_is_no_tool(name: str, tool: Any) -> None:
    reply = TodoWrite(name)({}, tool=tool)
    assert reply.is_error
    assert "could not be kept" not in reply.text
