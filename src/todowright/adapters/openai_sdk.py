"""The OpenAI SDK: `ResponsesPlan` and `ChatPlan`, with a whole loop (`plan.run(client, …)`) or parts for your own."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar

from todowright.adapters.conversation import Conversation
from todowright.adapters.frameworks import MissingPart, check_names, needed
from todowright.host import PlanHost
from todowright.host.plan_run import PlanCall

needed("openai_sdk")

Item = dict[str, Any]
_STORED = (
    "the server keeps this conversation, and would keep each tail: the plan is told in replies only"
)


def no_tool(name: str, arguments: str) -> str:
    """The answer to a call of a tool that nobody runs."""
    return f"Error: no tool is called {name}"


async def no_async_tool(name: str, arguments: str) -> str:
    """The same in an event loop."""
    return no_tool(name, arguments)


class OpenAIPlan(Conversation):
    """The loop that both APIs share. What a call, a result and an answer look like is theirs."""

    framework_name = "openai_sdk"
    form: ClassVar[str]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.definitions = self.todo.definitions(self.form)
        """For `tools=`."""
        self.history: list[Any] = []
        """The items of the last `run`, without tails: the next one may begin with them."""

    def told(self, items: Sequence[Any]) -> list[Any]:
        """What to send: the conversation, and the tail behind it. Keep your list without the tail."""
        text = self.current.before_request()
        return [*items, {"role": "user", "content": text}] if text else list(items)

    def results(self, answer: Any) -> list[Item]:
        """The results of the plan calls of an answer that has calls, also if none is the plan's; yours stand beside them."""
        calls = self.calls(answer)
        ours = [call for call in calls if call[0] in self.names]
        replies = self.current.answer(ours)
        self.current.after_turn(call[0] for call in calls)
        return [self.result(call, reply.text) for call, reply in zip(ours, replies, strict=True)]

    async def aresults(self, answer: Any) -> list[Item]:
        """The same in an event loop."""
        calls = self.calls(answer)
        ours = [call for call in calls if call[0] in self.names]
        replies = await self.current.aanswer(ours)
        self.current.after_turn(call[0] for call in calls)
        return [self.result(call, reply.text) for call, reply in zip(ours, replies, strict=True)]

    def asked(self, answer: Any) -> str:
        """What to say to a final answer, if steps are open; else it is empty, and the run is over."""
        if self.is_whole(answer):  # not cut off, not filtered
            decision = self.current.at_end()
            if decision.kind == "continue":
                return decision.text
        self.begin()
        return ""

    def run(
        self,
        client: Any,
        *,
        tools: Sequence[Any] = (),
        call: Callable[[str, str], str] = no_tool,
        **options: Any,
    ) -> Iterator[Any]:
        """Each answer, until the run may end. It takes what `create` takes; `call(name, arguments)` runs your tools."""
        talk = self._talk(client, [*self.definitions, *tools], options)
        while True:
            answer = talk.create(**talk.request())
            yield answer
            talk.keep(answer)
            if not (calls := self.calls(answer)):
                if not (text := self.asked(answer)):
                    return
                talk.items.append({"role": "user", "content": text})
                continue
            talk.items += self.results(answer)
            others = [each for each in calls if each[0] not in self.names]
            talk.items += [self.result(each, call(each[0], str(each[1]))) for each in others]

    async def arun(
        self,
        client: Any,
        *,
        tools: Sequence[Any] = (),
        call: Callable[[str, str], Awaitable[str]] = no_async_tool,
        **options: Any,
    ) -> AsyncIterator[Any]:
        """The same with an async client."""
        talk = self._talk(client, [*self.definitions, *tools], options)
        while True:
            answer = await talk.create(**await self.current.aside(talk.request))
            yield answer
            talk.keep(answer)
            if not (calls := self.calls(answer)):
                if not (text := await self.current.aside(partial(self.asked, answer))):
                    return
                talk.items.append({"role": "user", "content": text})
                continue
            talk.items += await self.aresults(answer)
            others = [each for each in calls if each[0] not in self.names]
            talk.items += [self.result(each, await call(each[0], str(each[1]))) for each in others]

    def _talk(self, client: Any, tools: list[Any], options: dict[str, Any]) -> _Talk:
        self.begin()
        check_names(self.names, tools[len(self.definitions) :])
        return _Talk(self, client, {**options, "tools": tools})

    def calls(self, answer: Any) -> list[PlanCall]:
        """The calls of an answer, the plan's and others."""
        raise NotImplementedError

    def result(self, call: PlanCall, text: str) -> Item:
        """The item that answers a call."""
        raise NotImplementedError

    def is_whole(self, answer: Any) -> bool:
        """Whether an answer without calls is one, and was not cut off."""
        raise NotImplementedError


