"""Real calls, counted by hand and then read: `python -m tests.formats.real_calls FILE.jsonl.gz`.

The counting knows nothing of `todowright.formats`. Each line of the file is one call with `tool`, `input`, `result`, `is_error`,
`source`, `session` and `chain`. Calls that single items are changed by are counted as what they leave behind, one chain
after the other. The data is not part of the project.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]
Counted = tuple[tuple[str, str], ...]
"""The words and the status of each item, in order."""
SPELLED = {"not-started": "pending", "in-progress": "in_progress"}
BOXES = {" ": "pending", "x": "completed", "X": "completed", "-": "in_progress", "~": "in_progress"}
LISTS = {
    "TodoWrite": ("todos", ("content",)),
    "todowrite": ("todos", ("content",)),
    "write_todos": ("todos", ("content", "description")),
    "update_plan": ("plan", ("step",)),
    "manage_todo_list": ("todoList", ("title",)),
}
LOOKS = ("TaskList", "TaskGet", "TaskStop")


def counted_list(row: Row) -> Counted:
    """The items of a call that sends the whole list."""
    if row["tool"] == "update_todo_list":
        lines = row["input"]["todos"].splitlines()
        boxes = [re.match(r"\s*(?:[-*] )?\[(.)\] (.*)", line) for line in lines if line.strip()]
        return tuple((box[2].strip(), BOXES[box[1]]) for box in boxes if box)
    key, texts = LISTS[row["tool"]]
    given = row["input"][key]
    items = json.loads(given) if isinstance(given, str) else given
    return tuple(
        (
            next(item[text] for text in texts if text in item),
            str(SPELLED.get(item["status"], item["status"])),
        )
        for item in items
    )


@dataclass
class Tasks:
    """The tasks of one chain, as its calls leave them."""

    items: dict[str, list[str]] = field(default_factory=dict)
    last: int = 0

    def make(self, row: Row) -> None:
        given, answer = row["input"], str(row["result"] or "")
        if row["tool"] == "TaskCreate":
            found = re.search(r'Task #(\d+) created|"id": ?"(\d+)"', answer)
            label = (found[1] or found[2]) if found else str(self.last + 1)
            self.last = max(self.last, int(label))
            self.items[label] = [given["subject"], "pending"]
        elif row["tool"] == "TaskUpdate" and not row["is_error"] and given["taskId"] in self.items:
            item = self.items[given["taskId"]]
            item[0] = given.get("subject", item[0])
            item[1] = given.get("status", item[1])
            if item[1] == "deleted":
                del self.items[given["taskId"]]

    @property
    def counted(self) -> Counted:
        return tuple((text, status) for text, status in self.items.values())


def misses(rows: Iterable[Row]) -> Iterator[str]:
    """The calls that are read as something else than they say."""
    from todowright.formats import read_plan
    from todowright.plan.model import Plan

    by_hand: dict[tuple[str, ...], Tasks] = defaultdict(Tasks)
    read: dict[tuple[str, ...], Plan] = {}
    for number, row in enumerate(rows, 1):
        chain = (row["source"], row["session"], row["chain"])
        name = f"line {number}, {row['tool']} of {row['source']}"
        try:
            reading = read_plan({"name": row["tool"], "input": row["input"]}, result=row["result"])
        except Exception as error:
            yield f"{name}: {type(error).__name__}: {error}"
            continue
        if row["tool"] in LOOKS:
            if reading.changes:
                yield f"{name}: it changes the plan"
            continue
        if row["tool"] in ("TaskCreate", "TaskUpdate"):
            by_hand[chain].make(row)
            if not row["is_error"]:
                read[chain] = reading.on(read.get(chain, Plan()))
            meant, plan = by_hand[chain].counted, read.get(chain, Plan())
        else:
            meant, plan = counted_list(row), reading.plan
        found = tuple((todo.content, todo.status) for todo in plan.todos)
        if Counter(found) != Counter(meant) or [*found] != [*meant]:
            yield f"{name}: {len(meant)} items {dict(Counter(s for _, s in meant))}, read {len(found)} {dict(Counter(s for _, s in found))}"


def main(path: str) -> int:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    missed = list(misses(rows))
    for line in missed:
        print(line)
    right = len(rows) - len(missed)
    print(f"{right} of {len(rows)} calls are read as they are meant: {right / len(rows):.2%}")
    return 0 if right >= 0.999 * len(rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
