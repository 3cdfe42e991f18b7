"""What a coding agent's hooks are answered: one event of the host, and the plan that stands.

`read_event` reads what a host sends, `answer` says what it is answered, `respond` does both on a store.
Nothing here raises at what a host sends, and nothing third-party or slow is imported: a hook is a process
that somebody waits for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from todowright.names import MAIN
from todowright.text import clip, neutral

if TYPE_CHECKING:  # most events need neither
    from todowright.plan.model import Plan, Todo
    from todowright.stores.protocol import Store

Kind = Literal[
    "start", "prompt", "before_tool", "after_tool", "compact", "stop",
    "agent_start", "agent_stop", "end", "complete",
]  # fmt: skip
KINDS: dict[str, Kind] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "BeforeAgent": "prompt",
    "PreToolUse": "before_tool",
    "BeforeTool": "before_tool",
    "PostToolUse": "after_tool",
    "AfterTool": "after_tool",
    "PreCompact": "compact",
    "PreCompress": "compact",
    "Stop": "stop",
    "AfterAgent": "stop",
    "SubagentStart": "agent_start",
    "SubagentStop": "agent_stop",
    "SessionEnd": "end",
    "TaskCompleted": "complete",
}
"""The events that we answer, by the names that hosts give them."""
ASKED = "todowright/stop"
"""The receipt that tells up to which step an agent was asked why it stops."""

_OWN = re.compile(r"(?:mcp__(?:plugin_todowright_)?todowright__|mcp_todowright_|todowright_)(\w+)")
_OUR_SERVERS = ("todowright", "plugin:todowright:todowright")
_MOST_STEPS, _LONGEST, _MOST_DONE = 20, 120, 400


class HookEvent(NamedTuple):
    """One event of a host, in the same words for all hosts."""

    host: str
    kind: Kind
    name: str
    """What the host calls it: the answer repeats it."""
    session: str = ""
    """The host's own id of the conversation."""
    agent: str = ""
    """The host's own id of the sub-agent; empty for the main one."""
    agent_type: str = ""
    folder: str = ""
    source: str = ""
    """Why a session starts: startup, resume, compact, clear, fork."""
    tool: str = ""
    arguments: Mapping[str, Any] = {}
    result: object = None
    call: str = ""
    """The host's own id of the tool's call."""
    server: str = ""
    """The MCP server of the tool, where the host tells it."""
    again: bool = False
    """Whether the host goes on only since a stop was refused."""
    waits: bool = False
    """Whether something works in the background: then a stop is no end."""
    prompt: str = ""
    """What the user asked."""
    cwd: str = ""
    """Where the agent is now: in a worktree below the project's folder, say."""
    task: str = ""
    """The host's own id of a task that is to be completed."""


class Answer(NamedTuple):
    """What a hook prints, and up to which step it has asked about open ones."""

    text: str = ""
    asked: int = 0


def read_event(host: str, data: object) -> HookEvent | None:
    """The event that a host sent; None where it is none that we answer."""
    if not isinstance(data, Mapping):
        return None
    name = _text(data, "hook_event_name")
    kind = KINDS.get(name)
    if kind is None:
        return None
    given, server = data.get("tool_input"), data.get("mcp_server") or data.get("mcp_context")
    server = server if isinstance(server, Mapping) else {}
    return HookEvent(
        host=host,
        kind=kind,
        name=name,
        session=_text(data, "session_id"),
        agent=_text(data, "agent_id"),
        agent_type=_text(data, "agent_type"),
        folder=_text(data, "cwd"),
        source=_text(data, "source"),
        tool=_text(data, "tool_name"),
        arguments=given if isinstance(given, Mapping) else {},
        result=data.get("tool_response"),
        call=_text(data, "tool_call_id") or _text(data, "tool_use_id"),
        server=_text(server, "name") or _text(server, "server_name"),
        again=data.get("stop_hook_active") in (True, "true"),
        waits=data.get("background_tasks") not in (None, "", [], "[]"),
        prompt=_text(data, "prompt"),
        cwd=_text(data, "cwd"),
        task=_text(data, "task_id"),
    )


def own_tool(name: str) -> str:
    """The tool of ours that a host calls by this name; empty where it is another's."""
    found = _OWN.fullmatch(name)
    return found[1] if found else ""


