"""Which plan a call belongs to: the host's conversation and agent, whichever process or connection it comes by."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.types import Implementation

from todowright import MemoryStore, Store, TodoWrite
from todowright.host.identity import Window
from todowright.host.records import Note, Records
from todowright.mcp.server import PlanServer

ERAS = ["legacy", "2026-07-28"]
HERE, PARENT = os.getpid(), os.getppid()
STEPS = ["Read the code", "Fix the parser", "Run all tests", "Update the changelog"]
HOSTS = {"claude": "claude-code", "codex": "codex-mcp-client", "gemini": "gemini-cli-mcp-client"}


class Place:
    """A folder with a store, in which windows of hosts are opened."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "parser"
        (self.folder / ".git").mkdir(parents=True)
        (self.folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
        self.records = Records(str(folder / "state"))
        self.store: Store = MemoryStore()
        self.opened = 0

    @asynccontextmanager
    async def window(
        self, host: str, *, pid: int = HERE, mark: str = "", era: str = "legacy", **environ: str
    ) -> AsyncIterator[Callable[..., Awaitable[str]]]:
        self.opened += 1
        mark = mark or f"window{self.opened}"
        own = Window(str(self.folder), "", (HERE,), environ, mark, pid)
        server = PlanServer(self.store, window=own, records=self.records).server
        client = Implementation(name=HOSTS.get(host, host), version="1")

        async with Client(server, mode=era, client_info=client) as connected:

            async def call(tool: str, meta: dict[str, Any] | None = None, **arguments: Any) -> str:
                told: Any = meta
                result: Any = await connected.call_tool(tool, arguments, meta=told)
                return "".join(each.text for each in result.content)

            yield call

    def plans(self) -> dict[str, list[str]]:
        """The open steps of every plan, by the words of its session and its agent."""
        return {
            f"{session.rpartition('-')[0]} {plan.agent}": [todo.content for todo in plan.open]
            for session in self.store.sessions()
            for plan in self.store.plans(session)
        }


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def run(work: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        with anyio.fail_after(60):
            await work()

    anyio.run(main)


@pytest.mark.parametrize("era", ERAS)
def test_a_sub_agent_of_claude_code_plans_and_the_parents_plan_is_untouched(
    place: Place, era: str
) -> None:
    async def work() -> None:
        async with place.window("claude", era=era, CLAUDE_CODE_SESSION_ID="wrong") as call:

            async def agent(use: str, agent_id: str, tool: str, **arguments: Any) -> str:
                told = {"session_id": "c1", "agent_id": agent_id, "agent_type": "Explore" if agent_id else ""}  # fmt: skip
                name = f"mcp__plugin_todowright_todowright__{tool}"
                hook = {"hook_event_name": "PreToolUse", "tool_name": name, "tool_use_id": use}
                allowed = await call("hook", **told, **hook)
                assert '"permissionDecision": "allow"' in allowed
                return await call(tool, {"claudecode/toolUseId": use}, **arguments)

            await call(
                "hook", hook_event_name="UserPromptSubmit", session_id="c1", prompt="Mend it"
            )
            assert await agent("u1", "", "plan", steps=STEPS) == "OK."
            assert await agent("u2", "a7c3", "plan", steps=["Look", "Tell"]) == "OK."
            assert (
                await agent("u3", "", "done", finished=[STEPS[0]])
                == "1/4 done. Now: Fix the parser"
            )
            assert await agent("u4", "a7c3", "done", finished=["Look"]) == "1/2 done. Now: Tell"
            assert await agent("u5", "b8d4", "plan", steps=["Look"]) == "OK."

    run(work)
    plans = place.plans()
    assert list(plans) == [
        "parser-main-claude-Mend-it main",
        *[name for name in plans if name.startswith("parser-main-claude-Mend-it main/Explore-")],
    ]
    assert len(plans) == 3
    assert plans["parser-main-claude-Mend-it main"] == STEPS[1:]


def test_a_sub_agent_of_codex_has_a_process_of_its_own_and_stands_below_its_root(
    place: Place,
) -> None:
    async def work() -> None:
        root, below = {"threadId": "t1", "sessionId": "t1"}, {"threadId": "t2", "sessionId": "t1"}
        async with place.window("codex") as first, place.window("codex") as second:
            await first("plan", root, steps=STEPS)
            await second("plan", below, steps=["Look"])
        async with place.window("codex") as resumed:
            assert await resumed("done", root, finished=[1]) == "1/4 done. Now: Fix the parser"

    run(work)
    main, agent = place.plans()
    assert main == "parser-main-codex-Read-the-code main"
    assert agent.startswith("parser-main-codex-Read-the-code main/agent-")


def test_opencodes_plugin_names_chat_and_sub_agent_with_the_arguments(place: Place) -> None:
    async def work() -> None:
        async with place.window("opencode") as call:
            await call("plan", steps=STEPS, _session="ses_1")
            await call("plan", steps=["Look"], _session="ses_2", _parent="ses_1")
            await call("plan", steps=["Another chat"], _session="ses_3")
            assert (
                await call("done", finished=[1], _session="ses_1")
                == "1/4 done. Now: Fix the parser"
            )

    run(work)
    assert sorted(map(len, place.plans().values())) == [1, 1, 3]
    assert len(place.store.sessions()) == 2


@pytest.mark.parametrize("host", ["claude", "gemini", "opencode"])
def test_a_resumed_window_without_hooks_goes_on_with_the_plan_of_its_folder(
    place: Place, host: str
) -> None:
    async def work() -> None:
        async with place.window(host, pid=999_999_999, CLAUDE_CODE_SESSION_ID="e1") as call:
            await call("plan", steps=STEPS)
            await call("done", finished=[1, 2])
        async with place.window(host, CLAUDE_CODE_SESSION_ID="e2") as call:
            assert await call("done", finished=[3]) == "3/4 done. Now: Update the changelog"
            assert await call("done", finished=[4]) == "4/4 done."

    run(work)
    assert len(place.store.sessions()) == 1


def test_a_resumed_window_that_sends_its_list_again_goes_on_with_it(place: Place) -> None:
    async def work() -> None:
        async with place.window("gemini", pid=999_999_999) as call:
            await call("plan", steps=STEPS)
        async with place.window("gemini") as call:
            await call("plan", steps=[*STEPS, "Tell the user"])

    run(work)
    assert list(place.plans().values()) == [[*STEPS, "Tell the user"]]


def test_a_new_task_in_the_same_folder_has_a_plan_of_its_own(place: Place) -> None:
    async def work() -> None:
        async with place.window("gemini", pid=999_999_999) as call:
            await call("plan", steps=STEPS)
        async with place.window("gemini") as call:
            assert await call("plan", steps=["Write the docs", "Read them"]) == "OK."

    run(work)
    assert list(place.plans().values()) == [STEPS, ["Write the docs", "Read them"]]


def test_two_windows_that_work_at_once_never_share_by_accident(place: Place) -> None:
    async def work() -> None:
        async with place.window("gemini", pid=PARENT) as one, place.window("gemini") as two:
            await one("plan", steps=STEPS)
            assert (await two("done", finished=[1])).startswith("Error")
            await two("plan", steps=STEPS)
            assert await one("done", finished=[1]) == "1/4 done. Now: Fix the parser"
            assert await two("done", finished=[1]) == "1/4 done. Now: Fix the parser"

    run(work)
    assert len(place.store.sessions()) == 2


def test_who_has_no_plan_is_told_of_an_unfinished_one_and_may_take_it_up(place: Place) -> None:
    async def work() -> None:
        async with place.window("codex", pid=999_999_999) as call:
            await call("plan", {"threadId": "t1", "sessionId": "t1"}, steps=STEPS)
            await call("done", {"threadId": "t1", "sessionId": "t1"}, finished=[1])
        place.records.note_host(HERE, Note("claude", "c1"))
        async with place.window("claude") as call:
            assert await call("plan") == (
                'No plan yet. Unfinished in this folder: 1/4 done, next "Fix the parser". '
                'To take it up: {"now": "Fix the parser"}.'
            )
            assert await call("plan", now="Fix the parser") == (
                "- Read the code - done\n- Fix the parser - NOW\n"
                "- Run all tests\n- Update the changelog"
            )
            assert await call("done", finished=[2]) == "2/4 done. Now: Run all tests"
        place.records.note_host(HERE, Note("claude", "c2"))
        async with place.window("claude") as call:  # another conversation: nothing is its own
            assert (await call("done", finished=[3])).startswith("Error")
        place.records.note_host(HERE, Note("claude", "c1"))
        async with place.window("claude") as call:
            assert await call("done", finished=[3]) == "3/4 done. Now: Update the changelog"

    run(work)
    assert len(place.store.sessions()) == 1


def test_no_plan_is_offered_that_another_window_works_on_or_that_is_finished(place: Place) -> None:
    async def work() -> None:
        async with place.window("codex", pid=PARENT) as other, place.window("codex") as call:
            await other("plan", {"threadId": "t1"}, steps=["A", "B"])
            assert await call("plan", {"threadId": "t2"}) == "No plan yet."
            await other("done", {"threadId": "t1"}, finished=["A", "B"])
            assert await call("plan", {"threadId": "t2"}) == "No plan yet."

    run(work)


@pytest.mark.parametrize("first", [{"steps": ["Write the parser", "Test it"]}, {"step": "Test it", "where": "end"}])  # fmt: skip
def test_a_conversation_beside_another_in_one_process_never_gets_its_plan(
    place: Place, first: dict[str, Any]
) -> None:
    async def work() -> None:
        async with place.window("opencode") as call:
            await call("plan" if "steps" in first else "add", **first, _session="ses_A")
            assert await call("plan", _session="ses_B") == "No plan yet."
            refused = await call("plan", now="Test it", _session="ses_B")
            assert refused.startswith("Error")
            assert await call("plan", now="Test it", _session="ses_A")
            assert await call("plan", _session="ses_B") == "No plan yet."
        async with place.window("opencode", pid=PARENT) as other:
            assert await other("plan", _session="ses_C") == "No plan yet."

    run(work)
    assert len(place.store.sessions()) == 1


def test_no_plan_is_offered_that_came_with_a_repository_or_from_the_future(place: Place) -> None:
    later = datetime.now(UTC) + timedelta(days=1)
    foreign, future = "parser-main-codex-Work-0123abcd", "parser-main-codex-Work-89abcdef"
    place.records.hold(future, 999_999_999)
    TodoWrite(store=place.store, session=foreign)({"steps": ["Run this"]}, tool="plan")
    ahead = TodoWrite(store=place.store, session=future, clock=lambda: later)
    ahead({"steps": ["Run that"]}, tool="plan")

    async def work() -> None:
        async with place.window("codex") as call:
            assert await call("plan", {"threadId": "t1"}) == "No plan yet."
            for step in ("Run this", "Run that"):
                assert (await call("plan", {"threadId": "t1"}, now=step)).startswith("Error")
            place.records.hold(foreign, 999_999_999)
            assert "Run this" in await call("plan", {"threadId": "t1"})

    run(work)


def test_where_nothing_tells_agents_apart_the_tool_says_how_to_keep_a_list_of_ones_own(
    place: Place,
) -> None:
    async def work() -> None:
        async with place.window("gemini") as call:
            await call("plan", steps=STEPS)
            refused = await call("plan", steps=["Look", "Tell"])
            assert all(f'"{each}"' in refused for each in STEPS)
            assert 'add "_agent": "<your name>" to your calls' in refused
            assert await call("plan", steps=["Look", "Tell"], _agent="scout") == "OK."
            assert await call("done", finished=["Look"], _agent="scout") == "1/2 done. Now: Tell"
            assert await call("done", finished=[1]) == "1/4 done. Now: Fix the parser"

    run(work)
    name = "parser-main-gemini-Read-the-code"
    assert place.plans() == {f"{name} main": STEPS[1:], f"{name} main/scout": ["Tell"]}


def test_a_window_whose_server_is_started_anew_goes_on_with_its_plan(place: Place) -> None:
    async def work() -> None:
        async with place.window("gemini", mark="w1") as call:
            await call("plan", steps=["A", "B"])
            await call("done", finished=["A", "B"])
        async with place.window("gemini", mark="w1") as call:
            assert await call("add", step="C", where="end") == "2/3 done. Now: C"

    run(work)
    assert len(place.store.sessions()) == 1


def test_after_clear_the_former_plan_is_told_and_not_continued(place: Place) -> None:
    async def work() -> None:
        async with place.window("claude") as call:
            await call("hook", hook_event_name="UserPromptSubmit", session_id="c1", prompt="Mend")
            await call("plan", steps=STEPS)
            start = {"hook_event_name": "SessionStart", "session_id": "c2", "source": "clear"}
            told = await call("hook", **start)
            assert "Before this conversation was cleared" in told
            assert STEPS[0] in told
            assert (await call("plan")).startswith("No plan yet. Unfinished in this folder")
            stop = {"hook_event_name": "Stop", "session_id": "c1"}
            assert '"decision": "block"' in await call("hook", **stop)
            assert await call("hook", **stop) == "{}"

    run(work)


@pytest.mark.parametrize(
    "given", [{}, {"hook_event_name": 7}, {"hook_event_name": "Stop"}, {"x": []}]
)
def test_a_hook_that_tells_nothing_is_answered_with_nothing(
    place: Place, given: dict[str, Any]
) -> None:
    async def work() -> None:
        async with place.window("claude") as call:
            assert await call("hook", **given) == "{}"

    run(work)
    assert place.store.sessions() == []


def test_a_named_session_stays_named_and_its_sub_agents_stand_below_it(tmp_path: Path) -> None:
    store = MemoryStore()
    records = Records(str(tmp_path / "state"))
    server = PlanServer(store, session="auth", window=Window(str(tmp_path)), records=records).server

    async def work() -> None:
        async with Client(server, client_info=Implementation(name="codex", version="1")) as client:
            for thread in ("t1", "t2"):
                meta: Any = {"threadId": thread, "sessionId": "t1"}
                await client.call_tool("plan", {"steps": ["A"]}, meta=meta)

    run(work)
    assert store.sessions() == ["auth"]
    assert len(store.plans("auth")) == 2
    TodoWrite(store=store, session="auth").complete(1)
