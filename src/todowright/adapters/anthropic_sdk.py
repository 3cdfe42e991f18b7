"""The Anthropic SDK: its tool runner (`plan.run(client, …)`), or a loop of your own (`plan.client(client)`)."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator, Iterator, Sequence
from copy import copy
from inspect import isfunction
from typing import Any

from todowright.adapters.conversation import Conversation
from todowright.adapters.frameworks import MissingPart, check_names, needed
from todowright.dialects.call import Reply
from todowright.host.plan_run import PlanCall

needed("anthropic_sdk")
from anthropic import Middleware
from anthropic.lib.tools import (
    BetaAsyncBuiltinFunctionTool,
    BetaBuiltinFunctionTool,
    ToolError,
)

_THREAD = "the server keeps this thread, so the plan was not added: use thread=False"


class AnthropicPlan(Conversation, Middleware):
    """The plan of one conversation. It is a middleware of the client: so the tail goes in with each request."""

    framework_name = "anthropic_sdk"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.definitions = self.todo.definitions("anthropic")
        """For `tools=`, in a loop of your own."""
        self.runner_tools = [PlanTool(self, each) for each in self.definitions]
        """For a tool runner of your own: it then asks nothing about open steps."""
        self._calls: list[PlanCall] = []
        """What a runner is about to call: it does not tell a tool the id of its call."""
        self.history: list[Any] = []
        """The messages of the last `run`, without tails: the next one may begin with them."""
        self.runner: Any = None
        """The SDK's tool runner while `run` goes on: `plan.runner.compact_before_next_turn()`, say."""

    def client(self, client: Any) -> Any:
        """The client; every request through it that offers the plan's tools ends with the tail."""
        return client.with_middleware(self)

    def results(self, answer: Any) -> list[dict[str, Any]]:
        """The results of an answer's plan calls, for your next message; yours stand beside them."""
        calls = self._plan_calls(answer)
        return [_result(*pair) for pair in zip(calls, self.current.answer(calls), strict=True)]

    async def aresults(self, answer: Any) -> list[dict[str, Any]]:
        """The same in an event loop."""
        calls = self._plan_calls(answer)
        replies = await self.current.aanswer(calls)
        return [_result(*pair) for pair in zip(calls, replies, strict=True)]

    def asked(self, answer: Any) -> str:
        """What to say to a final answer, if steps are open; else it is empty, and the run is over."""
        if answer is not None and answer.stop_reason == "end_turn":  # not cut off, not refused
            decision = self.current.at_end()
            if decision.kind == "continue":
                return decision.text
        self.begin()
        return ""

    async def aasked(self, answer: Any) -> str:
        """The same in an event loop."""
        return await self.current.aside(lambda: self.asked(answer))

    def run(
        self, client: Any, *, messages: Sequence[Any], tools: Sequence[Any] = (), **options: Any
    ) -> Iterator[Any]:
        """What the SDK's tool runner yields, and on while steps are open. It takes what `tool_runner` takes."""
        if hasattr(client, "__aenter__"):
            raise TypeError("use plan.arun with an async client")
        self._check_tools(tools)
        told, ours = self.client(client), self.runner_tools
        self.begin()
        text = " "
        while text:
            runner = self.runner = told.beta.messages.tool_runner(
                messages=messages, tools=[*tools, *ours], **{**options, "thread": False}
            )
            last = None
            for item in runner:
                yield item
                said = item.get_final_message() if hasattr(item, "get_final_message") else item
                last = last if said.stop_reason == "compaction" else said
                self._calls = self._plan_calls(said)
            self.history = _history(runner)
            if text := self.asked(last):
                messages = [*self.history, {"role": "user", "content": text}]

    async def arun(
        self, client: Any, *, messages: Sequence[Any], tools: Sequence[Any] = (), **options: Any
    ) -> AsyncIterator[Any]:
        """The same with an async client."""
        if hasattr(client, "__enter__"):
            raise TypeError("use plan.run with a client that is not async")
        self._check_tools(tools)
        told, ours = self.client(client), [AsyncPlanTool(self, each) for each in self.definitions]
        self.begin()
        text = " "
        while text:
            runner = self.runner = told.beta.messages.tool_runner(
                messages=messages, tools=[*tools, *ours], **{**options, "thread": False}
            )
            last = None
            async for item in runner:
                yield item
                is_stream = hasattr(item, "get_final_message")
                said = await item.get_final_message() if is_stream else item
                last = last if said.stop_reason == "compaction" else said
                self._calls = self._plan_calls(said)
            self.history = _history(runner)
            if text := await self.aasked(last):
                messages = [*self.history, {"role": "user", "content": text}]

    def handle(self, request: Any, call_next: Any) -> Any:
        """What the client does with each request."""
        return call_next(self._with_tail(request))

    async def handle_async(self, request: Any, call_next: Any) -> Any:
        """The same in an event loop."""
        return await call_next(await self.current.aside(lambda: self._with_tail(request)))

    def _with_tail(self, request: Any) -> Any:
        body = request.json
        offered = (body.get("tools") if isinstance(body, dict) else None) or ()
        if not self.names.intersection(each.get("name") for each in offered):
            return request  # an agent without the plan's tools has no plan
        if body.get("thread"):
            warnings.warn(_THREAD, MissingPart, stacklevel=2)
            return request
        body = self._told_to_plan(body)
        messages = body["messages"]
        at = _last(messages)
        # What is summarised stays, and so would the tail.
        if not (body.get("compaction") or _goes_on(messages[at])):
            called = _tool_uses(messages[at - 1]) if at else []
            if called:
                names = [call["name"] for call in called]
                self.current.after_turn(names, turn=called[0]["id"])
            if text := self.current.before_request():
                body = _tailed(body, text)
        told = copy(request)  # `request.copy` would copy all of the conversation
        told.options = request.options.model_copy(update={"json_data": body})
        return told

    def _told_to_plan(self, body: dict[str, Any]) -> dict[str, Any]:
        """The request with when to plan in its system prompt, the same in each."""
        said, prompt = body.get("system") or [], self.host.prompt
        blocks = [{"type": "text", "text": said}] if isinstance(said, str) else list(said)
        if not prompt or any(prompt in each.get("text", "") for each in blocks):
            return body
        return {**body, "system": [*blocks, {"type": "text", "text": prompt}]}

    def _check_tools(self, tools: Sequence[Any]) -> None:
        for tool in tools:
            if isfunction(tool):
                raise TypeError(f"{tool.__name__} is a plain function: decorate it with @beta_tool")
        check_names(self.names, tools)

    def _plan_calls(self, answer: Any) -> list[PlanCall]:
        calls = [block for block in answer.content if block.type == "tool_use"]
        return [(call.name, call.input, call.id) for call in calls if call.name in self.names]

    def call_now(self, name: str, given: object) -> PlanCall:
        """The call that a runner makes now, with its id: it makes them in their order."""
        found = next((call for call in self._calls if call[0] == name), (name, given, None))
        self._calls = [call for call in self._calls if call is not found]
        return name, given, found[2]