def answer(
    event: HookEvent, plan: Plan | None, *, asked: int = 0, former: Plan | None = None
) -> Answer:
    """What the host is answered, where this plan stands; the empty text where nothing is to be said.

    `asked` is the number of the last step that the agent was asked about. `former` is an unfinished plan
    of the same folder, from before the conversation was cleared.
    """
    if event.kind == "before_tool":
        return Answer(_allowed(event))
    if plan is None or not plan.open:
        if event.kind == "start" and event.source == "clear" and former is not None and former.open:
            return Answer(_added(event, _offered(former)))
        return Answer()
    if event.kind == "start":
        return Answer(_added(event, standing(plan)))
    if event.kind == "compact" and event.host in ("claude", "opencode", "qwen"):
        return Answer(f"Keep in the summary where the plan stands, in its words.\n{standing(plan)}")
    ends = event.kind in ("stop", "agent_stop") and not event.again and not event.waits
    if ends and any(todo.number > asked for todo in plan.open):
        return Answer(_json({"decision": "block", "reason": _question(plan.open)}), plan.issued)
    return Answer()


def respond(
    event: HookEvent, store: Store, session: str, agent: str = MAIN, *, former: Plan | None = None
) -> str:
    """What the host is answered; that an agent was asked why it stops is kept in the store.

    The session is empty where the conversation has none yet.
    """
    if not session or event.kind not in ("start", "compact", "stop", "agent_stop"):
        return answer(event, None, former=former).text
    plan, asked = store.load(session, agent), 0
    if event.kind in ("stop", "agent_stop") and plan.open:
        kept = store.receipt(session, agent, ASKED)
        asked = int(kept.digest) if kept is not None and kept.digest.isdecimal() else 0
    given = answer(event, plan, asked=asked, former=former)
    if given.asked:
        from todowright.stores.receipt import Receipt

        store.keep(Receipt(session, agent, ASKED, str(given.asked), '"asked"'))
    return given.text


def standing(plan: Plan) -> str:
    """Where a plan stands, as work that was decided: what is done, what is on, what is open."""
    done, total = plan.progress
    lines = [f"Your plan, {done} of {total} done. It is decided: go on with it as it is."]
    if done:
        finished = "; ".join(_step(todo) for todo in plan.todos if todo.status == "completed")
        lines.append(f"Done, not to be done again: {clip(finished, _MOST_DONE)}")
    lines += [f"Now: {_step(todo)}" for todo in plan.open if todo.status == "in_progress"]
    waiting = [todo for todo in plan.open if todo.status == "pending"]
    lines += [f"Open: {_step(todo)}" for todo in waiting[:_MOST_STEPS]]
    if len(waiting) > _MOST_STEPS:
        lines.append(f"and {len(waiting) - _MOST_STEPS} more")
    return "\n".join(lines)


def refused(event: HookEvent, reason: str) -> str:
    """What keeps a step from being completed, as the host takes it."""
    if event.kind == "complete":
        return _json({"decision": "block", "reason": reason})
    if event.host == "gemini":
        return _json({"decision": "deny", "reason": reason})
    given = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    return _json({"hookSpecificOutput": {"hookEventName": event.name, **given}})


def told_user(text: str) -> str:
    """A line that the host shows to its user, and that changes nothing else."""
    return _json({"systemMessage": f"todowright: {text}"})


def _offered(plan: Plan) -> str:
    """A plan from before the conversation was cleared: told, and not continued without being asked."""
    done, total = plan.progress
    steps = "; ".join(_step(todo) for todo in plan.open[:_MOST_STEPS])
    return (
        f"Before this conversation was cleared, a plan was left at {done} of {total} done. Open: "
        f"{clip(steps, _MOST_DONE)}. It is no order: go on with it only if the user asks for it."
    )


def _question(left: tuple[Todo, ...]) -> str:
    names = "; ".join(f'"{_step(todo)}"' for todo in left[:_MOST_STEPS])
    more = f"; and {len(left) - _MOST_STEPS} more" if len(left) > _MOST_STEPS else ""
    return (
        f"Your plan has open steps: {names}{more}. Do them, report those that are done, or say in "
        "one sentence why they stay open. This is asked once."
    )


def _step(todo: Todo) -> str:
    return clip(neutral(todo.content), _LONGEST)


def _added(event: HookEvent, text: str) -> str:
    """A text for the model's context, as hosts take it."""
    return _json({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}})


def _allowed(event: HookEvent) -> str:
    """Leave for our own tools, of our own server alone; for all others, the host decides."""
    if event.host not in ("claude", "qwen") or not own_tool(event.tool):
        return ""
    if event.server and event.server not in _OUR_SERVERS:
        return ""
    told = "The plan tool changes nothing but the plan."
    given = {"permissionDecision": "allow", "permissionDecisionReason": told}
    return _json({"hookSpecificOutput": {"hookEventName": event.name, **given}})


def _json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)


def _text(data: Mapping[Any, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""
