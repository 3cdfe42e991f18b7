"""What a plan would have cost in `lean`: the same states, reached by its calls, which are really made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from todowright.plan.matching import match
from todowright.plan.model import Plan, Todo
from todowright.stats.tokens import tokens
from todowright.stores.memory import MemoryStore
from todowright.tool.todowrite import TodoWrite

_MARKS = {"completed": "[x] ", "in_progress": "[>] ", "cancelled": "[-] ", "pending": "[ ] "}
_FEW = 3
"""So many steps that come, go or are reworded are told one by one; else the list is sent again."""
_MOST_CALLS = 60


class LeanReplay:
    """One plan in `lean`, and what was said for it."""

    def __init__(self) -> None:
        self.calls = 0
        self.tokens = 0
        self._todo = TodoWrite("lean", store=MemoryStore())

    def become(self, target: Sequence[Todo]) -> None:
        """Bring the plan to this list, as a model would that looks at the two."""
        if _shape(self._todo.plan.todos) == _shape(target):
            return
        if not target:
            self._start(())
            return
        self._change(target)
        for _ in range(_MOST_CALLS):
            if not self._settle(target):
                break
        if _shape(self._todo.plan.todos) != _shape(target):  # what lean cannot say counts as a list
            self._count({"steps": [_MARKS[todo.status] + todo.content for todo in target]}, "")  # fmt: skip
            self._start(target)

    def _change(self, target: Sequence[Todo]) -> None:
        """Have the steps that the list has."""
        plan = self._todo.plan
        if [todo.content for todo in plan.todos] == [todo.content for todo in target]:
            return
        origins = match(plan.todos, target)
        known = [origin for origin in origins if origin is not None]
        changed = len(plan.todos) - len(known) + origins.count(None)
        changed += sum(plan.todos[at].content != want.content for want, at in zip(target, origins, strict=True) if at is not None)  # fmt: skip
        if not known or changed > _FEW or known != sorted(known):
            self._say("plan", steps=[todo.content for todo in target])
            left = {todo.content for todo in target}
            for todo in self._todo.plan.todos:
                if todo.content not in left:
                    self._say("drop", step=todo.content)
            return
        for at, todo in enumerate(plan.todos):
            if at not in origins:
                self._say("drop", step=todo.content)
        following = "end"
        for want, origin in reversed(list(zip(target, origins, strict=True))):
            if origin is None:
                self._say("add", step=want.content, where=following)
            elif plan.todos[origin].content != want.content:
                self._say("change", step=plan.todos[origin].content, to=want.content)
            following = f"before: {want.content}"

    def _settle(self, target: Sequence[Todo]) -> bool:
        """Make one call that brings statuses in line; whether there was one to make."""
        todos = self._todo.plan.todos
        if [todo.content for todo in todos] != [todo.content for todo in target]:
            return False
        pairs = [(have, want) for have, want in zip(todos, target, strict=True) if have.status != want.status]  # fmt: skip
        if not pairs:
            return False
        done = [want.content for _, want in pairs if want.status == "completed"]
        now = [want.content for want in target if want.status == "in_progress"]
        if done:
            return self._say("done", finished=done)
        if len(now) > 1 or any(want.status == "cancelled" for _, want in pairs):
            return self._say("plan", steps=[_MARKS[todo.status] + todo.content for todo in target])
        return self._say("plan", now=now[0] if now else "")

    def _say(self, tool: str, **arguments: object) -> bool:
        """Make a call, a second time where it is asked for; whether it was taken."""
        reply = self._todo(arguments, tool=tool)
        self._count(arguments, reply.text)
        if reply.is_error and reply.issues and reply.issues[0].code == "drops":
            reply = self._todo(arguments, tool=tool)
            self._count(arguments, reply.text)
        return not reply.is_error

    def _count(self, arguments: dict[str, object], answer: str) -> None:
        self.calls += 1
        self.tokens += said(arguments) + tokens(answer)

    def _start(self, target: Sequence[Todo]) -> None:
        """Stand where the list stands, at no cost."""
        store = MemoryStore()
        todos = tuple(replace(todo, extras=()) for todo in target)
        if todos:
            store.take(Plan(todos=todos, issued=max(todo.number for todo in todos), dialect="lean"))
        self._todo = TodoWrite("lean", store=store)


def said(arguments: object) -> int:
    """The tokens of the arguments of a call, as JSON without spaces."""
    if isinstance(arguments, str):
        return tokens(arguments)
    try:
        return tokens(json.dumps(arguments, ensure_ascii=False, separators=(",", ":")))
    except (TypeError, ValueError, RecursionError):
        return 0


def _shape(todos: Sequence[Todo]) -> list[tuple[str, str]]:
    return [(todo.content, todo.status) for todo in todos]
