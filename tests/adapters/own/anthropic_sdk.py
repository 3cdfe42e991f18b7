"""What only the Anthropic SDK has: the situations in a loop of one's own, threads, the cache, streams, retries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic, beta_tool

from tests.adapters.driver import Driver, Outcome, Script
from tests.adapters.drivers.anthropic_sdk import COMMON, AnthropicDriver, Talk
from tests.adapters.scripted_server import mind_of, serving
from tests.adapters.situations import *  # noqa: F403  # all of them, with the driver below
from todowright.adapters.anthropic_sdk import AnthropicPlan
from todowright.adapters.frameworks import MissingPart

EMPTY = {"type": "object", "properties": {}}
LOOKING = {"name": "look", "description": "Look at something.", "input_schema": EMPTY}
GIVEN = {"type": "object", "properties": {"task": {"type": "string"}}, "required": ["task"]}
DELEGATE = {"name": "delegate", "description": "Give work away.", "input_schema": GIVEN}
PLAN = ("plan", {"steps": ["Read", "Fix"]})
DONE = ("done", {"finished": ["Read", "Fix"]})


class PlainDriver(AnthropicDriver):
    """A loop of one's own, with `messages.create`."""

    def run(self, plan: AnthropicPlan, script: Script) -> Outcome:
        mind, seen = mind_of(script)
        with serving(mind) as server, Anthropic(base_url=server.url, api_key="key") as client:
            one = AnthropicPlan(script.thread, host=plan.host)
            talk = Talk(one, seen)
            talk.compact = script.compact
            tools = [LOOKING, DELEGATE] if script.child else [LOOKING]
            talk.history = self._loop(one, client, "model", script.task, tools, talk)
            return talk.outcome()

    def _loop(
        self,
        plan: AnthropicPlan,
        client: Any,
        model: str,
        task: str,
        tools: list[Any],
        talk: Talk | None,
    ) -> list[Any]:
        told = plan.client(client)
        messages: list[Any] = [{"role": "user", "content": task}]
        while True:
            answer = told.messages.create(
                model=model, messages=messages, tools=[*plan.definitions, *tools], **COMMON
            )
            messages.append({"role": "assistant", "content": answer.content})
            if talk:
                talk.take(answer)
            if answer.stop_reason == "tool_use":
                results = plan.results(answer)
                for call in answer.content:
                    if call.name not in plan.names:
                        said = "seen" if call.name == "look" else self._child(plan, client, call)
                        results.append(
                            {"type": "tool_result", "tool_use_id": call.id, "content": said}
                        )
                messages.append({"role": "user", "content": results})
                if talk and talk.compact and len(messages) > 6:
                    asked = {"model": model, "messages": messages, "tools": plan.definitions}
                    small = told.beta.messages.create(
                        compaction={"type": "summarize"}, **asked, **COMMON
                    )
                    messages = [{"role": "assistant", "content": small.content}]
            elif text := plan.asked(answer):
                messages.append({"role": "user", "content": text})
            else:
                return messages

    def _child(self, plan: AnthropicPlan, client: Any, call: Any) -> str:
        with plan.subagent("helper") as child:
            messages = self._loop(child, client, "child", call.input["task"], [LOOKING], None)
        return str(messages[-1]["content"][0].text)

    async def arun(self, plan: AnthropicPlan, script: Script) -> Outcome:
        mind, seen = mind_of(script)
        with serving(mind) as server:
            async with AsyncAnthropic(base_url=server.url, api_key="key") as client:
                one = AnthropicPlan(script.thread, host=plan.host)
                told, talk = one.client(client), Talk(one, seen)
                messages: list[Any] = [{"role": "user", "content": script.task}]
                while True:
                    answer = await told.messages.create(
                        model="model",
                        messages=messages,
                        tools=[*one.definitions, LOOKING],
                        **COMMON,
                    )
                    messages.append({"role": "assistant", "content": answer.content})
                    talk.take(answer)
                    if answer.stop_reason == "tool_use":
                        results = await one.aresults(answer)
                        mine = [call for call in answer.content if call.name == "look"]
                        results += [
                            {"type": "tool_result", "tool_use_id": call.id, "content": "seen"}
                            for call in mine
                        ]
                        messages.append({"role": "user", "content": results})
                    elif text := await one.aasked(answer):
                        messages.append({"role": "user", "content": text})
                    else:
                        talk.history = messages
                        return talk.outcome()


