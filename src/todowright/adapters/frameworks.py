"""What each framework allows, and which of its versions an adapter needs. Loads no framework."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from importlib import metadata
from inspect import signature
from typing import Any, Literal

from todowright.dialects.dialect import Dialect
from todowright.host import PlanHost
from todowright.host.plan_host import check_options

Part = Literal["tail", "guard", "durable", "subagents", "awaited", "streaming"]
PARTS: dict[Part, str] = {
    "tail": "the plan at the end of each request, never in the history",
    "guard": "a final answer with open steps is sent back",
    "durable": "the plan of a thread outlives the process",
    "subagents": "a sub-agent has a plan of its own",
    "awaited": "runs in an event loop",
    "streaming": "changes of the plan as events of the framework's own stream",
}
"""What an adapter brings beside the tools."""


class MissingPart(UserWarning):
    """A framework cannot do a part of what an adapter brings. Name the part in `without` if you know."""


class MissingPackage(ImportError):
    """A framework is not installed, or too old."""


@dataclass(frozen=True)
class Framework:
    """A framework that has an adapter. A part is `yes`, or `no: …` or `partly: …` with what is not possible."""

    name: str
    """Of the adapter's module, its example and its page."""
    title: str
    package: str
    extra: str
    least: str
    """The oldest version that the adapter was tried with."""
    tail: str = "yes"
    guard: str = "yes"
    durable: str = "yes"
    subagents: str = "yes"
    awaited: str = "yes"
    streaming: str = "yes"
    plain: str = "yes"
    """Whether it also runs without an event loop."""
    compaction: str = "yes"
    """Whether it makes its context smaller, and the plan is there behind that."""

    def allows(self, part: Part) -> bool:
        """Whether a part is possible, be it in some cases only."""
        return not str(getattr(self, part)).startswith("no")


FRAMEWORKS: tuple[Framework, ...] = (
    Framework("langchain", "LangChain, LangGraph, deepagents", "langchain", "langchain", "1.4"),
    Framework(
        "pydantic_ai",
        "Pydantic AI",
        "pydantic-ai-slim",
        "pydantic-ai",
        "2.62",
        guard="partly: `run_stream` ends with the first answer; `run`, `iter` and `run_stream_events` have it",
    ),
    Framework(
        "openai_agents",
        "OpenAI Agents SDK",
        "openai-agents",
        "openai-agents",
        "0.24",
        tail="partly: not where the server keeps the conversation, since there it would pile up",
        guard="partly: in `plan.run` and `plan.run_streamed`, which go round the SDK's `Runner`",
    ),
    Framework(
        "anthropic_sdk",
        "Anthropic SDK",
        "anthropic",
        "anthropic",
        "2.8",
        tail="partly: not where the server keeps the thread, since there it would pile up",
        guard="partly: in `plan.run`, which goes round the SDK's tool runner, and by `plan.asked` in your own loop",
        streaming="partly: by `plan.changes()` between two messages; the SDK's stream takes no events of others",
    ),
    Framework(
        "openai_sdk",
        "OpenAI SDK",
        "openai",
        "openai",
        "3.49",
        tail="partly: not where the server keeps the conversation, since there it would pile up",
        guard="partly: in `plan.run`, and by `plan.asked` in your own loop",
        streaming="partly: by `plan.changes()` between two answers; the SDK's stream takes no events of others",
        compaction="no: the SDK leaves your items as they are; the plan is in what `plan.told` makes of them",
    ),
    Framework(
        "claude_agent",
        "Claude Agent SDK",
        "claude-agent-sdk",
        "claude-agent",
        "0.2.182",
        tail="no: what a hook adds stays in the transcript; so the plan comes with each prompt, and reminders after tools",
        streaming="partly: by `plan.changes()` between two messages; the SDK's stream takes no events of others",
        plain="no: the SDK is async",
        compaction="partly: the plan comes once, behind the summary, since there is no tail",
    ),
    Framework(
        "google_adk",
        "Google ADK",
        "google-adk",
        "google-adk",
        "2.13",
        guard="partly: by a call of `plan` that the plugin puts behind the answer; it stands in the session as the model's",
        plain="no: ADK is async",
    ),
    Framework(
        "smolagents",
        "smolagents",
        "smolagents",
        "smolagents",
        "1.26",
        guard="partly: as a check of the final answer; each time costs one of `max_steps`",
        awaited="partly: by `asyncio.to_thread(agent.run, …)`, since smolagents has no event loop",
        streaming="partly: by `plan.changes()` between two steps; the stream takes no events of others",
        compaction="no: smolagents keeps all of its memory",
    ),
    Framework(
        "agent_framework",
        "Microsoft Agent Framework",
        "agent-framework-core",
        "agent-framework",
        "1.23",
        tail="partly: not where the server keeps the conversation, since there it would pile up",
        guard="partly: for runs with a session, by `middleware=[plan.loop()]`, whose base class is experimental",
        streaming="partly: by `plan.changes(session)` between two updates; the stream takes no events of others",
        plain="no: the framework is async",
    ),
    Framework(
        "llama_index",
        "LlamaIndex",
        "llama-index-core",
        "llama-index",
        "0.14.25",
        subagents="partly: by the session of its own memory; LlamaIndex does not say whose tool an agent is",
        plain="no: its agents are async",
        compaction="partly: its memory gets smaller between two runs, not inside one",
    ),
    Framework(
        "crewai",
        "CrewAI",
        "crewai",
        "crewai",
        "1.15.30",
        guard="partly: as the `guardrail` of a task, which then starts anew: the tail is all that the model still knows",
        streaming="partly: by `plan.changes()`; the stream takes no events of others",
    ),
)


