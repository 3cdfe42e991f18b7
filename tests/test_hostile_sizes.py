"""A call of a megabyte, made to be slow to read: every dialect is through with it in no time.

The limit is generous: what was quadratic took from half a minute to hours. Processor time is measured,
which a busy machine does not change.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any
from unicodedata import category

import pytest

from tests.requirements import requirement
from tests.support import FIVE, call
from todowright import Plan, Todo, TodoWrite, run_command, write_plan
from todowright.agent.compaction import without_its_tags
from todowright.agent.work.grave import is_grave
from todowright.dialects.tasks import rules
from todowright.dialects.tasks.model import blockers
from todowright.hosts.toml_block import BEGIN, END, without_block
from todowright.plan import finding
from todowright.plan.marks import bare
from todowright.plan.matching import plain
from todowright.shell.bash_syntax import Reader
from todowright.shell.line import read_line
from todowright.stores.memory import MemoryStore
from todowright.text import _DANGEROUS, _stand_ins, as_sent, clip, harmless, json_text

MEGABYTE, SECONDS = 1_000_000, 2.0
SMALL, LARGE = ((1, 60_000), (300, 200)), ((11, 90_000), (9_990, 100))
"""How many texts a call has, and how long each is."""
UNITS = {
    "white space": "a" + " " * 4_000,
    "only white space": " \t\n",
    "hard spaces": "\u00a0",
    "finished": " (done)",
    "opened": "( ",
    "brackets": "[",
    "boxes": "[x] ",
    "bullets": "- ",
    "numbers": "1. ",
    "steps": "step 1: ",
    "a step": "step 1" + " " * 200_000,
    "dashes": " - ",
    "stars": "**",
    "ticks": "✓",
    "fences": "```\n",
    "quotes": '"',
    "backslashes": "\\",
    "words": "ab cd ",
    "Chinese": "修复重叠检测逻辑并更新文档",
    "Japanese": "テストを書くこと",
    "accents": "\u0315\u0300",
    "ordered accents": "\u0315",
    "control characters": "\x01",
    "tag characters": "\U000e0061",
    "flags": "\U0001f3f4\U000e0067\U000e0062\x01",
    "letters of flags": "\U0001f1e6",
    "joiners": "\u200d",
    "digits": "1",
    "dots": "1.",
    "names in code": "aB_/a.b ",
}


def texts(name: str, count: int, length: int, end: str = "") -> list[str]:
    unit = UNITS[name]
    filled = (unit * (length // len(unit) + 1))[: length - 8]
    if name == "ordered accents":  # the later half belongs before the other
        filled = filled[::2] + "\u0300" * (len(filled) // 2)
    return [f"b{index} {filled}{end}" for index in range(count)]


def calls(dialect: str, name: str, count: int, length: int) -> Iterator[tuple[str | None, Any]]:
    """A plan, nearly the same one, and it again; then in forms that have to be mended."""
    sent = [texts(name, count, length, end) for end in ("", "z", "")]
    sent[1][::2] = [text[::-1] for text in sent[1][::2]]
    if dialect == "lean":
        tool, key = "plan", "steps"
        lists: list[Any] = [{"steps": each} for each in sent]
    else:
        tool, lists = None, [call(dialect, *each) for each in sent]
        key = next(key for key, value in lists[0].items() if isinstance(value, list))
    for each in lists:
        yield tool, each
    yield tool, {**lists[0], key: "\n".join(f"- {text}" for text in sent[0])}
    yield tool, {**lists[0], key: json.dumps(sent[0])}
    yield tool, json.dumps(lists[0])
    yield tool, sent[0][0] * count
    if dialect == "lean":
        for step in (sent[0][0], sent[0], [text.upper() for text in sent[0]]):
            yield "done", {"step": step}
        yield "add", {"steps": sent[0], "before": sent[0][0]}
        yield "drop", {"steps": sent[0]}
        yield "change", {"step": sent[0][0], "to": sent[0][-1]}


@requirement("A2")
@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("dialect", [*FIVE, "lean"])
@pytest.mark.parametrize(
    "shapes", [SMALL, pytest.param(LARGE, marks=[pytest.mark.slow, pytest.mark.soak])]
)
def test_a_megabyte_of_hostile_text_is_answered_soon(
    dialect: str, name: str, shapes: tuple[tuple[int, int], ...]
) -> None:
    todo = TodoWrite(dialect, environ={}, root="/nonexistent")
    for count, length in shapes:
        for tool, arguments in calls(dialect, name, count, length):
            start = process_time()
            reply = todo(arguments, tool=tool)
            assert process_time() - start < SECONDS, (count, length, str(arguments)[:60])
            assert reply.text


@requirement("A2")
@pytest.mark.parametrize("opening", ["[", '{"a":', "[[],", "(", "-", "not ", "{1:"])
@pytest.mark.parametrize("dialect", [*FIVE, "lean"])
def test_a_megabyte_of_nested_values_is_answered_soon(dialect: str, opening: str) -> None:
    todo = TodoWrite(dialect, environ={}, root="/nonexistent")
    for size in (MEGABYTE, 150_000):
        text = opening * (size // len(opening))
        for arguments in (text, {todo.dialect.list_key: text}):
            start = process_time()
            assert todo(arguments).is_error
            assert process_time() - start < SECONDS


@pytest.mark.parametrize("name", UNITS)
def test_marks_and_words_are_found_in_time_that_grows_with_the_text(name: str) -> None:
    (text,) = texts(name, 1, MEGABYTE)
    start = process_time()
    bare(text)
    bare(text[::-1])
    plain(text)
    assert process_time() - start < SECONDS


class Unread(list[Any]):
    """A list that must not be read, only measured."""

    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("it was read")


@requirement("A2", "A1")
@pytest.mark.parametrize(
    ("tool", "key"),
    [
        ("done", "finished"),
        ("done", "step"),
        ("done", "steps"),
        ("plan", "steps"),
        ("add", "steps"),
        ("drop", "steps"),
    ],
)
def test_a_million_entries_are_refused_before_they_are_read(tool: str, key: str) -> None:
    todo = TodoWrite("lean")
    todo({"steps": ["a", "b"]}, tool="plan")
    reply = todo({key: Unread([1] * 1_000_000)}, tool=tool)
    assert reply.is_error
    assert "has 1000000 " in reply.text
    assert todo.plan.revision == 1


@pytest.mark.parametrize("named", [int, "Step {}".format, "STEP {}!".format])
@pytest.mark.parametrize("tool", ["done", "drop"])
def test_ten_thousand_steps_are_found_by_their_names_soon(named: Any, tool: str) -> None:
    todo = TodoWrite("lean")
    todo({"steps": [f"Step {n}." for n in range(1, 10_001)]}, tool="plan")
    start = process_time()
    reply = todo({"steps": [named(n) for n in range(1, 10_001)]}, tool=tool)
    assert process_time() - start < SECONDS
    assert not reply.is_error
    assert not todo.plan.open


@requirement("A2")
@pytest.mark.parametrize("tool", ["done", "drop"])
def test_steps_named_with_marks_around_their_words_are_read_up_to_a_bound(tool: str) -> None:
    most = finding.MOST_MARKED
    todo = TodoWrite("lean")
    todo({"steps": [f"Write part {n}" for n in range(2 * most)]}, tool="plan")
    before = todo.plan
    reply = todo({"steps": [f"- [x] Write part {n} (done)" for n in range(2 * most)]}, tool=tool)
    assert (
        reply.text
        == f"Error: step has more than {most} entries, at most {most} are read: send fewer"
    )
    assert todo.plan == before
    reply = todo({"steps": [f"- [x] Write part {n} (done)" for n in range(most)]}, tool=tool)
    assert not reply.is_error
    assert len(todo.plan.open) == most


@requirement("A2")
@pytest.mark.parametrize("tool", ["done", "drop"])
def test_steps_that_are_named_by_a_part_are_read_once_for_all_names(
    tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []

    def counted(text: str) -> str:
        looks.append(text)
        return spaced(text)

    spaced = finding._spaced
    monkeypatch.setattr(finding, "_spaced", counted)
    todo = TodoWrite("lean")
    todo({"steps": [f"Write part {n}" for n in range(1, 1_001)]}, tool="plan")
    named = [f"Write part {n} today" for n in range(1, 201)]
    reply = todo({"steps": named}, tool=tool)
    assert not reply.is_error
    assert len(looks) <= 1_000 + 2 * 200  # it was every step for every name
    assert len(todo.plan.open) == 800


@requirement("A2")
@pytest.mark.parametrize("key", ["addBlocks", "addBlockedBy"])
@pytest.mark.parametrize("several", [lambda ids: ids, ",".join], ids=["list", "text"])
def test_a_task_that_names_ten_thousand_others_is_refused_at_once(key: str, several: Any) -> None:
    todo = TodoWrite("tasks")
    todo.replace([f"Task {n}" for n in range(1, 10_001)])
    others = [str(n) for n in range(2, 10_001)]
    start = process_time()
    reply = todo({"taskId": "1", key: several(others)}, tool="TaskUpdate")
    assert process_time() - start < SECONDS
    assert reply.text == f"Error: {key} has 9999 items, the limit is 100: merge or drop some"
    assert todo.plan.revision == 1


@requirement("A2", "A1")
def test_a_plan_does_not_grow_past_a_million_characters() -> None:
    lean = TodoWrite("lean")
    long = ["a" * 99_000 + f" {n}" for n in range(10)]
    assert not lean({"steps": long}, tool="plan").is_error
    for tool, arguments in (
        ("add", {"step": "b" * 20_000}),
        ("change", {"step": 1, "to": "c" * 99_999}),
    ):
        before = lean.plan
        if tool == "change":
            assert not lean({"step": "b" * 9_900}, tool="add").is_error
            before = lean.plan
        reply = lean(arguments, tool=tool)
        assert reply.is_error
        assert "characters, the limit is 1000000: shorten it" in reply.text
        assert "\n" not in reply.text
        assert lean.plan == before
    assert not lean({"finished": [1]}, tool="done").is_error  # what is there can be worked on
    assert not lean({"step": 2, "to": "short"}, tool="change").is_error
    tasks = TodoWrite("tasks")
    for n in range(10):
        given = {"subject": f"Task {n}", "description": "d" * 99_900}
        assert not tasks(given, tool="TaskCreate").is_error
    given = {"taskId": "1", "owner": "o" * 2_000}
    assert tasks(given, tool="TaskUpdate").text.startswith("Error: tasks has 10010")


@requirement("A2")
def test_tasks_wait_for_so_many_others_in_all() -> None:
    store = MemoryStore()
    several = (("blockedBy", " ".join(map(str, range(1, 199)))),)
    todos = [
        Todo(f"Task {n}", "pending", "", f"t{n}", n, several if n > 200 else ())
        for n in range(1, 302)
    ]
    store.save(Plan("default", "main", 1, tuple(todos), issued=301, dialect="tasks"))
    todo = TodoWrite("tasks", store=store)
    assert not todo({"taskId": "200", "addBlockedBy": "1"}, tool="TaskUpdate").is_error
    others = list(range(1, 101))
    reply = todo({"taskId": "150", "addBlockedBy": others}, tool="TaskUpdate")
    assert reply.text == "Error: blockedBy has 20099 items, the limit is 20000: merge or drop some"
    assert todo({"taskId": "1", "status": "completed"}, tool="TaskUpdate").is_error is False


@requirement("A2")
@pytest.mark.parametrize("key", ["addBlocks", "addBlockedBy"])
def test_a_circle_of_tasks_is_looked_for_in_one_pass(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []

    def counted(task: Any) -> list[int]:
        looks.append(task.number)
        return blockers(task)

    store = MemoryStore()
    waits = {  # each waits for the one before, and every tenth for a hundred
        n: range(max(1, n - 100 if n % 10 == 0 else n - 1), n) for n in range(1, 1_001)
    }
    todos = [
        Todo(f"Task {n}", "pending", "", f"t{n}", n, (("blockedBy", " ".join(map(str, several))),))
        if several
        else Todo(f"Task {n}", "pending", "", f"t{n}", n)
        for n, several in waits.items()
    ]
    store.save(Plan("default", "main", 1, tuple(todos), issued=1_000, dialect="tasks"))
    todo = TodoWrite("tasks", store=store)
    monkeypatch.setattr(rules, "blockers", counted)
    others = [str(n) for n in range(900, 1_000)]
    first = {"addBlocks": "1", "addBlockedBy": "1000"}[key]
    assert not todo({"taskId": first, key: others}, tool="TaskUpdate").is_error
    assert len(looks) < 10_000  # it was a hundred times a thousand
    looks.clear()
    first = {"addBlocks": "1000", "addBlockedBy": "1"}[key]
    reply = todo({"taskId": first, key: others}, tool="TaskUpdate")
    assert reply.is_error
    assert "they would wait for each other" in reply.text
    assert len(looks) < 10_000


class Counted(list[int]):
    """Places that count how often they are gone through."""

    gone = 0

    def __iter__(self) -> Iterator[int]:
        Counted.gone += 1
        return super().__iter__()


def test_many_steps_alike_are_told_apart_by_their_numbers_without_a_look_at_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    todos = tuple(Todo("Write a part", "pending", "", f"t{n}", n) for n in range(1, 2_001))
    finder = finding.Finder(todos, labels=False)
    monkeypatch.setattr(finder, "_meant", lambda _: Counted(range(2_000)))
    Counted.gone = 0
    found = [finder.find(f"{n}. Write a part") for n in range(1, 2_001)]
    assert found == list(range(2_000))
    assert Counted.gone == 0


def test_a_table_of_characters_learns_only_so_many() -> None:
    every = "".join(chr(code) for code in range(0x4E00, 0x4E00 + 25_000)) + "\x01"
    assert harmless(every) == every[:-1] + "␁"
    assert harmless(every[:-1] + "\x02") == every[:-1] + "␂"
    assert len(_stand_ins(_DANGEROUS)) <= 20_000


def test_what_stands_for_a_dangerous_character_is_the_same_one_by_one_and_in_a_long_text() -> None:
    kinds = {
        "Cc",
        "Cf",
        "Cs",
        "Zl",
        "Zp",
        "Zs",
    }  # what is unassigned or for private use is left as it is
    every = map(chr, range(sys.maxunicode + 1))
    odd = [char for char in every if category(char) in kinds or "\U000e0000" <= char < "\U000e0080"]
    for shown in (harmless, as_sent, json_text):
        assert shown("".join(odd)).strip('"') == "".join(shown(char).strip('"') for char in odd)
    dangerous = [char for char in odd if harmless(char) != char]
    assert {"\x1b", "\x9b", "\u202e", "\ufeff", "\ud800", "\U000e0041"} <= set(dangerous)
    assert len(dangerous) == 32 + 33 + 3 + 9 + 3 + 2048 + 128


def test_a_character_of_a_thousand_accents_is_cut_after_a_few_looks() -> None:
    looked: list[int] = []

    class Watched(str):
        __slots__ = ()

        def __getitem__(self, at: Any) -> str:
            looked.append(1)
            return str.__getitem__(self, at)

    assert clip(Watched("e" + "\u0301" * 5_000), 4_000).endswith("\u0301…")
    assert len(looked) < 100


@pytest.mark.parametrize(
    "unit", ["(", "((", "$((", "a|", "`", "a ", "TodoWrite '{,}' ;", 'TodoWrite "$(']
)
def test_a_line_that_no_shell_can_be_given_is_not_read(unit: str) -> None:
    line = unit * (MEGABYTE // len(unit))
    start = process_time()
    assert is_grave(line) or read_line(line).fault
    assert process_time() - start < SECONDS


@pytest.mark.parametrize(
    "line",
    [
        "$x " * 43_000,
        "do " * 43_000,
        "x='" + "a " * 30_000 + "'; eval " + "$x " * 20_000,
        "echo '" + "${" * 60_000 + "'",
    ],
    ids=["variables", "words of the grammar", "values that grow", "braces that nothing closes"],
)
def test_a_line_is_judged_in_time_that_grows_with_its_length(line: str) -> None:
    start = process_time()
    is_grave(line)
    assert process_time() - start < SECONDS


def test_a_line_is_read_once_by_who_runs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    whole = Reader.read

    def noted(reader: Reader) -> None:
        read.append(reader.text)
        whole(reader)

    monkeypatch.setattr(Reader, "read", noted)
    assert run_command("true", TodoWrite("shell", environ={})).exit_code == 0
    assert read == ["true"]


def test_a_long_line_is_still_a_call_if_it_is_nothing_else() -> None:
    text = json.dumps(call("shell", "it's " + "a" * 60))
    given = f"TodoWrite '{text[:-1]}{' ' * MEGABYTE}}}'"
    todo = TodoWrite("shell", environ={})
    assert run_command(given, todo).exit_code == 0
    assert [each.content for each in todo.plan.todos] == ["it's " + "a" * 60]
    assert run_command(f"{given} && touch x", todo).stderr.startswith("Error: Invalid JSON")


def test_ten_thousand_reworded_steps_are_matched_by_their_very_words_alone() -> None:
    todo = TodoWrite("smart", root="/nonexistent")
    names = [f"Step {n}" for n in range(5_000)]
    todo(call("smart", *names))
    todo(call("smart", *names[:100], *(f"step {n}!" for n in range(100, 5_000))))
    numbers = [each.number for each in todo.plan.todos]
    assert numbers == [*range(1, 101), *range(5_001, 9_901)]


def test_a_step_of_a_megabyte_is_named_by_its_very_words_or_its_number() -> None:
    todo = TodoWrite("lean")
    text = "ab cd " * 15_000 + "end"
    todo({"steps": [text, "b"]}, tool="plan")
    start = process_time()
    refused = todo({"steps": [text[3:]]}, tool="done")
    assert refused.is_error
    assert "no step" in refused.text.lower()
    assert not todo({"steps": [text]}, tool="done").is_error
    assert process_time() - start < SECONDS
    assert todo.plan.todos[0].closed


def test_a_step_of_spaces_is_written_as_markdown_soon() -> None:
    text = "a" + " " * 40_000 + "b\n" + " " * 40_000 + "\u2028\n c"
    plan = Plan(todos=(Todo(text),))
    start = process_time()
    written = write_plan(plan, "markdown").payload
    assert process_time() - start < 0.3  # it was 3 seconds and more
    assert "a" + " " * 40_000 + "b c" in str(written)


def test_a_log_of_spaces_is_made_ready_to_be_summed_up_soon() -> None:
    log = "<" + " " * 200_000 + "< / LOG >"
    start = process_time()
    assert without_its_tags(log) == "<" + " " * 200_000 + "‹ / LOG ›"
    assert process_time() - start < SECONDS


def test_a_line_of_spaces_in_the_settings_of_a_host_is_read_soon() -> None:
    lines = [BEGIN, "[mcp_servers.todowright]", "[" + " " * 100_000, "[ theirs ] # a", END]
    start = process_time()
    assert without_block(Path("config.toml"), "\n".join(lines)) == "[ theirs ] # a\n"
    assert process_time() - start < SECONDS
