"""One damaged place in a document costs the entry that it stands in, and no other."""

from __future__ import annotations

import json
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.importers import agents
from tests.importers.agents import todos
from todowright.importers.documents import pieces
from todowright.importers.found import Damage, Found
from todowright.importers.reading import calls_in

P, N = "pending", "in_progress"


def hook_log(count: int = 6) -> list[dict[str, Any]]:
    return [
        {"session_id": "h", "hook_event_name": "PostToolUse", "tool_name": "TodoWrite", "tool_input": {"todos": todos(P, N)}, "tool_use_id": f"toolu_01Abc456Def789{n}"}
        for n in range(count)
    ]  # fmt: skip


def ids(path: Path) -> tuple[list[str], int]:
    """The last signs of the ids of all calls, and how many places are damaged."""
    every = list(calls_in(str(path)))
    calls = [each.id[-1] for each in every if isinstance(each, Found)]
    return calls, sum(isinstance(each, Damage) for each in every)


@pytest.mark.parametrize("indent", [None, 2], ids=["compact", "indented"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"PostToolUse"', '"PostToolUse'),
        ('"PostToolUse"', 'Post"ToolUse'),
        ('"tool_input": {', '"tool_input": {{'),
        ('"tool_input": {', '"tool_input": '),
        ('"tool_input": {', '"tool_input": [{'),
        ('"PostToolUse",', '"PostToolUse"}'),
        ('"PostToolUse",', '"PostToolUse"]'),
        ('"PostToolUse",', '"PostToolUse"}]'),
        ('"hook_event_name":', '"'),
    ],
)
def test_only_the_entry_that_is_damaged_is_lost(
    tmp_path: Path, indent: int | None, old: str, new: str
) -> None:
    texts = [json.dumps(each, indent=indent) for each in hook_log()]
    texts[2] = texts[2].replace(old, new, 1)
    path = tmp_path / "log.json"
    path.write_text("[" + ",\n".join(texts) + "]")
    calls, damaged = ids(path)
    assert [each for each in calls if each != "2"] == ["0", "1", "3", "4", "5"]
    assert damaged


def test_a_list_inside_of_a_document_goes_on_behind_damage(tmp_path: Path) -> None:
    messages = [
        {"info": {"id": f"msg_{n}", "role": "assistant"}, "parts": [agents.tool_part(n, P, N)]}
        for n in range(6)
    ]
    path = agents.whole(tmp_path / "x.json", {"info": {"id": "ses_1"}, "messages": messages})
    path.write_text(path.read_text().replace('"msg_2",', '"msg_2,', 1))
    calls, damaged = ids(path)
    assert calls == ["0", "1", "3", "4", "5"]
    assert damaged == 1


def test_entries_that_begin_as_what_is_in_them_are_found_again() -> None:
    entries = [{"type": n, "blocks": [{"type": "a"}, {"type": "b"}], "end": n} for n in range(6)]
    text = json.dumps(entries, separators=(",", ":")).replace('"blocks":[', '"blocks:[', 3)
    found = list(pieces(BytesIO(text.encode()), ()))
    whole = [each[1] for each in found if isinstance(each, tuple) and each[1] in entries]
    assert whole == entries[3:]


def test_small_entries_behind_damage_are_read_one_by_one() -> None:
    entries = json.dumps([{"session_id": "s", "n": n, "text": "x" * 60} for n in range(12_000)])
    found, spent = [], []
    for text in (entries, '[{"session_id": x},' + entries[1:]):
        begun = time.process_time()
        found.append(list(pieces(BytesIO(text.encode()), ())))
        spent.append(time.process_time() - begun)
    assert isinstance(found[1][0], Damage)
    assert found[1][1:] == found[0]
    # Of the processor alone, it is the same. It is fifty times as much, if all the rest is looked through for each entry.
    assert spent[1] < 10 * spent[0] + 0.5


@pytest.mark.parametrize("text", ['{"a"', '{"a":x "', '{"a":1}]', '{"a":x},', '{"a":[{"a":'])
def test_damage_without_end_is_given_up(text: str) -> None:
    found = list(pieces(BytesIO(b'[{"a":1},' + text.encode() * 3_000), ()))
    assert found[0] == ("", {"a": 1})
    assert sum(isinstance(each, Damage) for each in found) <= 10_001


def test_damage_in_a_large_document_is_called_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("todowright.importers.documents.LONGEST_PIECE", 300_000)
    entries = [{"session_id": "s", "n": n, "text": "x" * 1000} for n in range(900)]
    text = json.dumps(entries).replace('"n": 5,', '"n: 5,')
    damage, *more = [
        each for each in pieces(BytesIO(text.encode()), ()) if isinstance(each, Damage)
    ]
    assert (damage.reason, more) == ("no whole JSON value", [])


class Recorded(BytesIO):
    """A file that knows how much was asked of it at once."""

    most = 0

    def read(self, size: int | None = -1) -> bytes:
        self.most = max(self.most, size or 0)
        return super().read(size)


@pytest.mark.parametrize(
    "large", [["x, y"] * 400_000, 'x\\"\n' * 400_000], ids=["many", "one text"]
)
def test_an_entry_of_any_size_is_passed_over_in_small_steps(
    monkeypatch: pytest.MonkeyPatch, large: object
) -> None:
    monkeypatch.setattr("todowright.importers.documents.LONGEST_PIECE", 300_000)
    file = Recorded(json.dumps([{"a": 1}, {"a": large}, {"a": 3}, {"a": 4}]).encode())
    first, damage, *others = pieces(file, ())
    assert first == ("", {"a": 1})
    assert isinstance(damage, Damage)
    assert others == [("", {"a": 3}), ("", {"a": 4})]
    assert file.most <= 300_000
