"""The MCP server, by the official client: both eras of the protocol, both transports."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.extension import ClientExtension
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.types import Implementation

from bench.tokens import tokens
from tests.requirements import requirement
from tests.support import edit
from tests.web.serving import Served
from todowright import MemoryStore, TodoWrite, open_store
from todowright.host.records import Records
from todowright.mcp.server import INSTRUCTIONS, PlanServer
from todowright.mcp.subscriptions import uri_of

ERAS = ["legacy", "2026-07-28"]
Work = Callable[[Any], Awaitable[None]]


class Apps(ClientExtension):
    """What a host says that shows widgets."""

    identifier = EXTENSION_ID

    def settings(self) -> dict[str, Any]:
        return {"mimeTypes": [APP_MIME_TYPE]}


@asynccontextmanager
async def connected(where: Any, era: str) -> AsyncIterator[Client]:
    async with Client(where, mode=era) as client:
        yield client


def run(where: Any, era: str, work: Work) -> None:
    async def main() -> None:
        with anyio.fail_after(60):
            async with connected(where, era) as client:
                await work(client)

    anyio.run(main)


def text(result: Any) -> str:
    (content,) = result.content
    return str(content.text)


@pytest.mark.parametrize("era", ERAS)
def test_a_plan_is_made_moved_and_read(era: str) -> None:
    store = MemoryStore()

    async def work(client: Any) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["plan", "done", "add", "change", "drop"]
        assert all(tool.annotations and not tool.annotations.read_only_hint for tool in tools)
        made = await client.call_tool("plan", {"steps": ["One", "Two"]})
        assert text(made) == "OK."
        assert made.structured_content is None
        assert text(await client.call_tool("done", {"step": 1})) == "1/2 done. Now: Two"
        wrong = await client.call_tool("done", {"step": 9})
        assert wrong.is_error
        assert text(wrong) == "Error: there is no step 9: the steps are 1-2"
        (session,) = store.sessions()
        read = await client.read_resource(uri_of(session))
        plans = json.loads(read.contents[0].text)["plans"]
        assert [todo["status"] for todo in plans[0]["todos"]] == ["completed", "in_progress"]
        (listed,) = (await client.list_prompts()).prompts
        assert listed.name == "plan-first"  # Gemini has a /plan of its own
        assert not listed.arguments  # Claude Code would fill one with the first word that was typed
        prompt = await client.get_prompt("plan-first")
        assert prompt.messages[0].content.text.startswith("Plan what I asked for")

    run(PlanServer(store).server, era, work)


@pytest.mark.parametrize("era", ERAS)
def test_two_agents_on_one_connection_never_tick_each_others_steps(
    era: str, tmp_path: Path
) -> None:
    store = open_store(f"sqlite:///{tmp_path}/plans.db")
    mine, theirs = ["Read auth", "Fix auth", "Test it"], ["Read the docs", "Write a page"]

    async def work(client: Any) -> None:
        async def call(tool: str, **arguments: Any) -> Any:
            return await client.call_tool(tool, arguments)

        await call("plan", steps=mine)
        refused = await call("plan", steps=theirs)  # another agent, which the host does not name
        assert refused.is_error
        assert all(f'"{step}"' in text(refused) for step in mine)
        assert not (await call("plan", steps=theirs)).is_error
        before = store.load("s", "main")
        for name in (1, 2, "Read auth", "Fix auth"):  # the first one goes on
            assert (await call("done", steps=[str(name)])).is_error
        assert store.load("s", "main") == before
        assert (await call("plan", steps=mine)).is_error
        assert not (await call("plan", steps=mine)).is_error
        assert (await call("done", steps=["Read the docs"])).is_error
        assert [(todo.number, todo.content) for todo in store.load("s", "main").todos] == [
            *zip((6, 7, 8), mine, strict=True)
        ]

    run(PlanServer(store, session="s").server, era, work)


@pytest.mark.parametrize("key", ["claudecode/toolUseId", "callId", "todowright/callId"])
@pytest.mark.parametrize("era", ERAS)
def test_a_call_that_comes_twice_under_the_hosts_own_id_counts_once(
    era: str, key: str, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"

    async def begin(client: Any) -> None:
        await client.call_tool("plan", {"steps": ["One", "Two"]}, meta={key: "use-1"})
        more = {"steps": ["Three"]}
        told = text(await client.call_tool("add", more, meta={key: "use-2"}))
        assert told == "0/3 done."

    async def again(client: Any) -> None:  # the host died, and its server with it
        more = {"steps": ["Three"]}
        told = text(await client.call_tool("add", more, meta={key: "use-2"}))
        assert told == "0/3 done."

    run(PlanServer(open_store(url), session="s").server, era, begin)
    run(PlanServer(open_store(url), session="s").server, era, again)
    plan = open_store(url).load("s", "main")
    assert ([todo.content for todo in plan.todos], plan.revision) == (["One", "Two", "Three"], 2)


@pytest.mark.parametrize("era", ERAS)
def test_an_edit_of_a_person_is_told_once_with_the_next_call(era: str) -> None:
    store = MemoryStore()

    async def work(client: Any) -> None:
        await client.call_tool("plan", {"steps": ["One", "Two", "Three"]})
        reword = {"do": "reword", "step": "t2", "text": "Two, but <b>better</b>"}
        edit(store, store.load("shared", "main"), [reword, {"do": "cancel", "step": "t3"}])
        told = text(await client.call_tool("done", {"step": 1}))
        assert told == (
            "1/2 done. Now: Two, but <b>better</b>. On the board, the user changed your plan: reworded 2. "
            '"Two, but <b>better</b>"; cancelled 3. "Three".'
        )
        assert text(await client.call_tool("done", {"step": 2})) == "2/2 done."

    run(PlanServer(store, session="shared").server, era, work)


@requirement("A12")
@pytest.mark.parametrize("dialect", ["smart", "envelope", "checklist", "twostate", "shell"])
def test_a_whole_list_that_knows_nothing_of_a_persons_edit_is_refused_once(dialect: str) -> None:
    from tests.support import call, edit

    store = MemoryStore()
    server = PlanServer(store, dialect=dialect, session="s")
    edits = [
        {"do": "reword", "step": "t2", "text": "Beta, but safer"},
        {"do": "add", "text": "Gamma"},
    ]

    async def work(client: Any) -> None:
        name = server.dialect.tool_name
        await client.call_tool(name, call(dialect, "Alpha", "Beta"))
        edit(store, store.load("s", "main"), edits)
        refused = await client.call_tool(name, call(dialect, ("Alpha", "completed"), "Beta"))
        assert refused.is_error
        assert 'reworded 2. "Beta, but safer"; added 3. "Gamma"' in text(refused).replace("\\", "")
        assert [todo.content for todo in store.load("s", "main").todos][1:] == [
            edits[0]["text"],
            "Gamma",
        ]
        again = await client.call_tool(name, call(dialect, "Alpha", "Beta, but safer", "Gamma"))
        assert not again.is_error
        assert "The user" not in text(again)

    run(server.server, "2026-07-28", work)


def test_an_edit_of_a_person_while_no_server_runs_is_told_by_the_next_one() -> None:
    store = MemoryStore()

    async def begin(client: Any) -> None:
        await client.call_tool("plan", {"steps": ["One", "Two"]})

    async def go_on(client: Any) -> None:
        told = text(await client.call_tool("done", {"step": 1}))
        assert (
            told
            == '1/2 done. Now: Two, now. On the board, the user changed your plan: reworded 2. "Two, now".'
        )

    run(PlanServer(store, session="s").server, "2026-07-28", begin)
    edit(store, store.load("s", "main"), [{"do": "reword", "step": "t2", "text": "Two, now"}])
    run(PlanServer(store, session="s").server, "2026-07-28", go_on)


def test_a_person_who_removes_the_step_that_is_reported_is_told_of_with_the_error() -> None:
    store = MemoryStore()

    async def work(client: Any) -> None:
        await client.call_tool("plan", {"steps": ["One", "Two"]})
        edit(store, store.load("s", "main"), [{"do": "remove", "step": "t1"}])
        told = text(await client.call_tool("done", {"step": 1}))
        assert told == (
            'Error: there is no step 1: the steps are 2. On the board, the user changed your plan: removed 1. "One".'
        )

    run(PlanServer(store, session="s").server, "2026-07-28", work)


@pytest.mark.parametrize("attempt", range(5))
def test_first_calls_side_by_side_on_a_plan_are_one_agents(attempt: int) -> None:
    store = MemoryStore()
    TodoWrite("lean", store=store, session="s")({"steps": [f"S{n}" for n in range(20)]})
    told: list[str] = []

    async def work(client: Any) -> None:
        async def call(step: int) -> None:
            told.append(text(await client.call_tool("done", {"step": step})))

        async with anyio.create_task_group() as tasks:
            for step in range(1, 9):
                tasks.start_soon(call, step)

    run(PlanServer(store, session="s").server, "2026-07-28", work)
    assert not any("On the board" in each for each in told)


@pytest.mark.parametrize("dialect", ["smart", "envelope", "checklist", "twostate", "shell"])
def test_every_dialect_can_be_served(dialect: str) -> None:
    from tests.support import call

    server = PlanServer(MemoryStore(), dialect=dialect, session="s")

    async def work(client: Any) -> None:
        (tool,) = (await client.list_tools()).tools
        result = await client.call_tool(tool.name, call(dialect, "Only step"))
        assert not result.is_error, text(result)
        assert server.todo("s", "main").plan.todos[0].content == "Only step"

    run(server.server, "2026-07-28", work)


def test_a_modern_client_hears_of_changes_that_others_make() -> None:
    store = MemoryStore()
    heard: list[str] = []

    async def work(client: Any) -> None:
        await client.call_tool("plan", {"steps": ["One"]})
        async with client.listen(resource_subscriptions=[uri_of("shared")]) as events:
            TodoWrite("lean", store=store, session="shared")({"step": 1}, tool="done")
            async for event in events:
                heard.append(str(event.uri))
                break

    run(PlanServer(store, session="shared").server, "2026-07-28", work)
    assert heard == ["plan://shared"]


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
def test_a_handshake_client_hears_of_changes_that_others_make(tmp_path: Path) -> None:
    store = MemoryStore()
    heard: list[str] = []

    async def main() -> None:
        done = anyio.Event()

        async def hear(message: Any) -> None:
            if getattr(message, "method", "") == "notifications/resources/updated":
                heard.append(str(message.params.uri))
                done.set()

        with anyio.fail_after(60):
            server = PlanServer(store, session="shared").server
            async with Client(server, mode="legacy", message_handler=hear) as client:
                await client.call_tool("plan", {"steps": ["One"]})
                await client.subscribe_resource("plan://shared")
                TodoWrite("lean", store=store, session="shared")({"step": 1}, tool="done")
                await done.wait()

    anyio.run(main)
    assert "plan://shared" in heard


@pytest.mark.parametrize("era", ERAS)
def test_over_standard_input_and_output(era: str, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    command = ["-m", "todowright", "mcp", "--store", url, "--session", "kept"]
    server = StdioServerParameters(
        command=sys.executable, args=command, cwd=str(tmp_path), env=dict(os.environ)
    )

    async def work(client: Any) -> None:
        assert text(await client.call_tool("plan", {"steps": ["One", "Two"]})) == "OK."

    run(stdio_client(server), era, work)
    assert TodoWrite("lean", store=url, session="kept").plan.count("in_progress") == 1


def test_over_http_a_hook_tells_two_repositories_apart(tmp_path: Path) -> None:
    store = MemoryStore()
    server = PlanServer(store, root=tmp_path, records=Records(str(tmp_path / "state"))).server

    async def work(client: Any) -> None:
        for name in ("one", "two"):
            folder = tmp_path / name
            folder.mkdir()
            hook = {"hook_event_name": "PreToolUse", "session_id": f"s-{name}", "tool_use_id": name}
            tool = {"tool_name": "mcp__todowright__plan", "cwd": str(folder)}
            await client.call_tool("hook", {**hook, **tool})
            meta: Any = {"claudecode/toolUseId": name}
            await client.call_tool("plan", {"steps": [f"Work on {name}"]}, meta=meta)

    async def main() -> None:
        with anyio.fail_after(60):
            claude = Implementation(name="claude-code", version="1")
            async with Client(server, mode="2026-07-28", client_info=claude) as client:
                await work(client)

    anyio.run(main)
    names = [name.rpartition("-")[0] for name in store.sessions()]
    assert names == ["one-claude-Work-on-one", "two-claude-Work-on-two"]


@pytest.mark.parametrize("era", ERAS)
def test_over_http_beside_the_board(era: str, tmp_path: Path) -> None:
    served = Served(tmp_path)

    async def work(client: Any) -> None:
        assert text(await client.call_tool("plan", {"steps": ["One", "Two"]})) == "OK."

    try:
        run(served.mcp("?session=web&agent=main"), era, work)
        plans = served.http.get("/api/sessions/web").json()["plans"]
    finally:
        served.stop()
    assert [todo["content"] for todo in plans[0]["todos"]] == ["One", "Two"]


def test_connections_have_sessions_of_their_own_unless_one_is_named() -> None:
    store = MemoryStore()

    async def work(client: Any) -> None:
        await client.call_tool("plan", {"steps": ["One"]})

    run(PlanServer(store).server, "legacy", work)
    run(PlanServer(store).server, "legacy", work)
    assert len(store.sessions()) == 2


def test_plans_are_listed_the_own_one_first_then_the_latest_page_by_page() -> None:
    store = MemoryStore()
    for n in range(150):
        TodoWrite("lean", store=store, session=f"old-{n:03}")({"steps": ["x"]})

    async def work(client: Any) -> None:
        await client.call_tool("plan", {"steps": ["Mine"]})
        TodoWrite("lean", store=store, session="newest")({"steps": ["x"]})
        first = await client.list_resources()
        names = [each.name for each in first.resources]
        assert names[:3] == ["mine", "newest", "old-149"]
        second = await client.list_resources(cursor=first.next_cursor)
        assert second.next_cursor is None
        rest = [each.name for each in second.resources]
        assert len({*names, *rest}) == 153
        assert rest[-1] == "old-000"

    run(PlanServer(store, session="mine").server, "2026-07-28", work)


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
def test_a_plan_may_be_subscribed_to_however_its_name_is_spelt() -> None:
    store = MemoryStore()
    heard: list[str] = []

    async def hear(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/resources/updated":
            heard.append(str(message.params.uri))

    async def main() -> None:
        with anyio.fail_after(60):
            server = PlanServer(store).server
            async with Client(server, mode="legacy", message_handler=hear) as client:
                spelt = "plan://%e4%bf%ae%20a"
                await client.subscribe_resource(spelt)
                TodoWrite("lean", store=store, session="修 a")({"steps": ["x"]})
                while not heard:
                    await anyio.sleep(0.01)
                assert heard == [spelt]

    anyio.run(main)


def test_a_host_over_http_goes_on_with_its_plan_when_the_server_was_started_anew(
    tmp_path: Path,
) -> None:
    async def call(served: Served, tool: str, arguments: dict[str, Any]) -> str:
        with anyio.fail_after(60):
            async with Client(served.mcp(), mode="2026-07-28") as client:
                return text(await client.call_tool(tool, arguments))

    served = Served(tmp_path)
    anyio.run(call, served, "plan", {"steps": ["One", "Two"]})
    served.stop()
    served = Served(tmp_path)
    try:
        assert anyio.run(call, served, "done", {"step": 1}) == "1/2 done. Now: Two"
    finally:
        served.stop()


@pytest.mark.parametrize(
    "uri", ["plan://nope", "file:///etc/passwd", "plan://", "ui://todowright/other.html"]
)
def test_a_resource_that_is_not_there_is_an_error(uri: str) -> None:
    async def work(client: Any) -> None:
        with pytest.raises(Exception, match="no such resource"):
            await client.read_resource(uri)

    run(PlanServer(MemoryStore()).server, "2026-07-28", work)


def test_the_widget_is_small_needs_nothing_from_outside_and_sets_text_as_text() -> None:
    async def work(client: Any) -> None:
        page = (await client.read_resource("ui://todowright/plan.html")).contents[0]
        assert page.mime_type == "text/html;profile=mcp-app"
        assert len(page.text.encode()) < 36_000
        assert "http://" not in page.text
        assert "https://" not in page.text
        assert "innerHTML" not in page.text

    run(PlanServer(MemoryStore()).server, "2026-07-28", work)


def test_what_a_host_reads_before_any_call_is_cheap() -> None:
    assert tokens(INSTRUCTIONS) < 60


def test_servers_on_one_store_agree_and_hear_of_each_other(tmp_path: Path) -> None:
    from todowright.stores import open_store

    url = f"sqlite:///{tmp_path}/shared.db"
    one, other = (PlanServer(open_store(url), session="shared") for _ in range(2))

    async def main() -> None:
        with anyio.fail_after(60):
            async with (
                Client(one.server, mode="2026-07-28") as first,
                Client(other.server, mode="legacy") as second,
            ):
                await first.call_tool("plan", {"steps": ["One", "Two"]})
                async with first.listen(resource_subscriptions=["plan://shared"]) as news:
                    assert text(await second.call_tool("done", {"step": 1})) == "1/2 done. Now: Two"
                    async for _ in news:
                        break
                told = text(await first.call_tool("done", {"step": 2}))
                assert told.startswith("2/2 done.")

    anyio.run(main)
    for server in (one, other):
        server.store.close()


def test_a_host_with_apps_is_offered_the_widget_and_no_other_is() -> None:
    store = MemoryStore()
    seen: list[list[str]] = []

    async def main(extensions: Any) -> None:
        server: Any = PlanServer(store).server
        async with Client(server, mode="2026-07-28", extensions=extensions) as made:
            client: Any = made
            tools = (await client.list_tools()).tools
            seen.append([tool.name for tool in tools])
            if extensions:
                assert tools[0].meta == {"ui": {"resourceUri": "ui://todowright/plan.html"}}
                assert [tool.meta["ui"]["visibility"] for tool in tools[-2:]] == [["app"]] * 2
                view = await client.call_tool("plan_view", {})
                assert view.structured_content["plans"] == []
            else:
                for name in ("plan_view", "plan_edit"):
                    assert (await client.call_tool(name, {})).is_error

    anyio.run(main, None)
    anyio.run(main, [Apps()])
    assert seen == [
        ["plan", "done", "add", "change", "drop"],
        ["plan", "done", "add", "change", "drop", "plan_view", "plan_edit"],
    ]


def test_two_hosts_of_one_name_on_one_server_have_plans_of_their_own(tmp_path: Path) -> None:
    served = Served(tmp_path)

    async def main() -> None:
        with anyio.fail_after(60):
            async with (
                Client(served.mcp(), mode="legacy") as one,
                Client(served.mcp(), mode="legacy") as other,
            ):
                await one.call_tool("plan", {"steps": ["A1", "A2"]})
                await other.call_tool("plan", {"steps": ["B1", "B2"]})
                assert text(await one.call_tool("done", {"step": 1})) == "1/2 done. Now: A2"

    try:
        anyio.run(main)
        assert len(served.http.get("/api/sessions").json()["sessions"]) == 2
    finally:
        served.stop()


def test_an_agents_own_calls_side_by_side_are_not_taken_for_the_users(tmp_path: Path) -> None:
    from todowright.stores import open_store

    server = PlanServer(open_store(f"sqlite:///{tmp_path}/p.db"), session="s")
    told: list[str] = []

    async def work(client: Any) -> None:
        await client.call_tool("plan", {"steps": [f"S{n}" for n in range(30)]})
        async with anyio.create_task_group() as tasks:
            for step in range(1, 30):
                tasks.start_soon(call, client, step)

    async def call(client: Any, step: int) -> None:
        told.append(text(await client.call_tool("done", {"step": step})))

    run(server.server, "2026-07-28", work)
    assert len(told) == 29
    assert not any("On the board" in each for each in told)
    server.store.close()


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
def test_subscribing_again_does_not_double_and_unsubscribing_ends_it() -> None:
    store = MemoryStore()
    server = PlanServer(store, session="shared")
    heard: list[str] = []

    async def hear(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/resources/updated":
            heard.append(str(message.params.uri))

    async def main() -> None:
        with anyio.fail_after(60):
            async with Client(server.server, mode="legacy", message_handler=hear) as client:
                await client.call_tool("plan", {"steps": ["One", "Two"]})
                for _ in range(3):
                    await client.subscribe_resource("plan://shared")
                await client.call_tool("done", {"step": 1})
                while not heard:
                    await anyio.sleep(0.01)
                await client.unsubscribe_resource("plan://shared")
                await client.call_tool("done", {"step": 2})
                await client.subscribe_resource("plan://other")
                TodoWrite(store=store, session="other").update(["Told after all of that"])
                while heard[-1] != "plan://other":
                    await anyio.sleep(0.01)
                with pytest.raises(Exception, match="no such resource"):
                    await client.subscribe_resource("file:///etc/passwd")

    anyio.run(main)
    assert heard == ["plan://shared", "plan://other"]


@pytest.mark.parametrize("name", ["My\u00a0Client", "a\\b/c", "\u200b", "...", "x" * 500, "克劳德"])
def test_any_name_of_a_client_makes_a_session(name: str) -> None:
    from todowright.mcp.server import sound_name
    from todowright.names import check_session

    assert check_session(f"{sound_name(name)}-12ab")


def test_ctrl_c_ends_the_server_on_standard_input(tmp_path: Path) -> None:
    import signal
    import subprocess

    command = [sys.executable, "-m", "todowright", "mcp", "--store", f"sqlite:///{tmp_path}/p.db"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert process.stdin is not None
    assert process.stdout is not None
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
    hello["clientInfo"] = {"name": "test", "version": "1"}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    print(json.dumps(request), file=process.stdin, flush=True)
    assert "todowright" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    process.communicate()
