"""The Claude Agent SDK: `ClaudePlan(store=…).options(…)` in place of `ClaudeAgentOptions(…)`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from dataclasses import replace
from importlib import metadata
from typing import Any
from uuid import uuid4

from todowright.adapters.frameworks import MissingPackage, host_of, needed, say_what_is_missing
from todowright.dialects.dialect import Dialect
from todowright.host import PlanHost, PlanRun
from todowright.plan.model import MAIN

needed("claude_agent")
if (_found := metadata.version("mcp")).startswith(("0.", "1.")):  # the SDK itself also takes 1.x
    raise MissingPackage(
        f"mcp {_found} is too old: todowright needs 2.3 or newer: pip install -U 'todowright[claude-agent]'"
    )
import mcp.types as types
from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, McpSdkServerConfig
from mcp.server import Server

SERVER, MOST_CALLERS = "plan", 1000
OTHERS = f"^(?!mcp__{SERVER}__)"
"""All tools but ours: the answer to a plan call says what there is to say, and a hook costs a message each way."""
OWN_TOOLS = ["TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"]
"""Claude's own plan tools, which are taken away: two plans would be one too many."""
ALONE = frozenset(
    ["Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "WebFetch", "WebSearch", "Write"]
)
"""Tools of Claude that begin no sub-agent."""


class ClaudePlan:
    """One for a program. `options` makes the options of one conversation."""

    def __init__(
        self,
        dialect: str | Dialect = "lean",
        *,
        without: Collection[str] = (),
        **settings: Any,
    ) -> None:
        say_what_is_missing(needed("claude_agent"), without)
        self.host = host_of(self, dialect, **{**settings, "tail": False})

    def options(self, session: str | None = None, **options: Any) -> ClaudeAgentOptions:
        """The options with the plan in them. It takes what `ClaudeAgentOptions` takes.

        The plan belongs to `session`, any text; without one, to Claude's own session, which `resume` goes on with.
        """
        return _Conversation(self.host, session).added_to(ClaudeAgentOptions(**options))

    def changes(self, session: str) -> list[Any]:
        """What became of a session's plan since this was last asked, as `plan_event` has it or as `event` says."""
        return [self.host.event(change) for change in self.host.run(session).changes()]


class _Conversation:
    """The hooks and the MCP server of one conversation."""

    def __init__(self, host: PlanHost, session: str | None) -> None:
        self._host, self._session = host, session
        self._callers: OrderedDict[str, PlanRun] = OrderedDict()
        """Who makes a call, by its id: the hooks know that, and the server does not."""
        self._names = sorted(f"mcp__{SERVER}__{name}" for name in host.names)

    def added_to(self, options: ClaudeAgentOptions) -> ClaudeAgentOptions:
        """The options with our tools and hooks beside what is there."""
        server: Any = Server(
            SERVER,
            instructions=self._host.prompt or None,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        mine = {
            "UserPromptSubmit": HookMatcher(hooks=[self._asked]),
            "PreToolUse": HookMatcher(f"mcp__{SERVER}__.*", hooks=[self._before]),
            "PostToolUse": HookMatcher(OTHERS, hooks=[self._after]),
            "PostToolUseFailure": HookMatcher(OTHERS, hooks=[self._after]),
            "Stop": HookMatcher(hooks=[self._stopping]),
            "SubagentStop": HookMatcher(hooks=[self._stopping]),
            "SessionStart": HookMatcher("compact", hooks=[self._compacted]),
        }
        if _is_alone(options):
            # Whose call it is need not be asked: that costs a message each time.
            mine.pop("PreToolUse")
        hooks: Any = {event: list(each) for event, each in (options.hooks or {}).items()}
        for event, matcher in mine.items():
            hooks.setdefault(event, []).append(matcher)
        if not isinstance(options.mcp_servers, dict):
            told = "mcp_servers must be a dict: the plan's server stands beside the others"
            raise TypeError(told)
        config = McpSdkServerConfig(type="sdk", name=SERVER, instance=server)
        return replace(
            options,
            tools=list(options.tools) if isinstance(options.tools, list) else options.tools,
            mcp_servers={**options.mcp_servers, SERVER: config},
            allowed_tools=[*options.allowed_tools, *self._names],
            disallowed_tools=[*options.disallowed_tools, *OWN_TOOLS],
            hooks=hooks,
        )

    def _who(self, data: Any) -> tuple[str, str]:
        self._session = self._session or data["session_id"]
        child = data.get("agent_id")
        return self._session, f"{MAIN}/{child}" if child else MAIN

    async def _asked(self, data: Any, tool_use_id: Any, context: Any) -> Any:
        """A prompt begins a run, and says where the plan stands."""
        run = self._host.begin(*self._who(data))
        told = await run.aside(lambda: (run.before_request(), run.todo.tail()))
        return _adding(data, "\n".join(text for text in told if text))

    async def _compacted(self, data: Any, tool_use_id: Any, context: Any) -> Any:
        """The context was made smaller, and the plan calls went with it."""
        run = self._host.run(*self._who(data))
        return _adding(data, await run.aside(run.todo.tail))

    async def _before(self, data: Any, tool_use_id: Any, context: Any) -> Any:
        self._callers[data["tool_use_id"]] = self._host.run(*self._who(data))
        while len(self._callers) > MOST_CALLERS:  # calls that somebody forbade
            self._callers.popitem(last=False)
        return {}

    async def _after(self, data: Any, tool_use_id: Any, context: Any) -> Any:
        """After a tool of others: a reminder that is due, and what others did."""
        run = self._host.run(*self._who(data))
        run.after_turn([data["tool_name"]])
        return _adding(data, await run.aside(run.before_request))

    async def _stopping(self, data: Any, tool_use_id: Any, context: Any) -> Any:
        who = self._who(data)
        run = self._host.run(*who)
        decision = await run.aside(run.at_end)
        if decision.kind == "continue":
            return _adding(data, decision.text)
        if who[1] != MAIN:
            self._host.end(*who)
        return {}

    async def _list(self, context: Any, params: Any) -> types.ListToolsResult:
        offered = [
            types.Tool(name=each.name, description=each.description, input_schema=each.input_schema)
            for each in self._host.tools
        ]
        return types.ListToolsResult(tools=offered)

    async def _call(self, context: Any, params: Any) -> types.CallToolResult:
        call_id = (params.meta or {}).get("claudecode/toolUseId")
        run = self._callers.pop(str(call_id), None) or self._host.run(self._session or str(uuid4()))
        reply = await run.acall(params.name, params.arguments or {}, call_id)
        run.after_turn([params.name])
        said = types.TextContent(type="text", text=reply.text)
        return types.CallToolResult(content=[said], is_error=reply.is_error)


def _is_alone(options: ClaudeAgentOptions) -> bool:
    """Whether there can be no sub-agents: no tool begins one, and no prompt is read as a command, which may."""
    if not (isinstance(options.tools, list) and ALONE.issuperset(options.tools)):
        return False
    more = options.agents or options.plugins or options.extra_args
    return options.verbatim_prompts and options.skills is None and not more


def _adding(data: Any, text: str) -> dict[str, Any]:
    if not text:
        return {}
    event = data["hook_event_name"]
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
