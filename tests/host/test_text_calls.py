"""Calls that a model wrote as text: read where an answer is nothing else, and never out of prose."""

from __future__ import annotations

import json
from collections.abc import Callable
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from todowright import TextCall, calls_in_text
from todowright.host.text_calls import MOST

NAMES = ("plan", "done", "bash")
MEGABYTE, SECONDS = 1_000_000, 2.0
PLAN = '{"name": "plan", "arguments": {"steps": ["Read", "Fix"]}}'
READ = TextCall("plan", {"steps": ["Read", "Fix"]})
leaves = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
values = st.recursive(
    leaves | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
calls = st.builds(
    TextCall,
    st.sampled_from(NAMES),
    st.dictionaries(words, values, max_size=4).filter(lambda given: "properties" not in given),
)
KEYS = ("arguments", "parameters", "input")
WRAPPERS: tuple[Callable[[str], str], ...] = (
    lambda text: text,
    lambda text: f"```json\n{text}\n```",
    lambda text: f"```\n{text}\n```",
    lambda text: f"```json {text} ```",
    lambda text: f"````JSON\n{text}\n````",
    lambda text: f"```tool_call\n{text}\n```",
    lambda text: f"<tool_call>\n{text}\n</tool_call>",
    lambda text: f"<tool_call>{text}</tool_call>",
    lambda text: f"<tools>\n{text}\n</tools>",
    lambda text: f"\n  {text}\n\n",
)


def doubled(text: str) -> str:
    """An object in two pairs of braces."""
    return f"{{{text}}}"


@st.composite
def spelled(draw: st.DrawFn, call: TextCall) -> dict[str, Any]:
    """A call in one of the forms in which models write it."""
    given = json.dumps(call.arguments) if draw(st.booleans()) else call.arguments
    written = {"name": call.name, draw(st.sampled_from(KEYS)): given}
    form = draw(st.sampled_from(["bare", "typed", "nested"]))
    if form == "bare":
        return written
    if form == "typed":
        return {"type": "function", "id": "call_1", **written}
    return {"type": "function", "function": written}


@st.composite
def answers(draw: st.DrawFn) -> tuple[str, tuple[TextCall, ...]]:
    """An answer of nothing but calls, and the calls."""
    parts, meant = [], []
    for group in draw(st.lists(st.lists(calls, min_size=1, max_size=3), min_size=1, max_size=3)):
        objects = [draw(spelled(call)) for call in group]
        indent, ascii_only = draw(st.sampled_from([None, 2])), draw(st.booleans())
        written: list[Any] = [objects] if draw(st.booleans()) else objects
        dumped = [json.dumps(each, indent=indent, ensure_ascii=ascii_only) for each in written]
        if written is objects and draw(st.booleans()):
            dumped = [doubled(each) for each in dumped]
        text = "\n".join(dumped)
        parts.append(draw(st.sampled_from(WRAPPERS))(text))
        meant += group
    return draw(st.sampled_from(["", "\n", "\n\n"])).join(parts), tuple(meant)


@given(answers())
def test_any_call_in_any_of_the_forms_is_read_back(
    answer: tuple[str, tuple[TextCall, ...]],
) -> None:
    text, meant = answer
    assert calls_in_text(text, NAMES) == meant


@given(answers(), words.filter(str.strip), st.sampled_from(["before", "after", "between"]))
def test_a_call_with_words_around_it_is_prose(
    answer: tuple[str, tuple[TextCall, ...]], said: str, place: str
) -> None:
    text, _ = answer
    said = f"I say {said}"
    around = {"before": f"{said}\n{text}", "after": f"{text}\n{said}"}
    assert calls_in_text(around.get(place, f"{text}\n{said}\n{text}"), NAMES) == ()


@given(answers())
def test_a_call_of_a_tool_that_is_not_offered_is_prose_and_so_is_all_beside_it(
    answer: tuple[str, tuple[TextCall, ...]],
) -> None:
    text, meant = answer
    assert calls_in_text(text, {*NAMES} - {meant[-1].name}) == ()
    assert calls_in_text(text, ()) == ()


@given(answers())
def test_a_call_that_the_model_was_shown_is_quoted_and_not_made(
    answer: tuple[str, tuple[TextCall, ...]],
) -> None:
    text, meant = answer
    assert calls_in_text(text, NAMES, seen=["Nothing.", f"The file:\n{text}\nIts end."]) == ()
    assert calls_in_text(text, NAMES, seen=["Nothing."]) == meant


@given(st.text() | values.map(json.dumps) | st.text('`{}[]<>/:,"nametool_call \n', max_size=60))
def test_whatever_a_model_writes_nothing_is_raised(text: str) -> None:
    assert isinstance(calls_in_text(text, NAMES), tuple)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "``` ```",
        "plan",
        '"plan"',
        '{"name": "plan"}',
        '{"name": "plan", "arguments": null}',
        '{"name": "plan", "arguments": ["Read"]}',
        '{"name": "plan", "arguments": "Read"}',
        '{"name": "plan", "arguments": {}, "input": {}}',
        '{"name": "plan", "arguments": {}, "version": "1.0"}',
        '{"name": ["plan"], "arguments": {}}',
        '{"name": "plan", "description": "Writes.", "parameters": {"type": "object", "properties": {}}}',
        '{"name": "plan", "parameters": {"type": "object", "properties": {"steps": {}}}}',
        '{"function": "plan"}',
        '{"name": "bash", "arguments": {"command": NaN}}',
        '{"name": "bash", "arguments": {"command": 1e999}}',
        '{"name": "bash", "arguments": {"command": "\\ud800"}}',
        f"[[{PLAN}]]",
        f"[{PLAN}, 5]",
        f"> {PLAN}",
        f"`{PLAN}`",
        f"1. {PLAN}",
        f"```python\n{PLAN}\n```",
        f"```jsonc\n{PLAN}\n```",
        f"```json\nYou would call:\n{PLAN}\n```",
        f"```json\n{PLAN}\n````",
        f"<tool_call>{PLAN}</tool_call>.",
        f"<example>{PLAN}</example>",
        f"```\n<tool_call>{PLAN}</tool_call>\n```\nThat is how.",
        f"{PLAN[:-2]}",
        f"{{{PLAN}",
        f"{{{PLAN} and so on}}",
        f"{{{{{PLAN}}}}}",
        f"{{[{PLAN}]}}",
        f"```json\n{PLAN}\n```\n```json\n{{}}\n```",
    ],
)
def test_what_is_no_call_or_not_only_calls_is_prose(text: str) -> None:
    assert calls_in_text(text, NAMES) == ()