class ResponsesPlan(OpenAIPlan):
    """The plan of one conversation with Responses."""

    form = "responses"

    def calls(self, answer: Any) -> list[PlanCall]:
        made = [item for item in answer.output if item.type == "function_call"]
        return [(item.name, item.arguments, item.call_id) for item in made]

    def result(self, call: PlanCall, text: str) -> Item:
        return {"type": "function_call_output", "call_id": call[2], "output": text}

    def is_whole(self, answer: Any) -> bool:
        return bool(answer.status == "completed")


class ChatPlan(OpenAIPlan):
    """The plan of one conversation with Chat Completions, of OpenAI or any server that speaks it."""

    form = "openai"

    def calls(self, answer: Any) -> list[PlanCall]:
        made = answer.choices[0].message.tool_calls or ()
        functions = [call for call in made if call.type == "function"]
        return [(call.function.name, call.function.arguments, call.id) for call in functions]

    def result(self, call: PlanCall, text: str) -> Item:
        return {"role": "tool", "tool_call_id": call[2], "content": text}

    def is_whole(self, answer: Any) -> bool:
        return bool(answer.choices[0].finish_reason == "stop")


class _Talk:
    """The items of a conversation, and the requests that are made of them."""

    def __init__(self, plan: OpenAIPlan, client: Any, options: dict[str, Any]) -> None:
        self.plan, self.options = plan, options
        self.is_chat = isinstance(plan, ChatPlan)
        self.create = client.chat.completions.create if self.is_chat else client.responses.create
        given = options.pop("messages" if self.is_chat else "input")
        self.items = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
        plan.history = self.items
        self.stored = bool(options.get("previous_response_id") or options.get("conversation"))
        if self.stored:
            warnings.warn(_STORED, MissingPart, stacklevel=4)
        if not self.is_chat and (told := plan.host.with_prompt(options.get("instructions"))):
            options["instructions"] = told
        if not self.stored and not self.is_chat:  # then all of the conversation is here
            options.setdefault("store", False)
            options.setdefault("include", ["reasoning.encrypted_content"])

    def request(self) -> dict[str, Any]:
        """What `create` takes now."""
        items = list(self.items) if self.stored else self.plan.told(self.items)
        if self.is_chat:
            return {**self.options, "messages": _told_to_plan(items, self.plan.host)}
        return {**self.options, "input": items}

    def keep(self, answer: Any) -> None:
        """Add what was answered, where the server does not."""
        if self.stored:
            self.items.clear()
            if not self.options.get("conversation"):
                self.options["previous_response_id"] = answer.id
        else:
            said = [answer.choices[0].message] if self.is_chat else answer.output
            self.items += [item.model_dump(exclude_none=True) for item in said]


def _told_to_plan(messages: list[Any], host: PlanHost) -> list[Any]:
    """The messages with when to plan in their system message: many servers take one only."""
    first = messages[0] if messages and isinstance(messages[0], dict) else {}
    said = first.get("content")
    if first.get("role") in ("system", "developer") and isinstance(said, str):
        return [{**first, "content": host.with_prompt(said)}, *messages[1:]]
    return [{"role": "system", "content": host.prompt}, *messages] if host.prompt else messages
