"""LlamaIndex: `PlanAgent(plan=plan, tools=…, llm=…)` in place of `FunctionAgent(…)`, with `plan = LlamaPlan(store=…)`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from todowright.adapters.frameworks import check_names, host_of, needed, say_what_is_missing
from todowright.dialects import load_dialect
from todowright.dialects.call import Reply
from todowright.dialects.dialect import Dialect, Tool
from todowright.errors import UnknownName
from todowright.host import PlanRun
from todowright.host.plan_host import SETTINGS
from todowright.host.plan_run import PlanCall
from todowright.text import a_kind

needed("llama_index")
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool, ToolMetadata, ToolOutput
from llama_index.core.workflow import Event
from pydantic import PrivateAttr

RUN, SESSION, MOST_RUNS = "todowright_run", "todowright_session", 1_000


class PlanChanged(Event):
    """In the stream of a run: a change of the plan, as `plan_event` has it, or as `event` says."""

    plan: dict[str, Any]


@dataclass
class _Turns:
    """One run of an agent, and its last turn."""

    run: PlanRun
    called: list[Any] = field(default_factory=list)
    replies: list[tuple[PlanCall, Reply]] = field(default_factory=list)


class LlamaPlan:
    """One for a program. A plan belongs to the `session_id` of the run's `Memory`."""

    def __init__(
        self, dialect: str | Dialect = "lean", *, without: Collection[str] = (), **settings: Any
    ) -> None:
        say_what_is_missing(needed("llama_index"), without)
        try:
            found = load_dialect(dialect)
        except UnknownName as error:
            raise UnknownName(
                f"{error}. For a thread: Memory.from_defaults(session_id=…)"
            ) from None
        self.host = host_of(self, found, **settings)
        self.tools = [PlanTool(self, each) for each in self.host.tools]
        self._runs: OrderedDict[str, _Turns] = OrderedDict()

    async def turns_of(self, ctx: Any, memory: Any = None, *, begins: bool = False) -> _Turns:
        """What belongs to the run of a context, which keeps the name of its session."""
        name = await ctx.store.get(RUN, default=None)
        if begins or name not in self._runs:
            kept = await ctx.store.get(SESSION, default=None)
            session = kept or getattr(memory, "session_id", None) or f"run-{uuid4()}"
            name = str(uuid4())
            await ctx.store.set(SESSION, session)
            await ctx.store.set(RUN, name)
            self._runs[name] = _Turns(self.host.begin(session))
            while len(self._runs) > MOST_RUNS:
                self._runs.popitem(last=False)
        return self._runs[name]

    async def forget(self, ctx: Any) -> None:
        """The run of a context is over; its plan stays."""
        turns = self._runs.pop(await ctx.store.get(RUN, default=""), None)
        if turns is not None:
            self.host.end(turns.run.todo.session)


