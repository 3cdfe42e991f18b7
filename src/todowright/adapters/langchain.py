"""LangChain, LangGraph and deepagents: `create_agent(model, tools, middleware=[PlanMiddleware()])`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Annotated, Any, NotRequired
from uuid import uuid4

from todowright.adapters.frameworks import host_of, needed, say_what_is_missing
from todowright.host import PlanRun, plan_rows
from todowright.host.provider_usage import tell_usage
from todowright.tool.given import given_function

ROW = needed("langchain")
from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
from langchain.agents.middleware.types import OmitFromInput, PrivateStateAttr
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langgraph.channels.untracked_value import UntrackedValue
from langgraph.config import get_config

State = dict[str, Any]
Update = dict[str, Any]


class PlanState(AgentState):  # type: ignore[type-arg]
    """What the graph's state keeps of the plan."""

    todos: Annotated[NotRequired[list[dict[str, Any]]], OmitFromInput]  # type: ignore[valid-type]
    """As LangChain's own middleware has it: front ends show it, and deepagents keeps it out of sub-agents."""
    _plan: Annotated[NotRequired[dict[str, Any]], PrivateStateAttr]  # type: ignore[valid-type]
    """The whole plan, where it lives in the state."""
    _plan_run: Annotated[NotRequired[str], UntrackedValue, PrivateStateAttr]  # type: ignore[valid-type]
    """The session's name where there is no thread."""


