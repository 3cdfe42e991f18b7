"""The slowest calls of at most a megabyte: every dialect and tool, on an empty plan and on the largest it allows.

    python -m bench.hostile [--dialect NAME] [--size BYTES] [--worst N]

Processor time of one call, the least of three; calls that are quick at once are made only once. It takes
some minutes, and prints a table of the worst, for docs/reliability.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from time import process_time
from typing import Any, NamedTuple

from todowright import Plan, Todo, TodoWrite, load_dialect
from todowright.dialects import Dialect, ListDialect
from todowright.stores.memory import MemoryStore

DIALECTS = ("smart", "shell", "envelope", "checklist", "twostate", "lean", "tasks")
MEGABYTE = 1_000_000
LIMIT = 0.25
"""Seconds of processor time that no call may take."""
UNITS = {
    "words": "ab cd ",
    "one letter": "a",
    "white space": " \t\n",
    "hard spaces": "\u00a0",
    "(done)": " (done)",
    "dashes": " - done",
    "brackets": "[",
    "braces": '{"a":',
    "boxes": "[x] ",
    "bullets": "- ",
    "numbers": "1. ",
    "steps": "step 1: ",
    "digits": "1",
    "dots": "1.",
    "stars": "**",
    "ticks": "✓",
    "fences": "```\n",
    "quotes": '"',
    "backslashes": "\\",
    "commas": ",",
    "Chinese": "修复重叠检测",
    "accents": "\u0315\u0300",
    "accented": "e\u0301",
    "surrogates": "\ud800",
    "controls": "\x01",
    "tags": "\U000e0061",
    "regions": "\U0001f3f4\U000e0067\U000e0062\x01",
    "flags": "\U0001f1e6",
    "joiners": "\u200d",
    "code": "aB_/a.b ",
    "capitals": "İSTANBUL ß ",
    "markup": "<&>",
}
LITTLE_MORE = 1.02
"""What is this much larger than it should be still counts."""
SHAPES = ((1, 1_000_000), (10, 99_000), (10_000, 85), (200_000, 1))
"""How many texts a call has, and how long each is."""


class Case(NamedTuple):
    """One call, and the plan that it is made on."""

    name: str
    tool: str | None
    arguments: object
    before: Plan | None = None


class Timed(NamedTuple):
    """What a call took."""

    seconds: float
    case: Case
    answer: str


def texts(unit: str, count: int, length: int) -> list[str]:
    """Texts of a unit, all different."""
    filled = (unit * (length // len(unit) + 1))[:length]
    return [f"{n} {filled}"[:length] if length > 8 else f"{n}" for n in range(count)]


def plans(dialect: Dialect) -> Iterator[tuple[str, Plan]]:
    """The largest plans: of many steps, of long ones, of steps that are all alike, of much that is finished."""
    most, longest = min(dialect.most_items, 10_000), min(dialect.longest, 100_000)
    few = min(most, 10)
    several = min(most, 2_000)
    wanted = {
        "many steps": [f"Write part {n}"[:longest] for n in range(most)],
        "long steps": [f"{n} " + "ab cd " * (longest // 6 - 20) for n in range(few)],
        "steps of 400 letters": [f"{n} " + "aB c/d.e f1 " * 33 for n in range(several)],
        "marked steps": [f"{n}. [x] Write part {n} (done)" for n in range(most)],
        "the same step": ["Write a part"] * most,
        "Chinese steps": [f"第{n}步" + "修复重叠检测" * 10 for n in range(several)],
    }
    for name, contents in wanted.items():
        if name.startswith("steps of") and longest < 400:
            contents = [content[:longest] for content in contents]
        yield name, plan_of(dialect, contents)
    yield "finished steps", plan_of(dialect, wanted["many steps"], "completed")
    if dialect.name == "tasks":
        yield from _plans_of_tasks(dialect, most)


def plan_of(dialect: Dialect, contents: list[str], status: str = "pending") -> Plan:
    told = any(
        getattr(each, "role", "") == "active_form" for each in getattr(dialect, "fields", ())
    )
    todos = [
        Todo(text, status, text if told else "", f"t{n}", n)  # type: ignore[arg-type]
        for n, text in enumerate(contents, 1)
    ]
    return Plan("default", "main", 1, tuple(todos), issued=len(todos), dialect=dialect.name)


def _plans_of_tasks(dialect: Dialect, most: int) -> Iterator[tuple[str, Plan]]:
    """Tasks that wait for many others, each for the one before, and with much beside their words."""
    plain = plan_of(dialect, [f"Task {n}" for n in range(most)])

    def with_extras(key: str, text: Callable[[int], str]) -> Plan:
        extras = {todo.number: text(todo.number) for todo in plain.todos}
        todos = [
            replace(todo, extras=((key, extras[todo.number]),) if extras[todo.number] else ())
            for todo in plain.todos
        ]
        return replace(plain, todos=tuple(todos))

    nested = json.dumps({"failed": json.loads("[" * 30 + "]" * 30)})
    for name, key, text in (
        ("tasks that wait for 100 others", "blockedBy", lambda n: _numbers(n, 100) if n % 50 == 0 else ""),
        ("tasks that wait for two others", "blockedBy", lambda n: _numbers(n, 2)),
        ("a task that waits for all others", "blockedBy", lambda n: _numbers(n, most) if n == most else ""),
        ("tasks that wait each for the one before", "blockedBy", lambda n: _numbers(n, 1)),
        ("tasks with metadata", "metadata", lambda _: nested),
        ("tasks with long metadata", "metadata", lambda n: json.dumps({"failed": [1] * 6_000}) if n < 40 else ""),
        ("tasks with descriptions", "description", lambda _: "ab\n" * 28),
    ):  # fmt: skip
        yield name, with_extras(key, text)


def _numbers(number: int, count: int) -> str:
    """The numbers before a number, so many."""
    return " ".join(map(str, range(max(1, number - count), number)))


def cases(dialect: Dialect, size: int) -> Iterator[Case]:
    """Every hostile call of a dialect, on no plan, then on plans that are full."""
    full = list(plans(dialect))
    for name, unit in UNITS.items():
        for count, length in SHAPES:
            sent = texts(unit, count, max(1, length * size // MEGABYTE))
            for case in calls_within(dialect, sent, size):
                yield case._replace(name=f"{count:,} of {name}: {case.name}")
    for name, plan in full:
        for case in on_full(dialect, plan):
            if size_of(case) <= size * LITTLE_MORE:
                yield case._replace(name=f"on {name}: {case.name}", before=plan)
        for unit in ("words", "(done)", "Chinese", "code"):
            for count, length in ((10, 99_000), (2_000, 400), (10_000, 85)):
                sent = texts(UNITS[unit], count, max(1, length * size // MEGABYTE))
                for case in list(calls_within(dialect, sent, size))[:4]:
                    called = f"on {name}: {count:,} of {unit}: {case.name}"
                    yield case._replace(name=called, before=plan)


def size_of(case: Case) -> int:
    """The bytes of a call, as a host sends it."""
    text = json.dumps(case.arguments, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "surrogatepass"))


def calls_within(dialect: Dialect, sent: list[str], size: int) -> Iterator[Case]:
    """The calls with these texts; where one is larger than that, with fewer of them, or shorter ones."""
    for number, case in enumerate(calls(dialect, sent)):
        fitting, left = case, sent
        while (is_now := size_of(fitting)) > size * LITTLE_MORE:
            if len(left) > 10:
                left = left[: int(len(left) * size / is_now)]
            else:
                left = [text[: int(len(text) * size / is_now)] for text in left]
            fitting = next(islice(calls(dialect, left), number, None))
        yield fitting


def calls(dialect: Dialect, sent: list[str]) -> Iterator[Case]:
    """Calls that carry these texts, as they should be and in other clothes."""
    if isinstance(dialect, ListDialect):
        yield from _list_calls(dialect, sent)
    elif dialect.name == "lean":
        yield from _lean_calls(sent)
    else:
        yield from _task_calls(sent)


def _list_calls(dialect: ListDialect, sent: list[str]) -> Iterator[Case]:
    keys = {part.role: part.key for part in dialect.fields}
    half = [text[: len(text) // 2] for text in sent] if "active_form" in keys else sent

    def rows(**more: object) -> list[dict[str, object]]:
        base = [{keys["content"]: text, keys["status"]: "pending"} for text in half]
        if "active_form" in keys:
            for row, text in zip(base, half, strict=True):
                row[keys["active_form"]] = text
        return [{**row, **more} for row in base]

    rest = {dialect.summary.key: sent[0]} if dialect.summary else {}
    key, whole = dialect.list_key, {dialect.list_key: rows(), **rest}
    yield Case("a list", None, whole)
    yield Case("a list as JSON", None, json.dumps(whole))
    yield Case("a list in a text", None, {**rest, key: json.dumps(rows())})
    yield Case("lines", None, {**rest, key: "\n".join(f"- {text}" for text in sent)})
    yield Case("texts", None, {**rest, key: sent})
    yield Case(
        "wrong statuses", None, {**rest, key: [{**row, "status": sent[0][:99]} for row in rows()]}
    )
    yield Case("unknown keys", None, {**rest, key: rows(other=1)})
    yield Case("all in one item", None, {**rest, key: [dict.fromkeys(sent, 1)]})
    yield Case("all in the root", None, {**dict.fromkeys(sent, 1), key: []})
    yield Case("Python's spelling", None, {**rest, key: repr(rows())})
    yield Case("bare text", None, "".join(sent))
    yield Case("text for the list", None, {**rest, key: "".join(sent)})
    yield Case("numbered", None, {**rest, key: {str(n): text for n, text in enumerate(sent)}})
    yield Case("no objects", None, {**rest, key: [[]] * len(sent)})
    yield Case("empty objects", None, {**rest, key: [{}] * len(sent)})


def _lean_calls(sent: list[str]) -> Iterator[Case]:
    yield Case("plan", "plan", {"steps": sent})
    yield Case("plan, one now", "plan", {"steps": sent, "now": sent[-1]})
    yield Case(
        "plan with statuses",
        "plan",
        {"steps": [{"content": text, "status": "pending"} for text in sent]},
    )
    yield Case("done", "done", {"finished": sent})
    yield Case("drop", "drop", {"step": [text.upper() for text in sent]})
    yield Case("add", "add", {"step": sent, "where": f"before: {sent[0]}"})
    yield Case("add few", "add", {"step": sent[:200], "before": sent[0]})
    yield Case("change", "change", {"step": sent[0], "to": sent[-1]})
    yield Case("now", "plan", {"now": "".join(sent)})
    yield Case("steps in a text", "plan", {"steps": json.dumps(sent)})
    yield Case("steps in Python's spelling", "plan", {"steps": repr(sent)})
    yield Case("lines", "plan", {"steps": "\n".join(f"- {text}" for text in sent)})
    yield Case("numbered", "plan", {"steps": {str(n): text for n, text in enumerate(sent)}})
    yield Case("bare text", "plan", "".join(sent))
    yield Case("all in the root", "plan", dict.fromkeys(sent, 1))
    yield Case("all in one item", "plan", {"steps": [dict.fromkeys(sent, 1)]})
    yield Case("flags", "plan", {"steps": [{"task": text, "done": True} for text in sent]})


def _task_calls(sent: list[str]) -> Iterator[Case]:
    whole = "".join(sent)
    yield Case("create", "TaskCreate", {"subject": sent[0], "description": sent[-1]})
    yield Case("create, all as one", "TaskCreate", {"subject": whole, "description": "b"})
    yield Case(
        "metadata",
        "TaskCreate",
        {"subject": "a", "description": "b", "metadata": dict.fromkeys(sent, 1)},
    )
    yield Case(
        "metadata as texts",
        "TaskCreate",
        {"subject": "a", "description": "b", "metadata": {"a": sent}},
    )
    yield Case("as JSON", "TaskCreate", json.dumps({"subject": "a", "description": whole}))
    yield Case("bare text", "TaskCreate", whole)
    yield Case("get", "TaskGet", {"taskId": whole})
    yield Case("owner", "TaskUpdate", {"taskId": "1", "owner": sent[0]})
    yield Case("blocked by", "TaskUpdate", {"taskId": "1", "addBlockedBy": sent})
    yield Case("blocked by a text", "TaskUpdate", {"taskId": "1", "addBlockedBy": whole})
    yield Case("all in the root", "TaskUpdate", {**dict.fromkeys(sent, 1), "taskId": "1"})


def on_full(dialect: Dialect, plan: Plan) -> Iterator[Case]:
    """Calls about the steps that a full plan has."""
    had = [todo.content for todo in plan.todos]
    near = [text[:-1] + "z" for text in had]
    lists = {
        "the same list": had, "nearly the same": near, "in capitals": [text.upper() for text in had],
        "backwards": had[::-1], "half of it": had[::2], "one word more": [f"{text} now" for text in had],
        "marked": [f"- [x] {text} (done)" for text in had], "numbered": [f"{n}. {text}" for n, text in enumerate(had, 1)],
    }  # fmt: skip
    if isinstance(dialect, ListDialect):
        for name, sent in lists.items():
            limited = [text[: dialect.longest] for text in sent]
            first = next(_list_calls(dialect, limited))
            yield first._replace(name=name)
            yield Case(
                f"{name}, finished", None, _with_status(dialect, first.arguments, "completed")
            )
        return
    if dialect.name == "lean":
        for name, sent in lists.items():
            for case in (*_lean_calls(sent),)[:10]:
                yield case._replace(name=f"{name}: {case.name}")
        numbers: list[Any] = list(range(1, len(had) + 1))
        for tool, key in (("done", "finished"), ("drop", "step")):
            yield Case(f"{tool} by number", tool, {key: numbers})
            yield Case(f"{tool} by number, as text", tool, {key: [f"step {n}" for n in numbers]})
            yield Case(
                f"{tool} by number and words", tool, {key: [f"{n}. {had[n - 1]}" for n in numbers]}
            )
            yield Case(
                f"{tool} by a part", tool, {key: [text[: len(text) * 2 // 3] for text in had[:200]]}
            )
        yield Case("read", "plan", {})
        return
    every = [str(todo.number) for todo in plan.todos]
    last = every[-1]
    yield Case("list", "TaskList", {})
    yield Case("get", "TaskGet", {"taskId": last})
    yield Case("get the first", "TaskGet", {"taskId": "1"})
    yield Case("get one that is not there", "TaskGet", {"taskId": "999999"})
    yield Case("start", "TaskUpdate", {"taskId": last, "status": "in_progress"})
    yield Case("finish the first", "TaskUpdate", {"taskId": "1", "status": "completed"})
    yield Case("delete the first", "TaskUpdate", {"taskId": "1", "status": "deleted"})
    yield Case("wait for 100", "TaskUpdate", {"taskId": last, "addBlockedBy": every[-101:-1]})
    yield Case("block 100", "TaskUpdate", {"taskId": "1", "addBlocks": every[1:101]})
    yield Case("block the last 100", "TaskUpdate", {"taskId": "1", "addBlocks": every[-100:]})
    yield Case("a circle", "TaskUpdate", {"taskId": "1", "addBlockedBy": every[-100:]})
    yield Case("create", "TaskCreate", {"subject": "a", "description": "b"})


def _with_status(dialect: ListDialect, arguments: Any, meaning: str) -> object:
    key, status = dialect.list_key, dialect.wire_status(meaning)
    rows = [{**row, dialect.status_key: status} for row in arguments[key]]
    return {**arguments, key: rows}


def timed(dialect: Dialect, case: Case) -> Timed:
    """The least time of three that a call takes."""
    best, answer = float("inf"), ""
    for _ in range(3):
        store = MemoryStore()
        if case.before is not None:
            store.save(case.before)
        todo = TodoWrite(dialect, store=store, environ={}, root="/nonexistent")
        start = process_time()
        reply = todo(case.arguments, tool=case.tool)
        best, answer = min(best, process_time() - start), reply.text
        if best < LIMIT / 2:
            break
    return Timed(best, case, answer)


def search(names: tuple[str, ...], size: int) -> Iterator[Timed]:
    for name in names:
        dialect = load_dialect(name)
        for case in cases(dialect, size):
            found = timed(dialect, case)
            if found.seconds > LIMIT:
                print(
                    f"{found.seconds * 1000:.0f} ms: {name}: {case.name}",
                    file=sys.stderr,
                    flush=True,
                )
            yield found._replace(case=case._replace(name=f"{name}: {case.name}", arguments=None))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.hostile", description=(__doc__ or "").split("\n")[0])  # fmt: skip
    parser.add_argument("--dialect", choices=DIALECTS, action="append", help="only this one")
    parser.add_argument(
        "--size", type=int, default=MEGABYTE, help="bytes of a call (default: a million)"
    )
    parser.add_argument("--worst", type=int, default=10, help="how many are shown (default: 10)")
    options = parser.parse_args()
    found = sorted(
        search(tuple(options.dialect or DIALECTS), options.size), key=lambda each: -each.seconds
    )
    print(
        f"{len(found):,} calls, {sum(each.seconds > LIMIT for each in found)} above {LIMIT * 1000:.0f} ms\n"
    )
    print("| CPU | dialect: call | answer |\n|---|---|---|")
    for each in found[: options.worst]:
        told = each.answer.replace("\n", " ").replace("|", "/")[:50]
        print(f"| {each.seconds * 1000:.0f} ms | {each.case.name} | {told} |")


if __name__ == "__main__":
    main()
