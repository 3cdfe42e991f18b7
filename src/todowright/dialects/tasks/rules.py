"""What holds for tasks whoever changes them: a model, a worker, a program, a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from todowright.dialects.call import Draft
from todowright.dialects.dialect import Dialect
from todowright.dialects.tasks.model import (
    BLOCKED_BY,
    LEASE,
    MOST_WAITS,
    OWNER,
    blockers,
    count_waits,
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
    _refuse_too_many(waiting, tasks)
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


def _refuse_too_many(waiting: Sequence[int], tasks: Tasks) -> None:
    """Raise `Refused` if all tasks together wait for too many others."""
    if waiting and (waits := count_waits(tasks.values())) > MOST_WAITS:
        raise Refused(Issue("too_many", field=BLOCKED_BY, value=str(waits), limit=MOST_WAITS))


def _refuse_circles(waiting: Sequence[int], tasks: Tasks) -> None:
    """Raise `Refused` if one of these tasks waits for another that waits for it. Every task is looked at once."""
    done: set[int] = set()
    for start in waiting:
        path: dict[
            int, list[int]
        ] = {}  # the tasks from the start on, and what is left to look at of each
        at = start
        while True:
            if at not in done and at not in path:
                path[at] = [each for each in reversed(blockers(tasks[at])) if each in tasks]
            if not path:
                break
            last = next(reversed(path))
            if not path[last]:
                done.add(last)
                del path[last]
                continue
            at = path[last].pop()
            if at in path:
                _refuse_circle(list(path)[list(path).index(at) :], waiting)


def _refuse_circle(circle: list[int], waiting: Sequence[int]) -> None:
    """Raise `Refused` for tasks that wait for each other, each for the next, by what one of these came to wait for."""
    number = next((each for each in waiting if each in circle), None)
    if number is not None:
        following = circle[(circle.index(number) + 1) % len(circle)]
        raise Refused(Issue("cycle", field=f"#{number}", value=f"#{following}"))


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
