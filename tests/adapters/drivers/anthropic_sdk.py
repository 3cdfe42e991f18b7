"""The Anthropic SDK's tool runner, against a server that plays the script."""

from __future__ import annotations

from typing import Any

from anthropic import Anthropic, AsyncAnthropic, beta_async_tool, beta_tool

from tests.adapters.driver import PAGE, Driver, Outcome, Request, Script
from tests.adapters.scripted_server import mind_of, page_server, serving
from todowright.adapters.anthropic_sdk import AnthropicPlan

COMMON: dict[str, Any] = {"max_tokens": 100}


def texts(content: Any) -> list[str]:
    """The texts of a message's content, also of results."""
    if isinstance(content, str):
        return [content]
    blocks = [each if isinstance(each, dict) else each.model_dump() for each in content]
    told = [block.get("text", block.get("content")) for block in blocks]
    return [each for one in told if one is not None for each in texts(one)]


def as_request(body: dict[str, Any]) -> Request:
    said = [text for message in body["messages"] for text in texts(message["content"])]
    return Request(said, [tool["name"] for tool in body["tools"]], str(body.get("system")))


def look() -> str:
    """Look at something."""
    return "seen"


class Talk:
    """What is kept of one run."""

    def __init__(self, plan: AnthropicPlan, seen: dict[str, list[dict[str, Any]]]) -> None:
        self.plan, self.seen = plan, seen
        self.events: list[dict[str, Any]] = []
        self.answer = ""
        self.compact = False
        self.history: list[Any] = []

    def take(self, message: Any) -> None:
        self.events += self.plan.changes()
        self.answer = "".join(block.text for block in message.content if block.type == "text")

    def outcome(self) -> Outcome:
        self.events += self.plan.changes()
        last = self.seen["model"][-1]["messages"]
        return Outcome(
            answer=self.answer,
            requests=[as_request(body) for body in self.seen["model"]],
            child_requests=[as_request(body) for body in self.seen["child"]],
            replies=plan_results(last, self.plan.names),
            history=[text for message in self.history for text in texts(message["content"])],
            events=self.events,
        )


def plan_results(messages: list[dict[str, Any]], names: frozenset[str]) -> list[str]:
    """What the plan calls were answered, in the model's order."""
    blocks = [
        block for each in messages if isinstance(each["content"], list) for block in each["content"]
    ]
    ours = {
        block["id"] for block in blocks if block["type"] == "tool_use" and block["name"] in names
    }
    results = [block for block in blocks if block["type"] == "tool_result"]
    return [
        text for each in results if each["tool_use_id"] in ours for text in texts(each["content"])
    ]


class AnthropicDriver(Driver):
    name = "anthropic_sdk"

    def make(self, store: str, **settings: Any) -> AnthropicPlan:
        return AnthropicPlan("settings", store=store, **settings)

    def given_to_pages(self) -> dict[str, Any]:
        known: Any = {"base_url": page_server(PAGE), "api_key": "key"}
        schema = {"type": "object", "properties": {}}
        definitions = [{"name": "look", "description": "Look.", "input_schema": schema}]
        return {
            "client": Anthropic(**known),
            "async_client": AsyncAnthropic(**known),
            "model": "model",
            "tools": [beta_tool(look)],
            "async_tools": [],
            "definitions": definitions,
            "call": lambda *_: "seen",
        }

    def run(self, plan: AnthropicPlan, script: Script) -> Outcome:
        mind, seen = mind_of(script)
        with serving(mind) as server, Anthropic(base_url=server.url, api_key="key") as client:
            one = AnthropicPlan(script.thread, host=plan.host)
            talk = Talk(one, seen)
            tools = self._tools(one, client, script)
            asked = [{"role": "user", "content": script.task}]
            for message in one.run(client, model="model", messages=asked, tools=tools, **COMMON):
                talk.take(message)
                if script.compact and len(seen["model"]) % 3 == 0:
                    one.runner.compact_before_next_turn()
            talk.history = one.history
            return talk.outcome()

    def _tools(self, plan: AnthropicPlan, client: Any, script: Script) -> list[Any]:
        @beta_tool
        def delegate(task: str) -> str:
            """Give a piece of work to a sub-agent.

            Args:
                task: What to do.
            """
            asked = [{"role": "user", "content": task}]
            with plan.subagent("helper") as child:
                answers = list(
                    child.run(
                        client, model="child", messages=asked, tools=[beta_tool(look)], **COMMON
                    )
                )
            return str(answers[-1].content[0].text)

        return [beta_tool(look), delegate] if script.child else [beta_tool(look)]

    async def arun(self, plan: AnthropicPlan, script: Script) -> Outcome:
        mind, seen = mind_of(script)

        @beta_async_tool
        async def look() -> str:
            """Look at something."""
            return "seen"

        with serving(mind) as server:
            async with AsyncAnthropic(base_url=server.url, api_key="key") as client:
                one = AnthropicPlan(script.thread, host=plan.host)
                talk = Talk(one, seen)
                asked = [{"role": "user", "content": script.task}]
                answers = one.arun(client, model="model", messages=asked, tools=[look], **COMMON)
                async for message in answers:
                    talk.take(message)
                talk.history = one.history
                return talk.outcome()


DRIVER = AnthropicDriver()