class PlanMiddleware(AgentMiddleware[PlanState]):  # type: ignore[type-var]
    """The plan of each thread. `store="state"` keeps it in the graph's checkpoints and nowhere else.

    A sub-agent with this middleware has a plan of its own, by its place in the graph. Give a node of a
    larger graph a name with `agent`: then its plan goes on from run to run.
    """

    state_schema = PlanState

    def __init__(
        self,
        dialect: Any = "lean",
        *,
        store: Any = "memory:",
        agent: str = "",
        session: Callable[[dict[str, Any]], str | None] = lambda config: config.get("thread_id"),
        system_prompt: str | None = None,
        without: Collection[str] = (),
        **options: Any,
    ) -> None:
        super().__init__()
        say_what_is_missing(ROW, without)
        self.in_state = store == "state"
        self.host = host_of(self, dialect, store="memory:" if self.in_state else store, **options)
        self.agent = agent
        self.session = given_function("session", session, "lambda config: config['user']")
        self.system_prompt = self.host.prompt if system_prompt is None else system_prompt
        self.tools = [
            StructuredTool(
                name=tool.name,
                description=tool.description,
                args_schema=tool.input_schema,
                func=_answered_before,
            )
            for tool in self.host.tools
        ]

    def before_agent(self, state: State, runtime: Any) -> Update:
        state = {**state, "_plan_run": uuid4().hex}
        self.host.begin(*self._place(state))
        return {"_plan_run": state["_plan_run"]}

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(self._with_plan(request, self._run(request.state).before_request()))

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        run = self._run(request.state)
        return await handler(self._with_plan(request, await run.aside(run.before_request)))

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: State, runtime: Any) -> Update | None:
        run = self._run(state)
        return self._answered(run, state, runtime, run.answer(self._given(state)))

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: State, runtime: Any) -> Update | None:
        run = self._run(state)
        replies = await run.aanswer(self._given(state))
        return await run.aside(lambda: self._answered(run, state, runtime, replies))

    def after_agent(self, state: State, runtime: Any) -> None:
        session, agent = self._place(state)
        self.host.end(session, agent)
        if self.in_state:
            self.host.store.forget(session, agent)

    def _place(self, state: State) -> tuple[str, str]:
        """The session and the agent: the thread, and the graphs around this one."""
        config = get_config()["configurable"]
        around = config.get("checkpoint_ns", "").split("|")[:-1]
        if (
            self.agent
        ):  # an agent with a name is the same in every graph, but not who is called as a tool
            around = [part for part in around if part.startswith("tools:")]
        agent = "/".join([self.agent or "main", *(part.replace("/", "-") for part in around)])
        return str(self.session(config) or state.get("_plan_run") or uuid4()), agent

    def _run(self, state: State) -> PlanRun:
        run = self.host.run(*self._place(state))
        if self.in_state:
            self.host.restore(run, state.get("_plan"))
        return run

    def _with_plan(self, request: Any, text: str) -> Any:
        """The request with the prompt in the system message, and the text behind all messages."""
        if self.system_prompt:
            given = request.system_message.content_blocks if request.system_message else []
            words = f"\n\n{self.system_prompt}" if given else self.system_prompt
            system = SystemMessage(content=[*given, {"type": "text", "text": words}])
            request = request.override(system_message=system)
        if not text:
            return request
        kept = _marked(list(request.messages), request.model_settings.get("cache_control"))
        return request.override(messages=[*kept, HumanMessage(text)])

    def _calls(self, state: State) -> list[Any]:
        """The plan calls of the last answer."""
        return [call for call in _answer_of(state).tool_calls if call["name"] in self.host.names]

    def _given(self, state: State) -> list[tuple[str, object, str | None]]:
        return [(each["name"], each["args"], each["id"]) for each in self._calls(state)]

    def _answered(self, run: PlanRun, state: State, runtime: Any, replies: Any) -> Update | None:
        """What the graph gets: answers to the plan calls, or the way back where it may not end yet.

        A call that is answered here is not sent to the tools, which LangGraph runs all at once.
        """
        answer, calls = _answer_of(state), self._calls(state)
        if not self.in_state:
            _tell_usage(run, answer)
        for change in run.changes():
            runtime.stream_writer(self.host.event(change))
        update: Update = self._kept(run) if replies else {}
        told: list[Any] = [
            ToolMessage(
                reply.text or "(nothing)",
                tool_call_id=call["id"],
                name=call["name"],
                status="error" if reply.is_error else "success",
            )
            for call, reply in zip(calls, replies, strict=True)
        ]
        answered = {
            each.tool_call_id for each in state["messages"] if isinstance(each, ToolMessage)
        }
        open_calls = {call["id"] for call in answer.tool_calls if call not in calls}
        structured = state.get("structured_response") is not None
        if answer.tool_calls and (open_calls - answered or not structured):
            run.after_turn([call["name"] for call in answer.tool_calls], turn=answer.id)
        elif (decision := run.at_end()).kind == "continue":
            told.append(HumanMessage(decision.text))
            update |= {"jump_to": "model", "structured_response": None}
        return {**update, "messages": told} if told else None

    def _kept(self, run: PlanRun) -> Update:
        plan = run.todo.plan
        rows: Update = {"todos": plan_rows(plan.todos)}
        return {**rows, "_plan": plan.to_dict()} if self.in_state else rows


def _answer_of(state: State) -> AIMessage:
    messages = reversed(state["messages"])
    return next((each for each in messages if isinstance(each, AIMessage)), AIMessage(""))


def _tell_usage(run: PlanRun, answer: AIMessage) -> None:
    told: Any = answer.usage_metadata or {}
    cached = (told.get("input_token_details") or {}).get("cache_read")
    read, written = told.get("input_tokens"), told.get("output_tokens")
    name = answer.response_metadata.get("model_name")
    tell_usage(run, name, read, written, cached, request_id=answer.id)


def _marked(messages: list[Any], mark: Any) -> list[Any]:
    """The messages with a cache breakpoint on the last that stays: else it would fall on the plan."""
    last = messages[-1] if messages else None
    if not mark or last is None or not last.content:
        return messages
    text = [{"type": "text", "text": last.content}]
    blocks = text if isinstance(last.content, str) else list(last.content)
    if not isinstance(blocks[-1], dict):
        return messages
    content = [*blocks[:-1], {**blocks[-1], "cache_control": mark}]
    return [*messages[:-1], last.model_copy(update={"content": content})]


def _answered_before(**_: Any) -> str:
    raise RuntimeError("PlanMiddleware answers plan calls before the tools run")
