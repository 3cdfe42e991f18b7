"""The OpenAI SDK against a server that plays the script: Responses; `own/openai_sdk.py` has Chat Completions."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from openai import AsyncOpenAI, OpenAI

from tests.adapters.driver import PAGE, Driver, Outcome, Request, Script
from tests.adapters.scripted_server import mind_of, page_server, serving
from todowright.adapters.openai_sdk import OpenAIPlan, ResponsesPlan

Item = dict[str, Any]


def function(name: str, *fields: str) -> Item:
    kinds = {field: {"type": "string"} for field in fields}
    schema = {"type": "object", "properties": kinds, "required": list(fields)}
    return {"name": name, "description": name, "parameters": schema}


def texts(items: list[Item]) -> list[str]:
    """The texts of a conversation, also of results; calls have none."""
    told = []
    for item in items:
        said = item.get("content") or item.get("output")
        if isinstance(said, list):
            told += [part["text"] for part in said]
        elif said:
            told.append(said)
    return told


class ResponsesDriver(Driver):
    name = "openai_sdk"
    kind: type[OpenAIPlan] = ResponsesPlan
    items = "input"

    def make(self, store: str, **settings: Any) -> OpenAIPlan:
        return self.kind("settings", store=store, **settings)

    def tools(self, *names: str) -> list[Item]:
        made = [function(name, *(["task"] if name == "delegate" else [])) for name in names]
        return [{"type": "function", "strict": False, **each} for each in made]

    def answer(self, said: Any) -> str:
        return str(said.output_text)

    def request(self, body: Item) -> Request:
        names = [tool["name"] for tool in body["tools"]]
        return Request(texts(body["input"]), names, str(body.get("instructions")))

    def replies(self, body: Item, names: frozenset[str]) -> list[str]:
        made = [item for item in body["input"] if item.get("type") == "function_call"]
        ours = {call["call_id"] for call in made if call["name"] in names}
        results = [item for item in body["input"] if item.get("type") == "function_call_output"]
        return [item["output"] for item in results if item["call_id"] in ours]

    def outcome(self, plan: OpenAIPlan, seen: Any, answer: str, events: list[Any]) -> Outcome:
        return Outcome(
            answer=answer,
            requests=[self.request(body) for body in seen["model"]],
            child_requests=[self.request(body) for body in seen["child"]],
            replies=self.replies(seen["model"][-1], plan.names),
            history=texts(plan.history),
            events=[*events, *plan.changes()],
        )

    def given_to_pages(self) -> dict[str, Any]:
        known: Any = {"base_url": f"{page_server(PAGE)}/v1", "api_key": "key"}
        chat = {"type": "function", "function": function("look")}
        return {
            "client": OpenAI(**known),
            "model": "model",
            "tools": self.tools("look"),
            "chat_tools": [chat],
            "call": lambda *_: "seen",
        }

    def run(self, plan: OpenAIPlan, script: Script) -> Outcome:
        mind, seen = mind_of(script)
        one, answer, events = self.kind(script.thread, host=plan.host), "", []
        with serving(mind) as server, OpenAI(base_url=f"{server.url}/v1", api_key="key") as client:

            def call(name: str, arguments: str) -> str:
                if name == "look":
                    return "seen"
                asked = {self.items: [{"role": "user", "content": json.loads(arguments)["task"]}]}
                with one.subagent("helper") as child:
                    said = list(
                        child.run(
                            client, model="child", tools=self.tools("look"), call=call, **asked
                        )
                    )
                return self.answer(said[-1])

            tools = self.tools("look", "delegate") if script.child else self.tools("look")
            asked = {self.items: [{"role": "user", "content": script.task}]}
            for said in one.run(client, model="model", tools=tools, call=call, **asked):
                answer = self.answer(said)
                if script.events:
                    events += one.changes()
        return self.outcome(one, seen, answer, events)

    async def arun(self, plan: OpenAIPlan, script: Script) -> Outcome:
        mind, seen = mind_of(script)
        one, answer, events = self.kind(script.thread, host=plan.host), "", []

        async def call(name: str, arguments: str) -> str:
            await asyncio.sleep(0)
            return "seen"

        with serving(mind) as server:
            async with AsyncOpenAI(base_url=f"{server.url}/v1", api_key="key") as client:
                asked = {self.items: [{"role": "user", "content": script.task}]}
                run = one.arun(client, model="model", tools=self.tools("look"), call=call, **asked)
                async for said in run:
                    answer = self.answer(said)
                    if script.events:
                        events += one.changes()
        return self.outcome(one, seen, answer, events)


DRIVER = ResponsesDriver()
