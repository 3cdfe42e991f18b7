"""Calls that are awaited: in order, in a thread, whole or not at all, whoever is cancelled."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.requirements import requirement
from tests.support import texts
from todowright import (
    Edit,
    MemoryStore,
    Plan,
    Refused,
    Reply,
    StoreError,
    Todo,
    TodoWrite,
    afollow,
    follow,
)
from todowright.plan.editing import read_edits
from todowright.tool.person import edit_plan

PATIENCE = 30.0
"""Seconds that a test waits for something that takes milliseconds, before it fails."""


def run(work: Coroutine[Any, Any, Any]) -> Any:
    async def within() -> Any:
        async with asyncio.timeout(PATIENCE):
            return await work

    return asyncio.run(within(), debug=True)


async def planned(todo: TodoWrite, *steps: str) -> TodoWrite:
    assert not (await todo.acall({"steps": steps or ["A", "B", "C"]}, tool="plan")).is_error
    return todo


class Gate:
    """A `verify` that says when it was asked, and answers when the test lets it."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.open = threading.Event()

    def __call__(self, step: Todo) -> bool:
        self.asked.set()
        assert self.open.wait(PATIENCE)
        return True

    async def is_asked(self) -> None:
        assert await asyncio.to_thread(self.asked.wait, PATIENCE)


def no_threads_left() -> None:
    for thread in threading.enumerate():
        if thread.name == "todowright":
            thread.join(PATIENCE)
            assert not thread.is_alive()