SCHEMAS: dict[str, dict[str, Any]] = {
    "plan": {"properties": {"steps": {"type": "array"}, "now": {"type": "string"}}},
    "write": {"properties": {"path": {"type": "string"}, "content": {"type": "string"}}},
    "read": {"properties": {"path": {"type": ["string", "null"]}, "line": {"type": "integer"}}},
}


def tagged(form: str, call: TextCall) -> str:
    """A call in tags, as local models write it: a text as it is, all else as JSON."""
    tool, keys, end = {
        "function=": ("<function={}>", "<parameter={}>", "</function>"),
        "function name": ('<function name="{}">', '<parameter name="{}">', "</function>"),
        "invoke": ('<invoke name="{}">', '<parameter name="{}">', "</invoke>"),
        "its own": ("<{}>", "<{}>", f"</{call.name}>"),
    }[form]
    parts = [tool.format(call.name)]
    for key, value in call.arguments.items():
        text = value if isinstance(value, str) else json.dumps(value)
        close = f"</{key}>" if form == "its own" else "</parameter>"
        parts += [keys.format(key), text, close]
    return "\n".join([*parts, end])


FORMS = st.sampled_from(["function=", "function name", "invoke", "its own"])
said = st.text('ab1{["<>& \n', max_size=12)
tag_calls = st.one_of(
    st.builds(lambda steps: TextCall("plan", {"steps": steps}), st.lists(words)),
    st.builds(lambda path, text: TextCall("write", {"path": path, "content": text}), said, said),
    st.builds(lambda path, line: TextCall("read", {"path": path, "line": line}), said, st.integers()),
)  # fmt: skip


@given(st.lists(st.tuples(FORMS, tag_calls), min_size=1, max_size=3), st.sampled_from(WRAPPERS))
def test_calls_in_tags_are_read_back(
    made: list[tuple[str, TextCall]], wrapped: Callable[[str], str]
) -> None:
    meant = tuple(call for _, call in made)
    text = wrapped("\n".join(tagged(form, call) for form, call in made))
    assert calls_in_text(text, SCHEMAS) == meant
    assert calls_in_text(f"{text}\nThat is all.", SCHEMAS) == ()
    assert calls_in_text(text, SCHEMAS, seen=[f"The page:\n{text}"]) == ()
    assert calls_in_text(text, {**SCHEMAS, meant[-1].name: {"properties": {}}}) == ()


@pytest.mark.parametrize(
    "text",
    [
        '<plan>{"steps": ["Read", "Fix"]}</plan>',
        '<function=plan>{"steps": ["Read", "Fix"]}</function>',
        "<plan>\n<steps>\n<step>Read</step>\n<step> Fix </step>\n</steps>\n</plan>",
        '```xml\n<tool_call>\n<plan><steps>["Read", "Fix"]</steps></plan>\n</tool_call>\n```',
        '<function_calls><invoke name="plan"><parameter name="steps">["Read", "Fix"]</parameter></invoke>',
    ],
)
def test_arguments_in_tags_may_be_an_object_or_a_list_of_tags(text: str) -> None:
    assert calls_in_text(text, SCHEMAS) == (READ,)
    assert calls_in_text(text, list(SCHEMAS)) == (READ,)  # without their schemas


