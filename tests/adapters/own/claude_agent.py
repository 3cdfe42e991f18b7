"""What only the Claude Agent SDK has: its options, its sessions, its compaction, several sub-agents at once."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from typing import Any

import pytest
from claude_agent_sdk import ClaudeSDKClient, HookMatcher, ResultMessage, create_sdk_mcp_server

from tests.adapters.driver import Script
from tests.adapters.drivers.claude_agent import CHILD, Mind, environ, look
from tests.adapters.scripted_server import serving
from todowright.adapters.claude_agent import OWN_TOOLS, ClaudePlan

PLAN = ("plan", {"steps": ["Read", "Fix"]})
DONE = ("done", {"finished": ["Read", "Fix"]})


async def talked(
    plan: ClaudePlan, script: Script, *prompts: str, session: str | None, folder: str, **more: Any
) -> tuple[Mind, list[ResultMessage]]:
    mind, results = Mind(script, plan.host.names), []
    with serving(mind) as server:
        options = plan.options(
            session,
            mcp_servers={"work": create_sdk_mcp_server("work", tools=[look])},
            env=environ(server.url, folder),
            cwd=folder,
            model="claude-sonnet-4-5",
            setting_sources=[],
            **{"allowed_tools": ["mcp__work__look"], **more},
        )
        async with ClaudeSDKClient(options) as client:
            for prompt in prompts or ("Go",):
                await client.query(prompt)
                async for message in client.receive_response():
                    if isinstance(message, ResultMessage):
                        results.append(message)
    return mind, results


def talk(
    turns: Sequence[Any], *prompts: str, plan: ClaudePlan | None = None, **options: Any
) -> Any:
    """A conversation in an empty folder."""
    plan = plan or ClaudePlan(without=["tail"])
    child = options.pop("child", ())
    options.setdefault("session", "one")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        script = Script(turns, child=child)
        options.setdefault("folder", folder)
        return asyncio.run(talked(plan, script, *prompts, **options))


@pytest.mark.parametrize("tools", [[], ["Read", "Bash"]])
@pytest.mark.parametrize("prompt", ["Go", "/code-review"])
def test_without_sub_agents_no_hook_stands_before_a_plan_call(
    tools: list[str], prompt: str
) -> None:
    plan = ClaudePlan(without=["tail"])
    alone: Any = {"tools": tools, "verbatim_prompts": True}
    assert "PreToolUse" not in (plan.options("alone", **alone).hooks or {})
    script = [[PLAN], [("look", {})], "Early.", [DONE], "Done."]
    mind, results = talk(script, prompt, plan=plan, session=None, **alone)
    assert results[-1].result == "Done."
    assert [each.strip() for each in mind.replies()] == ["OK.", "2/2 done."]
    assert [plans_of(plan, name) for name in plan.host.store.sessions()] == [["main"]]


@pytest.mark.parametrize(
    "more",
    [
        {"tools": None},
        {"tools": ["Read", "Agent"]},
        {"tools": ["Later"]},
        {"tools": [], "skills": []},
        {"tools": [], "extra_args": {"tools": "default"}},
        {"tools": [], "verbatim_prompts": False},
    ],
)
def test_where_there_may_be_sub_agents_it_is_asked_who_makes_a_call(more: dict[str, Any]) -> None:
    given: Any = {"verbatim_prompts": True, **more}
    assert "PreToolUse" in (ClaudePlan(without=["tail"]).options("maybe", **given).hooks or {})


def test_a_command_that_runs_in_a_sub_agent_has_a_plan_of_its_own_though_there_are_no_tools() -> (
    None
):
    plan = ClaudePlan(without=["tail"])
    mind = Mind(Script([[PLAN], [DONE], "Over.", "Done."]), plan.host.names)

    async def ask(options: Any) -> None:
        async with ClaudeSDKClient(options) as client:
            await client.query("/code-review")
            async for _ in client.receive_response():
                pass

    with (
        serving(mind) as server,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
    ):
        given: Any = {"env": environ(server.url, folder), "cwd": folder, "setting_sources": []}
        options = plan.options(None, tools=[], model="claude-sonnet-4-5", max_turns=6, **given)
        asyncio.run(ask(options))
    (session,) = plan.host.store.sessions()
    (agent,) = plans_of(plan, session)
    assert agent.startswith("main/")


def plans_of(plan: ClaudePlan, session: str) -> list[str]:
    return [each.agent for each in plan.host.store.plans(session)]


def test_claudes_own_plan_tools_are_gone_and_ones_own_hooks_stay() -> None:
    heard: list[str] = []

    async def hear(data: Any, *_: Any) -> Any:
        heard.append(data["tool_name"])
        return {}

    hooks = {"PreToolUse": [HookMatcher(hooks=[hear])]}
    mind, _ = talk(
        [[PLAN], [("look", {})], [DONE], "Done."], hooks=hooks, disallowed_tools=["Bash"]
    )
    names = {tool["name"] for tool in mind.seen["main"][0]["tools"]}
    assert not names & {*OWN_TOOLS, "Bash"}
    assert heard == ["mcp__plan__plan", "mcp__work__look", "mcp__plan__done"]


def test_without_a_session_the_plan_belongs_to_claudes_own_and_resume_goes_on_with_it() -> None:
    plan = ClaudePlan(without=["tail"], ask_again=0)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        _, (first,) = talk([[PLAN], "Later."], plan=plan, session=None, folder=folder)
        found = plan.host.store.load(first.session_id, "main")
        assert [todo.content for todo in found.todos] == ["Read", "Fix"]
        mind, (second,) = talk(
            [[DONE], "Done."], plan=plan, session=None, folder=folder, resume=first.session_id
        )
        _, (third,) = talk(["Hello."], plan=plan, session=None, folder=folder)
    assert "Plan: 0 of 2 done." in str(mind.seen["main"][0]["messages"][-1]), (
        "it comes with the prompt"
    )
    assert plan.host.store.load(second.session_id, "main").finished
    assert not plan.host.store.load(third.session_id, "main").todos, "another session has none"


def test_calls_that_are_not_quite_right_are_understood() -> None:
    mind, _ = talk(
        [[("plan", {"todos": ["Read", "Fix"]})], [("done", {"finished": "Read"})], [DONE], "Done."]
    )
    assert [reply.split(".")[0] for reply in mind.replies()][:2] == ["OK", "1/2 done"]


def test_after_its_compaction_the_plan_is_there_again() -> None:
    plan = ClaudePlan(without=["tail"], ask_again=0)
    turns = [[PLAN], "Later.", [DONE], "Done."]
    mind, _ = talk(turns, "Go", "/compact", "Go on", plan=plan)
    asked = mind.seen["main"][2]["messages"]
    assert "mcp__plan__plan" not in str([each for each in asked if each["role"] == "assistant"])
    assert "SessionStart hook additional context: Plan: 0 of 2 done." in str(asked)


def test_two_sub_agents_at_once_have_two_plans_and_each_is_asked_about_its_own() -> None:
    plan = ClaudePlan(without=["tail"])
    both = [("delegate", {"task": f"{CHILD} one"}), ("delegate", {"task": f"{CHILD} two"})]
    child = (
        [[("plan", {"steps": ["Part"]})]] * 2
        + ["Early."] * 2
        + [[("done", {"finished": ["Part"]})]] * 2
        + ["Over."] * 2
    )
    mind, (result,) = talk([[PLAN], both, [DONE], "Done."], plan=plan, child=child)
    assert result.result == "Done."
    assert [len(mind.seen["child"]), len(mind.seen["main"])] == [8, 4]
    assert (
        str([body["messages"][-1] for body in mind.seen["child"]]).count("Open steps: 1. Part.")
        == 2
    )
    assert plan.host.store.load("one", "main").progress == (2, 2)


def test_an_mcp_that_is_too_old_gives_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.metadata
    import sys

    real = importlib.metadata.version
    old = {"mcp": "1.30.0"}
    monkeypatch.setattr(importlib.metadata, "version", lambda name: old.get(name) or real(name))
    monkeypatch.delitem(sys.modules, "todowright.adapters.claude_agent")
    with pytest.raises(
        ImportError, match=r"^mcp 1.30.0 is too old: todowright needs 2.3 or newer: pip install"
    ):
        importlib.import_module("todowright.adapters.claude_agent")


def test_servers_in_a_file_are_refused_in_one_line() -> None:
    with pytest.raises(TypeError, match="mcp_servers must be a dict"):
        ClaudePlan(without=["tail"]).options(mcp_servers="servers.json")
