"""What the widget asks of the server: the plan, and a person's edits."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from mcp.client import Client

from tests.web.scripted_host import Apps
from todowright import MemoryStore, TodoWrite
from todowright.mcp.server import PlanServer
from todowright.mcp.widget import Copies

CARRIED = "todowright/plan"


def run(server: PlanServer, work: Callable[[Any], Awaitable[None]], *, apps: bool = True) -> None:
    async def main() -> None:
        with anyio.fail_after(60):
            extensions = [Apps()] if apps else None
            wire: Any = server.server
            async with Client(wire, mode="2026-07-28", extensions=extensions) as client:
                await work(client)

    anyio.run(main)


def said(result: Any) -> str:
    return str(result.content[0].text)


def test_an_edit_in_the_widget_is_a_persons_and_the_agent_is_told() -> None:
    store = MemoryStore()

    async def work(client: Any) -> None:
        await client.call_tool("plan", {"steps": ["One", "Two"]})
        edits = [{"do": "reword", "step": 2, "text": "Zwei"}]
        made = await client.call_tool("plan_edit", {"session": "s", "revision": 1, "edits": edits})
        assert not made.is_error
        assert made.structured_content["plan"]["todos"][1]["content"] == "Zwei"
        assert store.load("s", "main").by.kind == "person"
        told = said(await client.call_tool("done", {"step": 1}))
        assert 'the user changed your plan: reworded 2. "Zwei"' in told

    run(PlanServer(store, session="s"), work)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"revision": 7}, "the plan has changed meanwhile"),
        ({"revision": "1"}, "the plan has changed meanwhile"),
        ({"edits": []}, "send a list of 1 to 200 edits"),
        ({"edits": [{"do": "fly"}]}, "each edit says what to do"),
        ({"edits": [{"do": "complete", "step": 9}]}, "there is no step 9"),
        ({"agent": "nobody"}, "there is no such plan"),
        ({"session": "a/b"}, "session"),
        ({"session": 5, "agent": ["x"]}, "there is no such plan"),
    ],
)
def test_an_edit_that_cannot_be_made_is_one_line_and_changes_nothing(
    given: dict[str, Any], words: str
) -> None:
    store = MemoryStore()

    async def work(client: Any) -> None:
        await client.call_tool("plan", {"steps": ["One", "Two"]})
        sound = {"session": "s", "revision": 1, "edits": [{"do": "complete", "step": 1}]}
        answer = await client.call_tool("plan_edit", {**sound, **given})
        assert answer.is_error
        assert words in said(answer)
        assert "\n" not in said(answer)
        assert store.load("s", "main").revision == 1

    run(PlanServer(store, session="s"), work)


def test_a_widget_edits_only_what_its_window_shows() -> None:
    store = MemoryStore()
    with TodoWrite("lean", store=store, session="other") as todo:
        todo({"steps": ["One", "Two"]}, tool="plan")

    async def work(client: Any) -> None:
        mine = (await client.call_tool("plan", {"steps": ["A", "B"]})).meta[CARRIED]
        edits = {"revision": 1, "edits": [{"do": "complete", "step": 1}]}
        copy = {"session": "other", "call": mine["call"]}
        looked = await client.call_tool("plan_view", copy)  # which proves nothing
        assert looked.structured_content["session"] == "other"
        refused = await client.call_tool("plan_edit", {**copy, **edits})
        assert refused.is_error
        assert said(refused).startswith("no result in this window shows that plan")
        assert store.load("other", "main").revision == 1
        made = await client.call_tool("plan_edit", {"session": mine["session"], **edits})
        assert not made.is_error

    run(PlanServer(store), work)


def test_a_server_that_was_started_anew_takes_edits_of_the_windows_own_session() -> None:
    store = MemoryStore()
    edit = {"session": "s", "revision": 1, "edits": [{"do": "complete", "step": 1}]}

    async def before(client: Any) -> None:
        await client.call_tool("plan", {"steps": ["One", "Two"]})

    async def after(client: Any) -> None:
        assert not (await client.call_tool("plan_edit", edit)).is_error

    run(PlanServer(store, session="s"), before)
    run(PlanServer(store, session="s"), after)


def test_a_conversation_that_the_host_names_with_each_call_is_the_windows_own() -> None:
    store = MemoryStore()
    edits = {"revision": 1, "edits": [{"do": "complete", "step": 1}]}
    carried = []

    async def before(client: Any) -> None:
        made = await client.call_tool("plan", {"steps": ["A", "B"]}, meta={"threadId": "t1"})
        carried.append(made.meta[CARRIED]["session"])

    async def after(client: Any) -> None:
        given = {"session": carried[0], **edits}
        assert (await client.call_tool("plan_edit", given, meta={"threadId": "t2"})).is_error
        assert not (await client.call_tool("plan_edit", given, meta={"threadId": "t1"})).is_error

    run(PlanServer(store), before)
    run(PlanServer(store), after)


def test_what_stands_comes_with_a_clash() -> None:
    store = MemoryStore()

    async def work(client: Any) -> None:
        await client.call_tool("plan", {"steps": ["One", "Two"]})
        await client.call_tool("done", {"step": 1})
        late = {"session": "s", "revision": 1, "edits": [{"do": "complete", "step": 2}]}
        answer = await client.call_tool("plan_edit", late)
        assert answer.structured_content["plan"]["revision"] == 2

    run(PlanServer(store, session="s"), work)


def test_a_look_at_what_was_seen_brings_no_plan_again() -> None:
    async def work(client: Any) -> None:
        await client.call_tool("plan", {"steps": ["One", "Two"]})
        first = (await client.call_tool("plan_view", {})).structured_content
        assert [plan["agent"] for plan in first["plans"]] == ["main"]
        again = await client.call_tool("plan_view", {"seen": first["version"]})
        assert "plans" not in again.structured_content
        await client.call_tool("done", {"step": 1})
        moved = await client.call_tool("plan_view", {"seen": first["version"]})
        assert moved.structured_content["plans"][0]["revision"] == 2

    run(PlanServer(MemoryStore(), session="s"), work)


def test_a_call_tells_its_widget_whose_plan_it_shows_and_no_other_call_or_host_is_told() -> None:
    server = PlanServer(MemoryStore(), session="s")

    async def work(client: Any) -> None:
        first = (await client.call_tool("plan", {"steps": ["One", "Two"]})).meta[CARRIED]
        other = (await client.call_tool("plan", {"steps": ["One", "Two"]})).meta[CARRIED]
        assert (first["session"], first["agent"]) == ("s", "main")
        assert first["call"] < other["call"]
        view = (await client.call_tool("plan_view", {"session": "s"})).structured_content
        assert view["newest"] == other["call"]
        assert CARRIED not in ((await client.call_tool("done", {"step": 1})).meta or {})

    async def plain(client: Any) -> None:
        made = await client.call_tool("plan", {"steps": ["One", "Two"]})
        assert CARRIED not in (made.meta or {})

    run(server, work)
    run(PlanServer(MemoryStore(), session="s"), plain, apps=False)


def test_copies_tell_a_new_server_their_numbers_and_none_from_the_future_counts() -> None:
    before, after = Copies(), Copies()
    first, second = before.new("s", "main"), before.new("s", "main")
    assert after.newest("s", "main", first) == first
    assert after.newest("s", "main", second) == second
    assert after.newest("s", "main", first) == second
    assert after.newest("s", "other") == 0
    late = time.time_ns() // 1_000_000 + 10**9
    for wrong in (late, -1, "7", True, None):
        assert after.newest("s", "main", wrong) == second
    for number in range(2000):
        after.new(f"s{number}", "main")
    assert after.newest("s", "main") == 0
