"""What only the OpenAI SDK has: the situations with Chat Completions, and conversations that the server keeps."""

from __future__ import annotations

from typing import Any, cast

import pytest
from openai import OpenAI

from tests.adapters.driver import Driver, Request, Script
from tests.adapters.drivers.openai_sdk import Item, ResponsesDriver, texts
from tests.adapters.scripted_server import mind_of, serving
from tests.adapters.situations import *  # noqa: F403  # all of them, with the driver below
from todowright.adapters.frameworks import MissingPart
from todowright.adapters.openai_sdk import ChatPlan, ResponsesPlan

PLAN = ("plan", {"steps": ["Read", "Fix"]})
DONE = ("done", {"finished": ["Read", "Fix"]})


class ChatDriver(ResponsesDriver):
    kind = ChatPlan
    items = "messages"

    def tools(self, *names: str) -> list[Item]:
        flat = super().tools(*names)
        keys = ("name", "description", "parameters")
        return [{"type": "function", "function": {key: each[key] for key in keys}} for each in flat]

    def answer(self, said: Any) -> str:
        return said.choices[0].message.content or ""

    def request(self, body: Item) -> Request:
        first, *others = body["messages"]
        assert all(each["role"] != "system" for each in others), "many servers take one only"
        names = [tool["function"]["name"] for tool in body["tools"]]
        return Request(texts(others), names, first["content"])

    def replies(self, body: Item, names: frozenset[str]) -> list[str]:
        made = [call for each in body["messages"] for call in each.get("tool_calls", ())]
        ours = {call["id"] for call in made if call["function"]["name"] in names}
        results = [each for each in body["messages"] if each["role"] == "tool"]
        return [each["content"] for each in results if each["tool_call_id"] in ours]


@pytest.fixture(scope="session")
def driver() -> Driver:
    return ChatDriver()


def test_a_conversation_that_the_server_keeps_gets_no_tail_and_has_the_guard() -> None:
    mind, seen = mind_of(Script([[PLAN], "Finished!", [DONE], "Done."]))
    with serving(mind) as server, OpenAI(base_url=f"{server.url}/v1", api_key="key") as client:
        plan = ResponsesPlan("one")
        with pytest.warns(MissingPart, match="told in replies only"):
            said = list(plan.run(client, model="model", input="Go", previous_response_id="resp_0"))
    assert said[-1].output_text == "Done."
    bodies = seen["model"]
    assert [body["previous_response_id"] for body in bodies] == [
        "resp_0",
        "resp_1",
        "resp_2",
        "resp_3",
    ]
    assert [len(body["input"]) for body in bodies] == [1, 1, 1, 1]
    assert "Plan: " not in str([body["input"] for body in bodies])
    assert "Open steps: 1. Read; 2. Fix." in str(bodies[2]["input"])


def test_responses_are_not_stored_and_reasoning_comes_along() -> None:
    mind, seen = mind_of(Script(["Done."]))
    with serving(mind) as server, OpenAI(base_url=f"{server.url}/v1", api_key="key") as client:
        list(ResponsesPlan("one").run(client, model="model", input="Go"))
    (body,) = seen["model"]
    assert (body["store"], body["include"]) == (False, ["reasoning.encrypted_content"])


def test_a_tool_that_nobody_runs_is_told_to_the_model() -> None:
    mind, seen = mind_of(Script([[("fly", {})], "Done."]))
    with serving(mind) as server, OpenAI(base_url=f"{server.url}/v1", api_key="key") as client:
        list(
            ChatPlan("one").run(client, model="model", messages=[{"role": "user", "content": "Go"}])
        )
    assert seen["model"][1]["messages"][-1]["content"] == "Error: no tool is called fly"


def test_arguments_that_are_no_json_are_refused_in_one_line() -> None:
    broken: Any = ("plan", '{"steps": [')
    mind, seen = mind_of(Script([[broken], [PLAN], [DONE], "Done."]))
    with serving(mind) as server, OpenAI(base_url=f"{server.url}/v1", api_key="key") as client:
        list(
            ChatPlan("one").run(client, model="model", messages=[{"role": "user", "content": "Go"}])
        )
    said = seen["model"][1]["messages"][-1]["content"]
    assert said.startswith("Error: ")
    assert "\n" not in said


def test_parts_for_a_loop_of_ones_own() -> None:
    mind, seen = mind_of(Script([[PLAN], "Finished!", [DONE], "Done."]))
    plan, messages = ChatPlan("one"), [{"role": "user", "content": "Go"}]
    with serving(mind) as server, OpenAI(base_url=f"{server.url}/v1", api_key="key") as client:
        while True:
            answer: Any = client.chat.completions.create(
                model="model", messages=plan.told(messages), tools=cast("Any", plan.definitions)
            )
            messages.append(answer.choices[0].message)
            if answer.choices[0].message.tool_calls:
                messages += plan.results(answer)
            elif text := plan.asked(answer):
                messages.append({"role": "user", "content": text})
            else:
                break
    assert answer.choices[0].message.content == "Done."
    assert "Plan: 0 of 2 done." in seen["model"][1]["messages"][-1]["content"]
    assert "Plan: " not in str(messages)


@pytest.mark.parametrize("own", ["Be kind.", f"Be kind.\n\n{ChatPlan('x').host.prompt}"])
def test_when_to_plan_joins_the_users_own_system_message_once(own: str) -> None:
    mind, seen = mind_of(Script([[PLAN], [DONE], "Done."]))
    plan, asked = ChatPlan("two"), {"role": "user", "content": "Go"}
    with serving(mind) as server, OpenAI(base_url=f"{server.url}/v1", api_key="key") as client:
        messages = [{"role": "system", "content": own}, asked]
        list(plan.run(client, model="model", messages=messages))
    told = f"Be kind.\n\n{plan.host.prompt}"
    for body in seen["model"]:
        systems = [each["content"] for each in body["messages"] if each["role"] == "system"]
        assert systems == [told]
    assert plan.history[0]["content"] == own


def test_when_to_plan_stands_behind_the_users_own_instructions() -> None:
    mind, seen = mind_of(Script(["Done."]))
    plan = ResponsesPlan("one")
    with serving(mind) as server, OpenAI(base_url=f"{server.url}/v1", api_key="key") as client:
        list(plan.run(client, model="model", input="Go", instructions="Be kind."))
    assert [body["instructions"] for body in seen["model"]] == [f"Be kind.\n\n{plan.host.prompt}"]
