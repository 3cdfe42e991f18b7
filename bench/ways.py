"""How a plan in `lean` becomes the list that a session sent: by single edits, by the list again, or as another plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from bench.tokens import compact, tokens
from bench.wire import overhead
from todowright import MemoryStore, Plan, Todo, TodoWrite
from todowright.dialects import Dialect
from todowright.dialects.lean import BY_NUMBER
from todowright.errors import Refused
from todowright.plan.editing import Editor
from todowright.plan.matching import match

MARKS = {"completed": "[x] ", "in_progress": "[>] ", "cancelled": "[-] ", "pending": "[ ] "}
FIRST = {"plain": 3, "cheapest": 2}
"""With so many of its first words a policy names a step; with more where others begin alike."""
FEW = 3
"""So many steps that come, go or are reworded are told one by one by the plain policy; else the list is sent again."""


class Impossible(Exception):
    """This way does not lead there."""


class Replay:
    """One session in `lean`, with all that was said in it."""

    def __init__(
        self,
        dialect: Dialect,
        plan: Plan | None = None,
        said: Sequence[Any] = (),
        first: int = FIRST["plain"],
    ) -> None:
        store = MemoryStore()
        if plan is not None and plan.revision:
            store.save(replace(plan, revision=1))
        self.dialect = dialect
        self.todo = TodoWrite(dialect, store=store)
        self.said: list[tuple[str, dict[str, Any], str]] = list(said)
        self.first = first
        self.former: set[str] = set()
        """The words of all steps that there ever were: a step is not named by those of another."""
        self.last: dict[int, Todo] = {}
        """Every step as it was last: a part of the words of one that went while it was open names no other."""
        self.cost = 0
        """Of what was said since it was made, wrappers too."""

    def say(self, tool: str, **arguments: Any) -> None:
        """Make a call; one that is refused once is made again."""
        reply = self.todo(arguments, tool=tool)
        self._count(tool, arguments, reply.text)
        if reply.is_error and reply.issues[0].code == "drops":
            reply = self.todo(arguments, tool=tool)
            self._count(tool, arguments, reply.text)
        if reply.is_error:
            raise Impossible(reply.text)

    def _count(self, tool: str, arguments: dict[str, Any], text: str) -> None:
        self.said.append((tool, arguments, text))
        self.cost += tokens(compact(arguments)) + tokens(text) + overhead(tool)

    def become(self, target: list[Todo], policy: Policy) -> Replay:
        """The session after the plan has become this list, in a way that the policy chooses."""
        plan = self.todo.plan
        if shape(plan.todos) == shape(target):
            return self  # nothing to say
        first = FIRST[policy.__name__]
        return policy(lambda way: self._after(way, plan, target, first), plan, target)

    def _after(self, way: Way, plan: Plan, target: list[Todo], first: int) -> Replay | None:
        """The session after one way was gone; None if it does not lead there."""
        trial = Replay(self.dialect, plan, self.said, first)
        trial.former = {*self.former, *(todo.content for todo in plan.todos)}
        trial.last = self.last | {todo.number: todo for todo in plan.todos}
        try:
            way(trial, plan, target)
            trial.settle(target)
        except Impossible:
            return None
        return trial if shape(trial.todo.plan.todos) == shape(target) else None

    def name(self, todo: Todo) -> int | str:
        """What a step is called: its first words, as many as no other step has; its number, where another has them all."""
        if self.dialect is BY_NUMBER:
            return todo.number
        others = [each.content for each in self.todo.plan.todos if each.number != todo.number]
        if todo.content in others:
            return str(todo.number)
        there = {each.number for each in self.todo.plan.todos}
        gone = [each for each in self.last.values() if each.number not in there]
        left = [each.content for each in gone if not each.closed and each.content != todo.content]
        first = first_words(todo.content, [*others, *left], self.first)
        if first in self.former:
            return todo.content
        try:
            found = Editor.of(self.todo.plan, labels=False).find(first)
        except Refused:
            return todo.content
        return first if self.todo.plan.todos[found].number == todo.number else todo.content

    def drop(self, todos: Sequence[Todo]) -> None:
        names = [self.name(todo) for todo in todos]
        if self.dialect is BY_NUMBER and names:
            self.say("drop", steps=names)
        for name in names if self.dialect is not BY_NUMBER else ():
            self.say("drop", step=name)

    def add(self, texts: Sequence[str], before: Todo | None) -> None:
        if self.dialect is BY_NUMBER:
            place = {} if before is None else {"before": before.number}
            self.say("add", steps=list(texts), **place)
            return
        where = "end" if before is None else f"before: {self.name(before)}"
        for text in texts:
            self.say("add", step=text, where=where)

    def drop_others(self, target: Sequence[Todo]) -> None:
        """Take off what the list does not have."""
        left = [todo.content for todo in target]
        gone = []
        for todo in self.todo.plan.todos:
            if todo.content in left:
                left.remove(todo.content)
            else:
                gone.append(todo)
        self.drop(gone)

    def settle(self, target: Sequence[Todo]) -> None:
        """Bring the statuses in line."""
        if [todo.content for todo in self.todo.plan.todos] != [todo.content for todo in target]:
            raise Impossible("other steps, or another order")
        for _ in range(4 * len(target) + 4):
            pairs = list(zip(self.todo.plan.todos, target, strict=True))
            wrong = [(have, want) for have, want in pairs if have.status != want.status]
            if not wrong:
                return
            self._settle_one(wrong, target)
        raise Impossible("statuses cannot be settled")

    def _settle_one(self, wrong: Sequence[tuple[Todo, Todo]], target: Sequence[Todo]) -> None:
        done = [self.name(have) for have, want in wrong if want.status == "completed"]
        on = [want for want in target if want.status == "in_progress"]
        reopened = [have for have, want in wrong if have.closed and want.status == "pending"]
        if done:
            self.say("done", finished=done)
        elif reopened:
            self.say("plan", now=self.name(reopened[0]))
        elif len(on) > 1 or any(want.status == "cancelled" for _, want in wrong):
            self.say("plan", steps=[MARKS[want.status] + want.content for want in target])
        elif on:
            self.say("plan", now=self.name(self.todo.plan.todos[list(target).index(on[0])]))
        else:
            self.say("plan", now="" if self.dialect is not BY_NUMBER else 0)


Way = Callable[[Replay, Plan, list[Todo]], None]
Go = Callable[[Way], Replay | None]
"""Goes a way, and tells where it led, if it led there."""


class Policy(Protocol):
    """Chooses a way."""

    __name__: str

    def __call__(self, go: Go, plan: Plan, target: list[Todo], /) -> Replay: ...


def again(replay: Replay, plan: Plan, target: list[Todo]) -> None:
    """The list again, and then what it leaves behind is taken off."""
    replay.say("plan", steps=[todo.content for todo in target])
    replay.drop_others(target)


def marked(replay: Replay, plan: Plan, target: list[Todo]) -> None:
    """The list again, with marks that tell the statuses."""
    replay.say("plan", steps=[MARKS[todo.status] + todo.content for todo in target])
    replay.drop_others(target)


def rest(replay: Replay, plan: Plan, target: list[Todo]) -> None:
    """Only the steps that are still to be done, since finished ones stay; then what is left behind is taken off."""
    replay.say("plan", steps=[todo.content for todo in _unfinished(plan, target)])
    replay.drop_others(target)


def rest_marked(replay: Replay, plan: Plan, target: list[Todo]) -> None:
    """The same, with marks."""
    steps = [MARKS[todo.status] + todo.content for todo in _unfinished(plan, target)]
    replay.say("plan", steps=steps)
    replay.drop_others(target)


def _unfinished(plan: Plan, target: list[Todo]) -> list[Todo]:
    """The list without the finished steps that it begins with, where the plan has them too."""
    known = {todo.content for todo in plan.todos if todo.status == "completed"}
    begins = 0
    while begins < len(target) and target[begins].content in known:
        begins += 1
    if begins in (0, len(target)) or target[begins - 1].status != "completed":
        raise Impossible("it is no rest")
    return target[begins:]


def edited(replay: Replay, plan: Plan, target: list[Todo]) -> None:
    """Steps dropped, reworded and added one by one."""
    origins = match(plan.todos, target)
    if not any(origin is not None for origin in origins):
        raise Impossible("another plan")
    replay.drop([todo for index, todo in enumerate(plan.todos) if index not in origins])
    for want, origin in zip(target, origins, strict=True):
        if origin is not None and plan.todos[origin].content != want.content:
            replay.say("change", step=replay.name(plan.todos[origin]), to=want.content)
    run: list[str] = []
    for want, origin in zip(target, origins, strict=True):
        if origin is None:
            run.append(want.content)
        elif run:
            number = plan.todos[origin].number
            replay.add(run, next(todo for todo in replay.todo.plan.todos if todo.number == number))
            run = []
    if run:
        replay.add(run, None)


def cheapest(go: Go, plan: Plan, target: list[Todo]) -> Replay:
    """All ways are gone, and the one that costs least is taken: more than a model can know."""
    found = [trial for way in (edited, again, marked, rest, rest_marked) if (trial := go(way))]
    assert found, "not the same plan"
    return min(found, key=lambda trial: trial.cost)


def plain(go: Go, plan: Plan, target: list[Todo]) -> Replay:
    """The way that a model would choose by looking at the two lists; another only where that does not lead there."""
    origins = match(plan.todos, target)
    known = [origin for origin in origins if origin is not None]
    reworded = sum(
        plan.todos[origin].content != want.content
        for want, origin in zip(target, origins, strict=True)
        if origin is not None
    )
    changes = len(plan.todos) - len(known) + origins.count(None) + reworded
    few = known and changes <= FEW and known == sorted(known)
    ways = (edited, rest, again, marked) if few else (rest, again, marked, edited)
    return next(trial for way in ways if (trial := go(way)))


def first_words(text: str, others: Sequence[str], least: int) -> str:
    """How a text begins: so many words, or more until no other text holds them."""
    words, plain_others = text.split(" "), [other.lower() for other in others]
    for count in range(least, len(words)):
        first = " ".join(words[:count])
        if not any(first.lower() in other for other in plain_others):
            return first
    return text


def shape(todos: Sequence[Todo]) -> list[tuple[str, str]]:
    return [(todo.content, todo.status) for todo in todos]