def framework(name: str) -> Framework:
    """The row of an adapter."""
    return next(row for row in FRAMEWORKS if row.name == name)


def needed(name: str) -> Framework:
    """The row of an adapter, if its package is there and new enough; one line says what to do if not."""
    row = framework(name)
    install = f"pip install -U 'todowright[{row.extra}]'"
    try:
        found = metadata.version(row.package)
    except metadata.PackageNotFoundError:
        told = f"{row.package} is missing: todowright needs {row.least} or newer: {install}"
        raise MissingPackage(told) from None
    if _numbers(found) < _numbers(row.least):
        told = f"{row.package} {found} is too old: todowright needs {row.least} or newer: {install}"
        raise MissingPackage(told)
    return row


def say_what_is_missing(row: Framework, without: Collection[str] = ()) -> None:
    """Warn, where an adapter is made, of each part that its framework has no place for."""
    without = (without,) if isinstance(without, str) else without
    if unknown := [each for each in without if each not in PARTS]:
        raise ValueError(f"no part is called '{unknown[0]}': use {', '.join(PARTS)}")
    for part, what in PARTS.items():
        if not row.allows(part) and part not in without:
            why = getattr(row, part).partition(": ")[2]
            told = f"{row.title} has no place for {what}: {why}. If you know: without=['{part}']"
            warnings.warn(told, MissingPart, stacklevel=3)


def host_of(adapter: object, dialect: str | Dialect, **settings: Any) -> PlanHost:
    """The host of an adapter. A setting that there is not is told with those that this adapter has."""
    kinds = [each for each in type(adapter).__mro__ if each.__module__.startswith("todowright.")]
    makers = [vars(kind)["__init__"] for kind in kinds if "__init__" in vars(kind)]
    known = [each for make in makers for each in signature(make).parameters.values()]
    own = [each.name for each in known if each.kind is each.KEYWORD_ONLY or each.name == "session"]
    check_options(settings, own)
    return PlanHost(dialect, **settings)


def check_names(ours: Collection[str], theirs: Iterable[object]) -> None:
    """Refuse a tool of the program's own that has a name of the plan's: one of the two would not be called."""
    for tool in theirs:
        if (name := _name_of(tool)) in ours:
            raise ValueError(
                f"you have a tool '{name}', and the plan has one of that name: rename yours"
            )


def _name_of(tool: object) -> str:
    """What a tool is called, in the forms in which frameworks take one."""
    if isinstance(tool, dict):
        inner = tool.get("function")
        return str((inner if isinstance(inner, dict) else tool).get("name", ""))
    named = getattr(tool, "metadata", tool)
    for key in ("name", "__name__"):
        if isinstance(name := getattr(named, key, None), str):
            return name
    return ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])
