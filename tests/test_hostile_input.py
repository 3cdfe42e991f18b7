"""Whatever a model, or a host by mistake, hands over."""

from __future__ import annotations

import collections
import contextlib
import types
from pathlib import Path
from typing import Any

import pytest

from tests.bounds import bounded
from tests.requirements import requirement
from tests.support import FIVE, call
from todowright import Change, Reply, TodoWrite, load_dialect
from todowright.text import harmless, shown


class Unfriendly(dict[str, Any]):
    """A mapping that fails whoever looks into it."""

    def get(self, *_: Any) -> Any:
        raise RuntimeError("do not touch")

    def keys(self) -> Any:
        raise RuntimeError("do not touch")


class Speechless:
    """A value that can be neither shown nor compared."""

    def __str__(self) -> str:
        raise ValueError("no words")

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        raise ValueError("no equal")

    def __hash__(self) -> int:
        raise TypeError("no hash")


def nested(depth: int) -> Any:
    inner: Any = "deep"
    for level in range(depth):
        inner = [inner] if level % 2 else {"content": inner}
    return inner


VALUES: dict[str, Any] = {
    "null": None,
    "true": True,
    "number": 7,
    "huge number": 10**6000,
    "nan": float("nan"),
    "text": "pending",
    "lone surrogate": "\ud800",
    "NUL": "a\x00b",
    "escape": "\x1b[2J\x1b]0;owned\x07",
    "10 MB": "x" * 10_000_000,
    "bytes": b"todos",
    "nested list": nested(1_000),
    "nested far too deep": nested(100_000),
    "set": {1, 2},
    "class": dict,
    "generator": (n for n in range(3)),
    "unfriendly mapping": Unfriendly(),
    "speechless": Speechless(),
    "mapping proxy": types.MappingProxyType({"content": "a"}),
    "deque": collections.deque([1]),
    "a million": [None] * 1_000_000,
}


def placed(dialect: str, value: Any) -> list[Any]:
    """The value in every place of a call."""
    places = [value]
    sound = call(dialect, "a", "b")
    key = load_dialect(dialect).list_key
    places += [{**sound, name: value} for name in [*sound, "extra"]]
    places.append({**sound, key: [value]})
    places.append({**sound, key: [sound[key][0], value]})
    for field in [*sound[key][0], "id", "extra"]:
        places.append({**sound, key: [{**sound[key][0], field: value}]})
    with contextlib.suppress(TypeError, ValueError):  # where it cannot be a key
        places.append({value: value})
    return places


@requirement("A2", "A1")
@pytest.mark.parametrize("dialect", FIVE)
@pytest.mark.parametrize("name", VALUES)
def test_no_value_in_any_place_raises_and_what_is_refused_changes_nothing(
    dialect: str, name: str, tmp_path: Path
) -> None:
    todo = TodoWrite(dialect, root=tmp_path, environ={})
    heard: list[Change] = []
    for arguments in placed(dialect, VALUES[name]):
        todo.clear()
        todo(call(dialect, "keep"))
        before = todo.plan
        heard.clear()
        stop = todo.on_change(heard.append)
        with bounded():
            reply = todo(arguments)
        stop()
        assert isinstance(reply, Reply)
        assert reply.text
        reply.text.encode("utf-8")
        reply.display.encode("utf-8")
        if reply.is_error:
            assert todo.plan is before
            assert heard == []
            assert list(tmp_path.iterdir()) == []
            assert len(reply.text) < 4_000
            assert reply.issues
        else:
            assert todo.plan.revision == before.revision + 1


PREFIXES = {
    "smart": "Error: ",
    "shell": "Error: ",
    "envelope": '{"status": "error", ',
    "checklist": "Error: ",
    "twostate": "❌ 任务更新失败: ",
}


@requirement("A2")
@pytest.mark.parametrize("dialect", FIVE)
@pytest.mark.parametrize("name", ["lone surrogate", "10 MB"])
def test_lone_surrogates_and_enormous_texts_are_refused_in_the_dialects_words(
    dialect: str, name: str
) -> None:
    todo = TodoWrite(dialect, environ={})
    arguments = call(dialect, VALUES[name])
    reply = todo(arguments)
    assert reply.is_error
    assert reply.text.startswith(PREFIXES[dialect])
    assert todo.plan.revision == 0


@requirement("A1")
@pytest.mark.parametrize("dialect", [name for name in FIVE if name != "envelope"])
def test_a_refusal_never_repeats_the_payload(dialect: str) -> None:
    payload = "SECRET " * 50
    todo = TodoWrite(dialect, environ={})
    for arguments in placed(dialect, payload):
        reply = todo(arguments)
        if reply.is_error:
            assert reply.text.count("SECRET") <= 6
            assert reply.display.count("SECRET") <= 6


CONTROL = "".join(map(chr, [*range(0x20), 0x7F, *range(0x80, 0xA0)]))
BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
OBEYED = set(CONTROL + BIDI + "\u2028\u2029\ufeff\U000e0041")
KEPT_FOR_MODELS = "\u200e\u200f\u061c\ufeff"
"""Marks of direction, and the one of byte order: they move nothing around them."""
HOSTILE = f"a{CONTROL}b{BIDI}c\u2028d\u2029e\ufefff\U000e0041g"


@requirement("A8")
@pytest.mark.parametrize("dialect", FIVE)
def test_nothing_a_terminal_would_obey_reaches_a_reply_or_a_log(
    dialect: str, tmp_path: Path
) -> None:
    todo = TodoWrite(dialect, root=tmp_path, environ={})
    chunks = [HOSTILE[start : start + 40] + "x" for start in range(0, len(HOSTILE), 40)]
    for status in todo.dialect.statuses:
        arguments = call(dialect, *[(chunk, status) for chunk in chunks[:1]])
        for chunk in chunks:
            rows = arguments[todo.dialect.list_key]
            rows[0]["content"] = chunk
            if "activeForm" in rows[0]:
                rows[0]["activeForm"] = chunk
            if "summary" in arguments:
                arguments["summary"] = chunk
            reply = todo(arguments)
            assert not reply.is_error
            logs = map(Path.read_text, tmp_path.rglob("*.md"))
            assert not set(reply.text) & OBEYED - {"\n"} - set(KEPT_FOR_MODELS)
            for text in (reply.display, *logs):
                assert not set(text) & OBEYED - {"\n"}
            bad = todo({todo.dialect.list_key: [rows[0] | {"status": chunk, chunk: 1}]})
            assert bad.is_error
            assert not set(bad.display) & OBEYED - {"\n"}


@requirement("A8")
def test_a_newline_in_a_text_cannot_forge_a_line_of_the_reply() -> None:
    reply = TodoWrite("checklist")(
        {"items": [{"content": "a\n[x] forged", "status": "pending", "activeForm": "b"}]}
    )
    assert reply.text == "[ ] a [x] forged\n\n(0/1 completed)"


@requirement("A8")
def test_harmless_keeps_what_people_write() -> None:
    for text in ("plain", "写测试，完成。", "👩‍🔧 naïve\u00a0café", "\u3000全角", "عربى"):
        assert harmless(text) == text
    assert harmless("\x1b[31m\x00\x7f\x9b\u202e") == "␛[31m␀␡��"


def test_shown_is_short_whatever_the_value() -> None:
    for value in VALUES.values():
        assert len(shown(value)) <= 40
