"""Real sessions of whole-list calls, replayed as the fewest `lean` calls that do the same.

    python -m bench.replay FILE      (one planning call a line, as in real-plans.jsonl, .gz too)

Every list that a session sent is turned into `lean` calls on the plan before it, and the calls go
through the tool. After each, the plan must be the list that was sent: same texts, statuses, order.
Tokens are counted (cl100k) in what the model wrote and in what it was answered, then and now.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.tokens import tokens
from todowright import MemoryStore, Plan, TodoWrite, load_dialect
from todowright.dialects.repair import mended
from todowright.plan.matching import match
from todowright.plan.model import Todo

LEAN = replace(load_dialect("lean"), max_in_progress=None)
"""Real models start several steps at once; the one-at-a-time policy is not what is measured here."""
LISTS = ("todos", "plan", "todoList", "items")
STATUSES = {"not-started": "pending", "in-progress": "in_progress", "inProgress": "in_progress"}


@dataclass
class Session:
    calls: int = 0
    then: int = 0
    now: int = 0
    wrong: int = 0


def wanted(call: dict[str, Any]) -> list[Todo] | None:
    """The list that a call sent, if it sent one."""
    if call.get("is_error"):
        return None
    if not any(key in call["input"] for key in LISTS):
        return None  # a call that changes one task
    meant = mended(LEAN, call["input"])
    arguments = meant.arguments if meant else call["input"]
    rows = arguments.get("steps") if isinstance(arguments, dict) else None
    if not isinstance(rows, list):
        return None
    todos = []
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("content"), str):
            return None
        status = STATUSES.get(str(row.get("status")), row.get("status") or "pending")
        text = row["content"].strip()
        if status not in LEAN.statuses or not text:
            return None
        todos.append(Todo(text, status))  # type: ignore[arg-type]
    return todos


class Replay:
    """One session in `lean`, and what it costs."""

    def __init__(self, plan: Plan | None = None) -> None:
        store = MemoryStore()
        if plan is not None and plan.todos:
            store.save(replace(plan, revision=1))
        self.todo = TodoWrite(LEAN, store=store)
        self.cost = 0

    def say(self, tool: str, **arguments: Any) -> None:
        reply = self.todo(arguments, tool=tool)
        assert not reply.is_error, (arguments, reply.text)
        self.cost += tokens(json.dumps(arguments, ensure_ascii=False, separators=(",", ":")))
        self.cost += tokens(reply.text)

    def become(self, target: list[Todo]) -> None:
        """Make the plan this list, in the way that costs least."""
        plan = self.todo.plan
        if shape(plan.todos) == shape(target):
            return  # nothing to say
        best: Replay | None = None
        for way in (Replay._edit, Replay._say_again, Replay._begin):
            trial = Replay(plan)
            try:
                way(trial, plan, target)
                trial._settle(target)
            except AssertionError:
                continue
            if shape(trial.todo.plan.todos) == shape(target) and (
                best is None or trial.cost < best.cost
            ):
                best = trial
        assert best is not None, "not the same plan"
        self.todo, self.cost = best.todo, self.cost + best.cost

    def _begin(self, plan: Plan, target: list[Todo]) -> None:
        """Another plan. What the old one leaves open is dropped for good, as the session did."""
        left = [todo.number for todo in plan.todos if not todo.closed]
        self._drop(left)
        self.say("plan", steps=[todo.content for todo in target])

    def _say_again(self, plan: Plan, target: list[Todo]) -> None:
        """The plan with other words or in another order, after what is gone was dropped."""
        kept = match(plan.todos, target)
        self._drop(self._gone(plan, kept))
        self.say("plan", steps=[todo.content for todo in target])

    def _gone(self, plan: Plan, kept: list[int | None]) -> list[int]:
        """The numbers to drop: once what is closed, twice what is open, so that it goes for good."""
        drop: list[int] = []
        for index, todo in enumerate(plan.todos):
            if index not in kept:
                drop += [todo.number] * (1 if todo.closed else 2)
        return drop

    def _edit(self, plan: Plan, target: list[Todo]) -> None:
        """The plan with some steps gone, said differently or added."""
        origins = match(plan.todos, target)
        assert any(origin is not None for origin in origins)
        self._drop(self._gone(plan, origins))
        for want, origin in zip(target, origins, strict=True):
            if origin is not None and plan.todos[origin].content != want.content:
                number = plan.todos[origin].number
                self.say("wish", do="reword", step=number, text=want.content)
        for texts, after in self._additions(plan, target, origins):
            if after is None:
                for text in texts:
                    self.say("wish", do="add", text=text)
            else:
                for text in reversed(texts):
                    self.say("wish", do="add after", step=after, text=text)

    def _drop(self, numbers: list[int]) -> None:
        for number in numbers:
            self.say("wish", do="drop", step=number)

    def _additions(
        self, plan: Plan, target: list[Todo], origins: list[int | None]
    ) -> Iterator[tuple[list[str], int | None]]:
        """Runs of new steps, each with the number it stands behind; None for the end."""
        run: list[str] = []
        behind: int | None = 0
        for want, origin in zip(target, origins, strict=True):
            if origin is None:
                run.append(want.content)
                continue
            if run:
                yield run, behind
                run = []
            behind = plan.todos[origin].number
        if run:
            yield run, None

    def _settle(self, target: list[Todo]) -> None:
        """Bring the statuses in line, by the fewest calls."""
        for _ in range(4 * len(target) + 4):
            plan = self.todo.plan
            pairs = list(zip(plan.todos, target, strict=False))
            wrong = [(have, want) for have, want in pairs if have.status != want.status]
            if not wrong:
                return
            self._step(wrong)
        raise AssertionError("statuses cannot be settled")

    def _step(self, wrong: list[tuple[Todo, Todo]]) -> None:
        def numbers(status: str) -> list[int]:
            return [have.number for have, want in wrong if want.status == status]

        if done := numbers("completed"):
            self.say("done", step=done[0] if len(done) == 1 else done)
            return
        if cancelled := numbers("cancelled"):
            closed = [have for have, want in wrong if want.status == "cancelled" and have.closed]
            for have in closed:
                self.say("wish", do="start", step=have.number)
            self._drop(cancelled)
            return
        waiting = [(have, want) for have, want in wrong if want.status == "pending"]
        for have, _ in waiting:
            if have.closed:
                self.say("wish", do="start", step=have.number)
        if waiting:
            self.say("wish", do="start", step=0)
            return
        for number in numbers("in_progress"):
            self.say("wish", do="start", step=number)


def shape(todos: Any) -> list[tuple[str, str]]:
    return [(todo.content, todo.status) for todo in todos]


def sessions(path: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The calls of each agent's run, in order."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    found: dict[str, list[dict[str, Any]]] = {}
    for line in content.splitlines():
        call = json.loads(line)
        name = f"{call.get('source')}/{call.get('session')}/{call.get('chain')}"
        found.setdefault(name, []).append(call)
    yield from found.items()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.replay", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("file", type=Path, help="planning calls, one JSON object a line")
    parser.add_argument("--each", action="store_true", help="a line for each session")
    options = parser.parse_args()
    results: dict[str, Session] = {}
    for name, calls in sessions(options.file):
        replay, session = Replay(), Session()
        for call in calls:
            target = wanted(call)
            if target is None:
                continue
            session.calls += 1
            session.then += tokens(
                json.dumps(call["input"], ensure_ascii=False, separators=(",", ":"))
            )
            session.then += tokens(call.get("result") or "")
            replay.become(target)
        session.now = replay.cost
        if session.calls:
            results[name] = session
    report(results, each=options.each)


def report(results: dict[str, Session], *, each: bool) -> None:
    if each:
        for name, session in results.items():
            print(
                f"{session.now / session.then:>6.1%} {session.now:>7,} of {session.then:>8,}  {session.calls:>3} calls  {name}"
            )
    calls = sum(session.calls for session in results.values())
    then = sum(session.then for session in results.values())
    now = sum(session.now for session in results.values())
    dearer = sum(session.now > session.then for session in results.values())
    print(f"{len(results):,} sessions, {calls:,} whole-list calls, every plan reproduced exactly")
    print(f"tokens as sent and answered {then:,}; in lean {now:,}: {now / then:.1%}")
    print(f"sessions in which lean costs more: {dearer}")


if __name__ == "__main__":
    main()
