"""Scripted models for `todowright fit`: each knows the question and answers in its own way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from todowright.fitting.forms import Form, form_of
from todowright.fitting.run import Scene
from todowright.fitting.stages import STAGES, Deed, Stage
from todowright.fitting.tasks import Task, make_tasks

Line = dict[str, Any]
Scripted = Callable[[Form, Scene, Stage, Task], Line]


def always_right(form: Form, scene: Scene, stage: Stage, task: Task) -> Line:
    return {"calls": [form.call(scene.deed, scene.rows)]}


def finishes_the_current_step(form: Form, scene: Scene, stage: Stage, task: Task) -> Line:
    """Whatever it is told, once it has a plan."""
    if not scene.rows:
        return always_right(form, scene, stage, task)
    now = next(place for place, row in enumerate(scene.rows) if not row.done)
    return {"calls": [form.call(Deed("done", (now,)), scene.rows)]}


def answers_prose(form: Form, scene: Scene, stage: Stage, task: Task) -> Line:
    return {"text": "Certainly! I have updated the plan for you."}


def plans_only_what_is_new(form: Form, scene: Scene, stage: Stage, task: Task) -> Line:
    """Forgets what stood on the plan."""
    return {"calls": [form.call(Deed("plan", texts=task.spare), ())]}


def writes_its_call_as_text(form: Form, scene: Scene, stage: Stage, task: Task) -> Line:
    return {"text": '<tool_call>{"name": "plan", "arguments": {}}</tool_call>'}


def works_without_a_word_to_the_plan(form: Form, scene: Scene, stage: Stage, task: Task) -> Line:
    return {"calls": [("work", {"what": task.steps[0]})]}


def scenes(
    dialects: Sequence[str], tasks: int, seed: int
) -> Iterator[tuple[Form, Scene, Stage, Task]]:
    """The questions in the order in which they are asked."""
    forms = [form_of(name) for name in dialects]
    for task in make_tasks(tasks, seed):
        for form in forms:
            for stage in STAGES:
                yield form, Scene(form, task, stage), stage, task


def script(model: Scripted, dialects: Sequence[str], tasks: int = 1, seed: int = 1) -> list[Line]:
    """What a model answers, line by line."""
    return [model(*asked) for asked in scenes(dialects, tasks, seed)]