@pytest.fixture(scope="session")
def driver() -> Driver:
    return PlainDriver()


@beta_tool
def look() -> str:
    """Look at something."""
    return "seen"


ASKED: list[Any] = [{"role": "user", "content": "Go"}]


def sent(turns: list[Any], **options: Any) -> list[dict[str, Any]]:
    """What a run of the tool runner sends."""
    mind, seen = mind_of(Script(turns))
    with serving(mind) as server, Anthropic(base_url=server.url, api_key="key") as client:
        plan = AnthropicPlan("one")
        list(plan.run(client, model="model", messages=ASKED, tools=[look], **COMMON, **options))
    return seen["model"]


def test_the_breakpoint_of_the_cache_stays_on_what_lasts() -> None:
    mark = {"type": "ephemeral"}
    first, second, third = sent([[PLAN], [DONE], "Done."], cache_control=mark)
    assert first["cache_control"] == mark, "without a tail nothing is changed"
    *_, result, tail = second["messages"][-1]["content"]
    assert (result["type"], result["cache_control"]) == ("tool_result", mark)
    assert "Plan: 0 of 2 done." in tail["text"]
    assert "cache_control" not in tail
    assert "cache_control" not in second, "the end of this request is not in the next one"
    assert third["messages"][: len(second["messages"]) - 1] == second["messages"][:-1]


def test_a_streamed_run_has_the_plan_too() -> None:
    mind, seen = mind_of(Script([[PLAN], "Finished!", [DONE], "Done."]))
    with serving(mind) as server, Anthropic(base_url=server.url, api_key="key") as client:
        plan = AnthropicPlan("one")
        run = plan.run(client, model="model", messages=ASKED, stream=True, **COMMON)
        ends = [stream.get_final_message() for stream in run]
    assert ends[-1].content[0].text == "Done."
    assert "Open steps: 1. Read; 2. Fix." in str(seen["model"][2]["messages"][-1])
    assert "Plan: " in str(seen["model"][1]["messages"][-1])


def test_a_runner_with_a_thread_gets_no_tail_and_says_so() -> None:
    mind, seen = mind_of(Script([[PLAN], "Done."]))
    with serving(mind) as server, Anthropic(base_url=server.url, api_key="key") as client:
        plan = AnthropicPlan("one")
        with pytest.warns(MissingPart, match="use thread=False"):
            plan.client(client).beta.messages.tool_runner(
                model="model", messages=ASKED, tools=plan.runner_tools, **COMMON
            ).until_done()
    assert "Plan: " not in str(seen["model"])


def test_a_request_without_the_plans_tools_is_left_as_it_is() -> None:
    mind, seen = mind_of(Script([[PLAN], "Hello."]))
    with serving(mind) as server, Anthropic(base_url=server.url, api_key="key") as client:
        plan = AnthropicPlan("one")
        told = plan.client(client)
        plan.results(
            told.messages.create(model="model", messages=ASKED, tools=plan.definitions, **COMMON)
        )
        told.messages.create(model="model", messages=ASKED, tools=[LOOKING], **COMMON)
    assert seen["model"][1]["messages"] == ASKED


@pytest.mark.parametrize("late", [False, True])
def test_a_summary_does_not_have_the_tail_and_the_request_behind_it_has(late: bool) -> None:
    """`late`: the conversation is made smaller behind the final answer, and the guard asks all the same."""
    mind, seen = mind_of(Script([[PLAN], "Early.", [DONE], "Done."]))
    with serving(mind) as server, Anthropic(base_url=server.url, api_key="key") as client:
        plan = AnthropicPlan("one")
        said = []
        for message in plan.run(client, model="model", messages=ASKED, **COMMON):
            said.append(message)
            if len(said) == (2 if late else 1):
                plan.runner.compact_before_next_turn()
    assert said[-1].content[0].text == "Done."
    (summed,) = (body for body in server.requests if body.get("compaction"))
    assert "Plan: " not in str(summed["messages"])
    behind = seen["model"][2 if late else 1]["messages"]
    assert behind[0]["content"][0]["type"] == "compaction"
    assert "Read" not in str(behind[:-1])
    assert "1. Read - NOW" in behind[-1]["content"][-1]["text"]
    assert behind[-1]["role"] == "user"
    assert "Plan: " not in str(plan.history)