class PlanTool(BetaBuiltinFunctionTool):
    """A tool of the plan, for the SDK's tool runner."""

    def __init__(self, plan: AnthropicPlan, definition: dict[str, Any]) -> None:
        self._plan, self._definition = plan, definition

    def to_dict(self) -> Any:
        return self._definition

    def call(self, input: object) -> str:  # noqa: A002
        return _said(self._plan.current.call(*self._plan.call_now(self.name, input)))


class AsyncPlanTool(BetaAsyncBuiltinFunctionTool):
    """The same for an async client."""

    def __init__(self, plan: AnthropicPlan, definition: dict[str, Any]) -> None:
        self._plan, self._definition = plan, definition

    def to_dict(self) -> Any:
        return self._definition

    async def call(self, input: object) -> str:  # noqa: A002
        return _said(await self._plan.current.acall(*self._plan.call_now(self.name, input)))


def _said(reply: Reply) -> str:
    if reply.is_error:
        raise ToolError(reply.text)
    return reply.text


def _result(call: PlanCall, reply: Reply) -> dict[str, Any]:
    known = {"type": "tool_result", "tool_use_id": call[2], "content": reply.text}
    return {**known, "is_error": True} if reply.is_error else known


def _tool_uses(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if block.get("type") == "tool_use"]


def _history(runner: Any) -> list[Any]:
    """All messages of a runner, the last answer too, if it says anything."""
    kept: list[Any] = []

    def look(params: Any) -> Any:
        kept.extend(params["messages"])
        return params

    runner.set_messages_params(look)
    return [message for message in kept if message["content"]]


def _last(messages: list[dict[str, Any]]) -> int:
    """Where the last message stands that is no system message: one of those may be for the words before it only."""
    return next(at for at in range(len(messages) - 1, -1, -1) if messages[at]["role"] != "system")


def _goes_on(message: dict[str, Any]) -> bool:
    """Whether a request ends with an answer that the server is to go on with; a summary is none."""
    content = message["content"]
    block = content[-1] if isinstance(content, list) and content else {}
    return message["role"] == "assistant" and block.get("type") != "compaction"


def _tailed(body: dict[str, Any], text: str) -> dict[str, Any]:
    """The request with a text at its end. A breakpoint of the cache stays where the lasting part ends."""
    messages = body["messages"]
    at = _last(messages)
    last, content = messages[at], messages[at]["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    told = {**body}
    if mark := told.pop("cache_control", None):
        blocks[-1] = {"cache_control": mark, **blocks[-1]}
    tail = {"type": "text", "text": text}
    if last["role"] == "user":
        ends = [{**last, "content": [*blocks, tail]}]
    else:  # a summary is the model's
        ends = [{**last, "content": blocks}, {"role": "user", "content": [tail]}]
    return {**told, "messages": [*messages[:at], *ends, *messages[at + 1 :]]}