class PlanAgent(FunctionAgent):
    """A `FunctionAgent` with a plan."""

    _plan: LlamaPlan = PrivateAttr()

    def __init__(
        self, *, plan: LlamaPlan, tools: Sequence[Any] | None = None, **options: Any
    ) -> None:
        if not isinstance(plan, LlamaPlan):
            raise TypeError(f"plan must be a LlamaPlan, not {a_kind(plan)}: use LlamaPlan()")
        if wrong := [name for name in SETTINGS if name in options]:
            raise TypeError(f"{wrong[0]} is a setting of the plan: use LlamaPlan({wrong[0]}=…)")
        check_names(plan.host.names, tools or ())
        prompt = plan.host.with_prompt(options.pop("system_prompt", None)) or None
        super().__init__(tools=[*(tools or ()), *plan.tools], system_prompt=prompt, **options)
        self._plan = plan

    async def take_step(self, ctx: Any, llm_input: Any, tools: Any, memory: Any) -> Any:
        """One step: with the tail, and again if steps are open."""
        begins = not await ctx.store.get(self.scratchpad_key, default=[])
        turns = await self._plan.turns_of(ctx, memory, begins=begins)
        run = turns.run
        if turns.called:
            called, turns.called = [call.tool_name for call in turns.called], []
            run.after_turn(called)
        while True:
            output = await self._step_with_tail(run, ctx, llm_input, tools, memory)
            turns.called = list(output.tool_calls)
            if turns.called:
                await self._answer(turns, ctx)
                return output
            decision = await run.aside(run.at_end)
            if decision.kind != "continue":
                return output
            pad = await ctx.store.get(self.scratchpad_key, default=[])
            asked = ChatMessage(role="user", content=decision.text)
            await ctx.store.set(self.scratchpad_key, [*pad, asked])

    async def _step_with_tail(self, run: PlanRun, ctx: Any, *given: Any) -> Any:
        """The tail stands at the end of the scratchpad for one request, and is taken out of it again."""
        pad = list(await ctx.store.get(self.scratchpad_key, default=[]))
        text = await run.aside(run.before_request)
        if not text:
            return await super().take_step(ctx, *given)
        tail = ChatMessage(role="user", content=text)
        await ctx.store.set(self.scratchpad_key, [*pad, tail])
        try:
            return await super().take_step(ctx, *given)
        finally:
            after = list(await ctx.store.get(self.scratchpad_key, default=[]))
            del after[len(pad)]
            await ctx.store.set(self.scratchpad_key, after)

    async def _answer(self, turns: _Turns, ctx: Any) -> None:
        """Answer the plan calls of a turn in their order: LlamaIndex runs its calls at once."""
        made = [(each.tool_name, each.tool_kwargs, each.tool_id) for each in turns.called]
        calls = [call for call in made if call[0] in self._plan.host.names]
        turns.replies = list(zip(calls, await turns.run.aanswer(calls), strict=True))
        for change in turns.run.changes():
            ctx.write_event_to_stream(PlanChanged(plan=self._plan.host.event(change)))

    async def finalize(self, ctx: Any, output: Any, memory: Any) -> Any:
        """The run is over."""
        await self._plan.forget(ctx)
        return await super().finalize(ctx, output, memory)

    async def handle_tool_call_results(self, ctx: Any, results: Any, memory: Any) -> None:
        """Put the results in the order of the calls: they come as they finish."""
        turns = await self._plan.turns_of(ctx, memory)
        order = {call.tool_id: at for at, call in enumerate(turns.called)}
        results = sorted(results, key=lambda result: order.get(result.tool_id, len(order)))
        await super().handle_tool_call_results(ctx, results, memory)


class PlanTool(FunctionTool):
    """A tool of the plan. `PlanAgent` has its reply ready."""

    def __init__(self, plan: LlamaPlan, tool: Tool) -> None:
        described = _RawMetadata(tool.description, tool.name, schema=tool.input_schema)
        super().__init__(fn=lambda **_: _ALONE, metadata=described)
        self.requires_context, self.ctx_param_name = True, "ctx"
        self._plan = plan

    async def acall(self, *args: Any, **given: Any) -> ToolOutput:
        ctx, name = given.pop("ctx", None), self.metadata.get_name()
        turns = await self._plan.turns_of(ctx) if ctx is not None else None
        ready = [pair for pair in (turns.replies if turns else ()) if pair[0][:2] == (name, given)]
        text, failed = (ready[0][1].text, ready[0][1].is_error) if ready else (_ALONE, True)
        if turns and ready:
            turns.replies.remove(ready[0])
        return ToolOutput(
            content=text, tool_name=name, raw_input=given, raw_output=text, is_error=failed
        )


_ALONE = "Error: this tool works inside a PlanAgent only"


@dataclass
class _RawMetadata(ToolMetadata):
    """A tool's description with its schema as it is."""

    schema: dict[str, Any] = field(default_factory=dict)

    def get_parameters_dict(self) -> dict[str, Any]:
        return dict(self.schema)