def test_a_system_message_at_the_end_stays_there_and_the_tail_stands_before_it() -> None:
    mind, seen = mind_of(Script([[PLAN], "Hello."]))
    with serving(mind) as server, Anthropic(base_url=server.url, api_key="key") as client:
        plan = AnthropicPlan("one")
        told, given = plan.client(client), {"model": "model", "tools": plan.definitions, **COMMON}
        plan.results(told.messages.create(messages=ASKED, **given))
        hint: Any = {"role": "system", "content": "Be brief.", "clear_at": "next_user_message"}
        told.messages.create(messages=[*ASKED, hint], **given)
    asked, last = seen["model"][1]["messages"]
    assert last == hint
    assert "Plan: 0 of 2 done." in asked["content"][-1]["text"]


def test_an_answer_that_was_cut_off_is_not_sent_back() -> None:
    class Cut:
        stop_reason = "max_tokens"

    plan = AnthropicPlan("one")
    plan.current.call("plan", {"steps": ["Read"]})
    assert plan.asked(Cut()) == ""


def test_a_call_that_a_runner_makes_again_is_made_once() -> None:
    plan = AnthropicPlan("one")
    plan._calls = [("plan", PLAN[1], "toolu_1")]
    tool = plan.runner_tools[0]
    first = tool.call(PLAN[1])
    plan._calls = [("plan", PLAN[1], "toolu_1")]
    assert tool.call(PLAN[1]) == first
    assert plan.todo.plan.revision == 1


def test_what_the_runner_cannot_take_is_told_before_it_runs() -> None:
    @beta_tool
    def done() -> str:
        """Say that it is done."""
        return "done"

    def look() -> str:
        return "seen"

    asked: dict[str, Any] = {
        "messages": [{"role": "user", "content": "Go"}],
        "max_tokens": 9,
        "model": "m",
    }
    client, other = Anthropic(api_key="key"), AsyncAnthropic(api_key="key")
    for tools, told in (
        ([done], "you have a tool 'done', and the plan has one of that name: rename yours"),
        ([{**LOOKING, "name": "plan"}], "you have a tool 'plan'"),
        ([look], "look is a plain function: decorate it with @beta_tool"),
    ):
        with pytest.raises((TypeError, ValueError), match=told):
            next(AnthropicPlan().run(client, tools=tools, **asked))
    with pytest.raises(TypeError, match=r"use plan\.arun with an async client"):
        next(AnthropicPlan().run(other, **asked))
    with pytest.raises(TypeError, match=r"use plan\.run with a client that is not async"):
        asyncio.run(first_of(AnthropicPlan().arun(client, **asked)))


async def first_of(answers: AsyncIterator[Any]) -> Any:
    return await anext(answers)


@pytest.mark.parametrize("has_it", [False, True])
def test_when_to_plan_stands_behind_the_users_own_system_prompt_once(has_it: bool) -> None:
    mind, seen = mind_of(Script([[PLAN], [DONE], "Done."]))
    plan = AnthropicPlan("one")
    prompt = plan.host.prompt
    own = f"Be kind. {prompt}" if has_it else "Be kind."
    with serving(mind) as server, Anthropic(base_url=server.url, api_key="key") as client:
        messages = [{"role": "user", "content": "Go"}]
        list(plan.run(client, model="model", messages=messages, system=own, **COMMON))
    blocks = [{"type": "text", "text": text} for text in ("Be kind.", prompt)]
    assert [body["system"] for body in seen["model"]] == [own if has_it else blocks] * 3
