"""Reading a plan of any agent: the calls in what is given, and the format of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from todowright.errors import Unreadable
from todowright.formats.catalogue import by_tool, format_named, formats, formats_in
from todowright.formats.envelopes import as_value, calls_in, tool_name
from todowright.formats.format import Format
from todowright.formats.ops import refused
from todowright.formats.reading import NOTHING, Reading, ToolCall, together
from todowright.text import kind, shown


def read_plan(
    given: object,
    *,
    tool: str | None = None,
    result: object = None,
    format: str | Format | None = None,  # noqa: A002  its name in every sentence about it
) -> Reading:
    """What a call, a message or a text of any agent says of its plan; the format is found by itself.

    It takes a tool-use block, an OpenAI tool call, a list of calls, an ACP or AG-UI message, a Markdown text, or
    with `tool` the bare arguments of that tool. `result` is what the agent was answered, where that is known:
    some tell the id of a new item only there. Raises `Unreadable`, a `ValueError`, where there is no plan in it.
    """
    value = as_value(given)
    form = None if format is None else format_named(format)
    known = by_tool() if form is None else {**by_tool(), **dict.fromkeys(form.tools, (form,))}
    if tool is None:
        calls = list(calls_in(value, known))
        if calls:
            return _all_read(calls, result, form)
    call = ToolCall((tool_name(tool, known) or tool) if tool else "", value, result)
    return _read(call, form or _format_for(call))


def read_call(call: ToolCall, file: str) -> Reading:
    """What a call says, by the formats of one file in `agents/` alone: for a process that must start quickly."""
    best = max(
        (each for each in formats_in(file) if call.tool in each.tools),
        key=lambda each: each.likeness(call),
    )
    return _read(call, best)


def _all_read(calls: list[ToolCall], result: object, form: Format | None) -> Reading:
    """What all calls say, one after the other."""
    if result is not None and calls[-1].result is None:
        calls[-1] = replace(calls[-1], result=result)
    read = [_read(each, form or _format_for(each)) for each in calls]
    return read[0] if len(read) == 1 else together(read)


def _read(call: ToolCall, form: Format) -> Reading:
    try:
        reading = NOTHING if refused(call.result) else form.read(call)
        return replace(reading, format=form.name, call=call)
    except (RecursionError, MemoryError):
        raise Unreadable(f"{form.name}: it is nested too deep or too large to be read") from None


def _format_for(call: ToolCall) -> Format:
    """The format of a call: by the name of its tool, and by its keys where several have that tool."""
    if call.tool and call.tool not in by_tool():
        raise Unreadable(f"no agent's plan tool is called '{shown(call.tool)}'")
    candidates = by_tool()[call.tool] if call.tool else tuple(formats().values())
    if len(candidates) == 1:
        return candidates[0]
    if isinstance(call.arguments, str) and not call.tool:
        from todowright.formats.markdown import (
            looks_like_a_checklist,
        )  # not light, and rarely needed

        if looks_like_a_checklist(call.arguments):
            return format_named("markdown")
        raise Unreadable("the text holds no plan: neither JSON nor a checklist")
    best = max(candidates, key=lambda each: each.likeness(call))
    if not call.tool and best.likeness(call) <= 0:
        raise Unreadable(_nothing_in(call.arguments))
    return best


def _nothing_in(value: object) -> str:
    name = value.get("name", value.get("tool_name")) if isinstance(value, Mapping) else None
    if isinstance(name, str):
        return f"no agent's plan tool is called '{shown(name)}'"
    return f"no plan was found in this {kind(value)}: name its tool with tool="