@pytest.mark.parametrize(
    "text",
    [
        "<plan></plan>",
        "<plan/>",
        "<plan>1. Read - NOW\n2. Fix</plan>",
        "<plan><steps>Read, Fix</steps></plan>",
        "<plan><steps><step>Read</step><item>Fix</item></steps></plan>",
        "<plan><steps><step>Read</step> and Fix</steps></plan>",
        '<plan><todos>["Read"]</todos></plan>',
        '<plan><steps>["Read"]</steps><steps>["Fix"]</steps></plan>',
        '<plan><steps>["Read"]</steps> I am on it.</plan>',
        '<plan><steps>["Read"]</steps></plan>.',
        '<plan><steps>["Read"]</steps>',
        '<plan><steps>["Read"]</plan>',
        '<plan>{"steps": ["Read"]}{"now": "Read"}</plan>',
        '<plan>{"steps": ["Read"]}',
        '<plan>["Read", "Fix"]</plan>',
        '<PLAN>{"steps": ["Read"]}</PLAN>',
        '<function=run>{"command": "ls"}</function>',
        '<function=plan>{"steps": ["Read"]}</plan>',
        '<example><plan>{"steps": ["Read"]}</plan></example>',
        "<read><line>the first</line></read>",
        "<write><path>a</path><content></content></content></write>",
        '<plan>{"type": "object", "properties": {"steps": {"type": "array"}}}</plan>',
    ],
)
def test_tags_that_are_no_call_or_hold_more_are_prose(text: str) -> None:
    assert calls_in_text(text, SCHEMAS) == ()


def test_a_fence_or_a_tag_may_be_open_at_the_very_end() -> None:
    for text in (f"<tool_call>\n{PLAN}\n", f"```json\n{PLAN}"):
        assert calls_in_text(text, NAMES) == (READ,)


def test_line_breaks_inside_a_text_are_taken_as_they_are() -> None:
    text = '{"name": "bash", "arguments": {"command": "echo a\necho b"}}'
    assert calls_in_text(text, NAMES) == (TextCall("bash", {"command": "echo a\necho b"}),)


def test_a_quote_in_another_layout_or_out_of_a_list_is_a_quote_still() -> None:
    pretty = json.dumps(json.loads(PLAN), indent=4)
    for text in (PLAN, pretty, f"```json\n{pretty}\n```", f"[{PLAN}]"):
        for seen in (PLAN, pretty, f"[{pretty}]"):
            assert calls_in_text(text, NAMES, seen=[seen]) == ()


def test_a_model_that_repeats_itself_without_end_makes_no_calls() -> None:
    assert len(calls_in_text(PLAN * MOST, NAMES)) == MOST
    assert calls_in_text(PLAN * (MOST + 1), NAMES) == ()


@pytest.mark.parametrize(
    "text",
    [
        "x" * MEGABYTE,
        " " * MEGABYTE,
        "`" * MEGABYTE,
        "```json\n" * (MEGABYTE // 8),
        "```\n```\n" * (MEGABYTE // 8),
        "<tool_call>" * (MEGABYTE // 11),
        "<tools></tools>" * (MEGABYTE // 15),
        "[" * MEGABYTE,
        '{"name":' * (MEGABYTE // 8),
        "{" * MEGABYTE,
        f"{{{PLAN}}}" * (MEGABYTE // 60),
        PLAN[:-2] + "[" * MEGABYTE,
        '{"name": "plan", "arguments": "' + "[" * MEGABYTE + '"}',
        "{}" * (MEGABYTE // 2),
        PLAN * (MEGABYTE // len(PLAN)),
        f"[{', '.join([PLAN] * (MEGABYTE // 60))}]",
        PLAN + " " * MEGABYTE + "x",
        '{"name": "bash", "arguments": {"command": "' + '\\"' * (MEGABYTE // 2),
        '{"name": "bash", "arguments": {"a": ' + "9" * MEGABYTE + "}}",
        "<bash>" * (MEGABYTE // 6),
        "<bash><a>" + "</b>" * (MEGABYTE // 4),
        "<bash>" + "<a></a>" * (MEGABYTE // 7),
        "<bash><a>" + "<b></b>" * (MEGABYTE // 7) + "<c></a>",
        "<bash><a>" + "\n" * MEGABYTE,
        "<bash><a>" + " \n" * (MEGABYTE // 2) + "x</a>",
    ],
    ids=lambda text: text[:12],
)
def test_a_megabyte_of_anything_is_read_once_and_is_prose(text: str) -> None:
    """The limit is generous, and of processor time: what is quadratic takes minutes."""
    before = process_time()
    assert calls_in_text(text, NAMES, seen=["y" * MEGABYTE]) == ()
    assert process_time() - before < SECONDS


def test_a_long_call_is_taken() -> None:
    command = "echo a\n" * (MEGABYTE // 7)
    text = f"```json\n{json.dumps({'name': 'bash', 'arguments': {'command': command}})}\n```"
    assert calls_in_text(text, NAMES, seen=[command]) == (TextCall("bash", {"command": command}),)