@pytest.mark.parametrize("url", ["memory:", "sqlite:///{}/plans.db"])
def test_an_awaited_call_takes_and_answers_what_a_plain_one_does(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        todo = TodoWrite(store=url.format(tmp_path))
        reply = await todo.acall({"steps": ["A", "B"]}, tool="plan", call_id="1")
        assert reply.text == "OK."
        assert (await todo.acall({"step": 1}, tool="done")).text == "1/2 done. Now: B"
        again = await todo.acall({"steps": ["A", "B"]}, tool="plan", call_id="1")
        assert again == reply
        assert (await todo.acall("nonsense", tool="fly")).is_error
        assert todo.plan.revision == 2
        todo.close()

    run(work())


@requirement("A10")
def test_awaited_calls_are_made_in_the_order_in_which_they_began() -> None:
    async def work() -> None:
        todo = await planned(TodoWrite(), "First")
        adding = [todo.acall({"steps": [f"Step {n}"]}, tool="add") for n in range(2, 51)]
        replies = await asyncio.gather(*adding)
        assert texts(todo.plan) == ["First", *(f"Step {n}" for n in range(2, 51))]
        assert [reply.text for reply in replies] == [f"0/{n} done." for n in range(2, 51)]

    run(work())


def test_calls_one_after_the_other_are_made_by_one_thread_that_ends_soon_after() -> None:
    async def work() -> None:
        todo, threads = TodoWrite(), list[threading.Thread]()
        todo.on_change(lambda _: threads.append(threading.current_thread()))
        await planned(todo, *(f"Step {n}" for n in range(9)))
        for _ in range(9):
            await asyncio.sleep(0)
            await todo.acall({"step": todo.plan.current.number}, tool="done")  # type: ignore[union-attr]
        assert todo.plan.finished
        assert len(threads) == 10
        assert len(set(threads)) == 1

    run(work())
    no_threads_left()


def test_a_call_that_comes_when_the_thread_is_about_to_end_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("todowright.awaiting._LINGER", 0.001)

    async def work() -> None:
        todo = await planned(TodoWrite(), "First")
        for n in range(200):
            await asyncio.sleep(0.0008 + n % 5 * 0.0002)
            async with asyncio.timeout(PATIENCE):
                await todo.acall({"steps": [f"Step {n}"]}, tool="add")
        assert len(todo.plan.todos) == 201

    run(work())
    no_threads_left()


def test_the_event_loop_goes_on_while_a_plain_verify_blocks() -> None:
    async def work() -> None:
        gate = Gate()
        todo = await planned(TodoWrite(verify=gate))
        done = asyncio.create_task(todo.acall({"step": 1}, tool="done"))
        await gate.is_asked()
        for _ in range(100):
            await asyncio.sleep(0)
        assert not done.done()
        gate.open.set()
        assert (await done).text == "1/3 done. Now: B"

    run(work())


async def agrees(step: Todo) -> bool | str:
    await asyncio.sleep(0.001)
    return step.content == "A" or "the tests fail"


class Agrees:
    async def __call__(self, step: Todo) -> bool | str:
        return await agrees(step)


def agreeing(step: Todo) -> Awaitable[bool | str]:
    return agrees(step)


ASYNC = [agrees, Agrees(), Agrees().__call__, partial(agrees)]


@pytest.mark.parametrize("verify", [*ASYNC, agreeing])
def test_an_async_verify_is_awaited_in_the_event_loop_of_the_caller(verify: Any) -> None:
    async def work() -> None:
        todo = await planned(TodoWrite(verify=verify))
        assert (await todo.acall({"step": 1}, tool="done")).text == "1/3 done. Now: B"
        refused = await todo.acall({"step": 2}, tool="done")
        assert refused.text == "Error: step 2 is not finished: the tests fail"
        plan = await todo.aedit([Edit("reopen", 1), Edit("add", text="D")])
        assert (plan.progress, len(plan.todos)) == ((0, 4), 4)
        assert (await todo.aedit([Edit("complete", 1)])).progress == (1, 4)
        with pytest.raises(Refused, match="step 2 is not finished: the tests fail"):
            await todo.aedit([Edit("complete", 2)])

    run(work())


@pytest.mark.parametrize("verify", ASYNC)
def test_a_plain_call_of_a_tool_whose_verify_is_async_is_refused_at_once(verify: Any) -> None:
    todo = TodoWrite(verify=verify)
    for call in (todo, lambda _: todo.turn([("plan", {"steps": ["A"]})])):
        with pytest.raises(TypeError, match=r"verify is async: use `await todo\.acall") as told:
            call({"steps": ["A"]})
        assert "\n" not in str(told.value)
    assert todo.plan.revision == 0


def test_what_a_listener_has_the_event_loop_do_is_a_plain_call_there() -> None:
    said: list[str] = []

    def call(todo: TodoWrite) -> None:
        try:
            todo({"step": 1}, tool="done")
        except TypeError as error:
            said.append(str(error))

    async def work() -> None:
        todo, loop = TodoWrite(verify=agrees), asyncio.get_running_loop()
        todo.on_change(lambda _: loop.call_soon_threadsafe(call, todo))
        await planned(todo)
        while not said:
            await asyncio.sleep(0)

    run(work())
    assert said == ["verify is async: use `await todo.acall(…)` in place of todo(…)"]


def test_nobody_who_cannot_await_completes_what_an_async_verify_checks() -> None:
    todo = TodoWrite(verify=agrees)
    todo.add("A")  # nothing is verified, so a plain edit will do
    with pytest.raises(Refused, match=r"checked by an async function: use `await todo\.acall"):
        todo.complete(1)
    with pytest.raises(Refused, match="checked by an async function"):
        edit_plan(todo.store, todo.plan, read_edits([{"do": "complete", "step": 1}]))
    other = TodoWrite(store=todo.store)
    assert "async function" in other({"step": 1}, tool="done").text
    lazy = TodoWrite(verify=agreeing)  # it does not look async before it is asked
    lazy.add("A")
    assert "async function" in lazy({"step": 1}, tool="done").text


def test_an_async_verify_that_breaks_or_says_nothing_keeps_the_plan_as_it_was() -> None:
    async def breaks(_: Todo) -> bool:
        raise ZeroDivisionError

    async def forgets(_: Todo) -> None:
        pass

    async def work() -> None:
        for verify, told in ((breaks, "ZeroDivisionError"), (forgets, "TypeError")):
            todo = await planned(TodoWrite(verify=verify))  # type: ignore[arg-type]
            reply = await todo.acall({"step": 1}, tool="done")
            assert reply.text == f"Error: step 1 is not finished: it could not be verified ({told})"
            assert todo.plan.revision == 1

    run(work())


def test_an_async_verify_that_asks_its_own_plan_is_refused_and_does_not_hang() -> None:
    said: list[str] = []

    async def meddles(_: Todo) -> bool:
        reply = await one.acall({"step": 2}, tool="done")
        said.append(reply.text)
        with pytest.raises(Refused, match="being verified"):
            one.add("x")
        with pytest.raises(Refused, match="being verified"):
            await one.aedit([Edit("add", text="x")])
        said.append((await other.acall({"step": 1}, tool="done")).text)
        later.append(asyncio.create_task(one.acall({"steps": ["Late"]}, tool="add")))
        return True

    async def meddles_back(_: Todo) -> bool:
        said.append((await one.acall({"step": 3}, tool="done")).text)
        return True

    later: list[asyncio.Task[Reply]] = []
    store = MemoryStore()
    one = TodoWrite(store=store, verify=meddles)
    other = TodoWrite(store=store, session="other", verify=meddles_back)

    async def work() -> None:
        await planned(one)
        await planned(other)
        assert (await one.acall({"step": 1}, tool="done")).text == "1/3 done. Now: B"
        judging = "Error: a step is being verified: change the plan after that, not within"
        assert said == [judging, judging, "1/3 done. Now: B"]
        # a task that the verify left behind began inside it, and is refused there or made after it
        await later[0]
        assert (await one.acall({"steps": ["Next"]}, tool="add")).is_error is False

    run(work())


def test_the_calls_of_a_turn_may_be_awaited() -> None:
    async def work() -> None:
        todo = await planned(TodoWrite(verify=agrees))
        with todo.turn() as turn:
            await todo.acall({"step": 1}, tool="done")
            await todo.acall({"step": 2}, tool="done")
        assert [reply.is_error for reply in turn.replies] == [False, True]

    run(work())


# Cancelled


def test_a_call_that_is_being_made_ends_as_it_would_when_its_caller_is_cancelled() -> None:
    async def work() -> None:
        gate = Gate()
        todo = await planned(TodoWrite(verify=gate))
        done = asyncio.create_task(todo.acall({"step": 1}, tool="done"))
        await gate.is_asked()
        done.cancel()
        with pytest.raises(asyncio.CancelledError):
            await done
        assert todo.plan.progress == (0, 3)
        gate.open.set()
        assert (await todo.acall({"step": 2}, tool="done")).text == "2/3 done. Now: C"

    run(work())
    no_threads_left()


def test_a_call_that_waits_is_not_made_when_its_caller_is_cancelled() -> None:
    async def work() -> None:
        gate = Gate()
        todo = await planned(TodoWrite(verify=gate))
        first = asyncio.create_task(todo.acall({"step": 1}, tool="done"))
        await gate.is_asked()
        waiting = asyncio.create_task(todo.acall({"steps": ["D"]}, tool="add"))
        last = asyncio.create_task(todo.acall({"steps": ["E"]}, tool="add"))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        gate.open.set()
        assert not (await first).is_error
        assert not (await last).is_error
        assert texts(todo.plan) == ["A", "B", "C", "E"]

    run(work())


def test_an_async_verify_is_cancelled_with_its_caller_and_the_plan_is_free_again() -> None:
    ends: list[str] = []

    async def hangs(step: Todo) -> bool:
        if step.number != 1:
            return True
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise
        return False

    async def work() -> None:
        todo = await planned(TodoWrite(verify=hangs))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await todo.acall({"step": 1}, tool="done")
        assert (await todo.acall({"step": 2}, tool="done")).text == "1/3 done."
        assert ends == ["cancelled"]
        todo.add("D")  # nobody holds the plan

    run(work())
    no_threads_left()


@pytest.mark.parametrize("url", ["memory:", "sqlite:///{}/plans.db"])
def test_whatever_is_cancelled_no_acknowledged_revision_is_lost(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        todo = await planned(TodoWrite(store=url.format(tmp_path)), "First")
        for turn in range(6):
            tasks = [
                asyncio.create_task(todo.acall({"steps": [f"Step {turn}.{n}"]}, tool="add"))
                for n in range(20)
            ]
            for number, task in enumerate(tasks):
                if number % 3 == turn % 3:
                    await asyncio.sleep(0.0005 * turn)
                    task.cancel()
            answers = await asyncio.gather(*tasks, return_exceptions=True)
            for number, answer in enumerate(answers):
                if isinstance(answer, Reply):
                    assert not answer.is_error
                    assert f"Step {turn}.{number}" in texts(todo.plan)
                else:
                    assert isinstance(answer, asyncio.CancelledError)
        assert not (await todo.acall({"steps": ["Last"]}, tool="add")).is_error
        assert len(set(texts(todo.plan))) == len(todo.plan.todos)
        todo.close()

    run(work())
    no_threads_left()


def test_it_works_under_anyio_with_its_cancel_scopes() -> None:
    async def work() -> None:
        gate = Gate()
        todo = TodoWrite(verify=gate)
        with anyio.fail_after(PATIENCE):
            await todo.acall({"steps": ["A", "B"]}, tool="plan")
            async with anyio.create_task_group() as group:
                group.start_soon(partial(todo.acall, {"step": 1}, tool="done"))
                assert await anyio.to_thread.run_sync(gate.asked.wait, PATIENCE)
                group.cancel_scope.cancel()
            gate.open.set()
            assert (await todo.acall({"step": 2}, tool="done")).text == "2/2 done."

    anyio.run(work, backend="asyncio")


def test_what_a_call_raises_at_a_program_is_raised_where_it_is_awaited() -> None:
    async def work() -> None:
        todo = TodoWrite()
        todo.close()
        with pytest.raises(StoreError, match="closed"):
            await todo.acall({"steps": ["A"]})

    run(work())


ENDS = """
import asyncio, sys
from todowright import TodoWrite

async def hangs(step):
    await asyncio.Event().wait()

async def begin():
    global todo
    todo = TodoWrite(verify=hangs)
    await todo.acall({"steps": ["A"]}, tool="plan")
    task = asyncio.ensure_future(todo.acall({"step": 1}, tool="done"))
    await asyncio.sleep(0.1)
    return task

if sys.argv[1] == "run":
    asyncio.run(begin())
else:
    loop = asyncio.new_event_loop()
    loop.set_debug(False)
    task = loop.run_until_complete(begin())
    if sys.argv[1] == "closed":
        loop.close()
print(todo.plan.progress)
"""


@pytest.mark.parametrize("how", ["run", "closed", "left"])
def test_a_program_that_leaves_a_call_behind_ends_all_the_same(how: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDS, how], capture_output=True, text=True, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout) == (0, "(0, 1)\n"), done.stderr


def test_a_program_that_awaits_nothing_does_not_load_asyncio() -> None:
    code = (
        "import sys; from todowright import TodoWrite, afollow, follow; "
        "todo = TodoWrite(verify=lambda step: True); todo({'steps': ['A']}); todo({'step': 1}, tool='done'); "
        "todo.complete(1); next(follow(todo.store, after=0)); todo.close(); "
        "print([name for name in sys.modules if name.split('.')[0] in ('asyncio', 'concurrent')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# Following


def test_an_event_loop_follows_a_store_and_misses_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        url = f"sqlite:///{tmp_path}/plans.db"
        todo = await planned(TodoWrite(store=url), "Step 0")
        feed = afollow(url, after=0)
        got = [await anext(feed)]
        with pytest.raises(TimeoutError):  # who is cancelled while it waits may go on
            async with asyncio.timeout(0.05):
                await anext(feed)
        for n in range(1, 30):
            await todo.acall({"steps": [f"Step {n}"]}, tool="add")
            if n % 7 == 0:
                got += [await anext(feed) for _ in range(3)]
                task = asyncio.ensure_future(feed.__anext__())
                await asyncio.sleep(0)
                task.cancel()
                with suppress(asyncio.CancelledError):  # unless one was there already
                    got.append(await task)
        while len(got) < 30:
            got.append(await anext(feed))
        assert [plan.revision for _, plan in got] == list(range(1, 31))
        assert got == list(follow(url, after=0, until=lambda: True))
        await feed.aclose()
        with pytest.raises(StopAsyncIteration):
            await anext(feed)
        todo.close()

    run(work())
    no_threads_left()


def test_by_default_it_begins_with_what_comes_next_and_ends_when_it_is_told() -> None:
    async def work() -> list[Plan]:
        todo = await planned(TodoWrite(), "Before")
        stop = threading.Event()
        got: list[Plan] = []

        async def read() -> None:
            async for _, plan in afollow(todo.store, pause=0.05, until=stop.is_set):
                got.append(plan)

        reader = asyncio.create_task(read())
        while not got:
            await todo.acall({"steps": [f"Step {todo.plan.revision}"]}, tool="add")
        stop.set()
        await reader
        return got

    assert run(work())[0].revision > 1


def test_many_followers_leave_the_threads_of_the_event_loop_to_others() -> None:
    async def work() -> None:
        todo = TodoWrite()

        async def first() -> Plan:
            async for _, plan in afollow(todo.store, after=0):
                return plan
            raise AssertionError

        readers = [asyncio.create_task(first()) for _ in range(60)]
        await asyncio.sleep(0.05)
        assert await asyncio.to_thread(lambda: 5) == 5
        await todo.acall({"steps": ["A"]}, tool="plan")
        assert {plan.revision for plan in await asyncio.gather(*readers)} == {1}

    run(work())


def test_one_that_two_tasks_await_at_once_is_refused() -> None:
    async def work() -> None:
        feed = afollow(MemoryStore())
        one = asyncio.ensure_future(feed.__anext__())
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="give each task one of its own"):
            await anext(feed)
        one.cancel()

    run(work())


def test_what_blocks_in_a_store_does_not_block_the_event_loop_that_follows_it() -> None:
    inside, leave = threading.Event(), threading.Event()

    class Slow(MemoryStore):
        def newest(self) -> int:
            inside.set()
            assert leave.wait(PATIENCE)
            return super().newest()

    async def work() -> None:
        waiting = asyncio.ensure_future(afollow(Slow()).__anext__())
        assert await asyncio.to_thread(inside.wait, PATIENCE)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        leave.set()

    run(work())
    no_threads_left()


def test_a_listener_may_hand_changes_to_the_event_loop() -> None:
    async def work() -> None:
        todo, loop = TodoWrite(), asyncio.get_running_loop()
        queue: asyncio.Queue[int] = asyncio.Queue()
        put: Callable[[int], None] = queue.put_nowait
        todo.on_change(lambda change: loop.call_soon_threadsafe(put, change.plan.revision))
        await planned(todo)
        assert await queue.get() == 1

    run(work())


def test_a_system_that_has_no_thread_left_says_so_and_nobody_waits_in_vain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_thread(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def work() -> None:
        todo = await planned(TodoWrite())
        no_threads_left()  # one that is about to end would take the next call, too
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", no_thread)
            with pytest.raises(RuntimeError, match="can't start new thread"):
                await todo.acall({"step": 1}, tool="done")
        assert (await todo.acall({"step": 1}, tool="done")).text == "1/3 done. Now: B"

    run(work())
