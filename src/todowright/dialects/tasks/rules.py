"""What holds for tasks whoever changes them: a model, a worker, a program, a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from todowright.dialects.call import Draft
from todowright.dialects.dialect import Dialect
from todowright.dialects.tasks.model import (
    BLOCKED_BY,
    LEASE,
    OWNER,
    blockers,
    of,
    open_numbers,
    unknown,
    with_blockers,
    with_text,
)
from todowright.errors import Issue, Refused
from todowright.plan.model import Plan, Todo

Tasks = Mapping[int, Todo]
"""Tasks by their numbers."""


def settled(dialect: Dialect, before: Plan, plan: Plan, draft: Draft) -> Plan:
    """The plan as the rules of tasks want it, and notes in its draft; raises `Refused` where they do not want it.

    A task that is gone blocks nothing. No task waits for itself, for one that is not there, or for one that waits for it.
    A blocked task cannot start. Who changes the status or the owner of a task takes it from its worker.
    """
    was = {task.number: task for task in before.todos}
    tasks = {task.number: task for task in plan.todos}
    if was.keys() - tasks.keys() or before.dialect != dialect.name:
        tasks = {number: _without_gone(task, was, tasks) for number, task in tasks.items()}
    waiting: list[int] = []
    for number, task in tasks.items():
        old = was.get(number)
        if old is task:
            continue
        if (text := of(task, BLOCKED_BY)) and (old is None or of(old, BLOCKED_BY) != text):
            task = _waiting(task, tasks)
            waiting.append(number)
        if old is not None:
            task = _taken_over(old, task)
        tasks[number] = task
    _refuse_circles(waiting, tasks)
    draft.notes = (*draft.notes, *_judged(dialect, was, tasks))
    todos = tuple(tasks.values())
    return plan if todos == plan.todos else replace(plan, todos=todos)


def _without_gone(task: Todo, was: Tasks, tasks: Tasks) -> Todo:
    """The task, which waits no more for those that were there and are not."""
    waits = blockers(task)
    if not waits or all(each in tasks for each in waits):
        return task
    old = was.get(task.number)
    if old is None or of(old, BLOCKED_BY) != of(task, BLOCKED_BY):  # somebody says so now
        return with_blockers(task, [each for each in waits if each in tasks or each not in was])
    return with_blockers(task, [each for each in waits if each in tasks])


def _waiting(task: Todo, tasks: Tasks) -> Todo:
    """The task with its new blockers in order; raises `Refused` where one of them is no task."""
    names = of(task, BLOCKED_BY).replace(",", " ").replace("#", " ").split()
    for name in names:
        if not (name.isdecimal() and len(name) < 13 and int(name) in tasks):
            raise unknown([each for each in tasks.values() if each.number != task.number], name)
    return with_blockers(task, map(int, names))


def _refuse_circles(waiting: Sequence[int], tasks: Tasks) -> None:
    """Raise `Refused` if one of these tasks waits for another that waits for it."""
    if len(waiting) > 1 and _can_be_done(tasks):
        return
    for number in waiting:
        for each in blockers(tasks[number]):
            if number == each or number in _before(tasks, each):
                raise Refused(Issue("cycle", field=f"#{number}", value=f"#{each}"))


def _can_be_done(tasks: Tasks) -> bool:
    """Whether there is an order of all tasks in which none waits for a later one."""
    left = {number: len(set(blockers(task))) for number, task in tasks.items()}
    waiting: dict[int, list[int]] = {}
    for number, task in tasks.items():
        for each in set(blockers(task)):
            waiting.setdefault(each, []).append(number)
    ready = [number for number, count in left.items() if not count]
    for number in ready:  # which grows
        for each in waiting.get(number, ()):
            left[each] -= 1
            if not left[each]:
                ready.append(each)
    return len(ready) == len(tasks)


def _before(tasks: Tasks, number: int) -> Iterator[int]:
    """The numbers of all tasks that a task waits for, however far."""
    left, seen = blockers(tasks[number]), set[int]()
    while left:
        each = left.pop()
        if each not in seen and each in tasks:
            seen.add(each)
            yield each
            left += blockers(tasks[each])


def _taken_over(old: Todo, task: Todo) -> Todo:
    """The task after a change by somebody who is not its worker; one that waits again is free."""
    lease, owner = of(task, LEASE), of(task, OWNER)
    if not lease or lease != of(old, LEASE):
        return task
    kept = owner == of(old, OWNER)
    if kept and task.status == old.status:
        return task
    if kept and task.status == "pending":
        task = with_text(task, OWNER, "")
    return with_text(task, LEASE, "")


def _judged(dialect: Dialect, was: Tasks, tasks: Tasks) -> list[str]:
    """What is to be said of tasks that start while others block them; raises `Refused` where they may not."""
    verdict = dialect.transitions.get("blocked", "refuse")
    started = [task for task in tasks.values() if _starts(was.get(task.number), task)]
    if verdict == "allow" or not started:
        return []
    still_open, notes = open_numbers(tasks.values()), list[str]()
    for task in started:
        waits = _named([each for each in blockers(task) if each in still_open])
        if waits and verdict == "refuse":
            raise Refused(Issue("blocked", field=f"#{task.number}", value=waits))
        if waits:
            notes.append(f"note: task #{task.number} is blocked by {waits}")
    return notes


def _starts(old: Todo | None, task: Todo) -> bool:
    begun = ("in_progress", "completed")
    return task.status in begun and (old is None or old.status not in begun)


def _named(numbers: Sequence[int]) -> str:
    return ", ".join(f"#{number}" for number in numbers)
