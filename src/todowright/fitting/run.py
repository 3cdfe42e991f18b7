"""Asks a model, stage by stage, with a history in which every earlier call was right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from todowright.dialects.dialect import Tool
from todowright.errors import TodowrightError
from todowright.fitting.forms import Call, Form
from todowright.fitting.judge import Outcome, Said, judged
from todowright.fitting.stages import STAGES, Deed, Row, Stage, finished, request
from todowright.fitting.tasks import Task
from todowright.tool.todowrite import TodoWrite

WORK = Tool(
    "work",
    "Does a piece of the work and tells how it went.",
    {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]},
)
SYSTEM = "You work for the user with tools. Keep the plan up to date with the tools that are there for it."
MOST_FAILURES = 3
"""So many questions in a row without an answer end a run."""


class NoAnswer(TodowrightError):
    """A question got no answer: too late, or the server stumbled. The next one may."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is given: messages in the form of the Messages API."""

    system: str
    messages: list[dict[str, Any]]
    tools: tuple[Tool, ...]


Ask = Callable[[Question], Said]
"""Asks the model; raises `NoAnswer` where another question may be answered."""


@dataclass(frozen=True, slots=True)
class Result:
    """One question, and what became of it."""

    dialect: str
    stage: str
    task: int
    trade: str
    outcome: Outcome | Literal["unanswered"]
    faults: tuple[str, ...] = ()
    said: Said = field(default_factory=Said)
    replies: tuple[str, ...] = ()


class Scene:
    """The work up to a stage, as the model would remember it, and the plan that stands."""

    def __init__(self, form: Form, task: Task, stage: Stage) -> None:
        self.form = form
        self.todo: TodoWrite = form.todo()
        self.rows: tuple[Row, ...] = ()
        says, self.deed = stage.moment(task)
        self._messages: list[dict[str, Any]] = []
        self._calls = 0
        past = [Deed("plan", texts=task.steps), Deed("done", (0,))][: stage.before]
        for place, deed in enumerate(past):
            self._say(request(task) if place == 0 else finished(task.steps[place - 1]))
            self._keep_plan(deed)
            self._call(
                (WORK.name, {"what": task.steps[place]}), f"Done: {task.steps[place]}. It is good."
            )
        self._say(says)

    @property
    def question(self) -> Question:
        prompt = self.form.dialect.prompt
        system = f"{SYSTEM}\n\n{prompt}" if prompt else SYSTEM
        return Question(system, self._messages, (*self.form.tools, WORK))

    def _keep_plan(self, deed: Deed) -> None:
        name, arguments = self.form.call(deed, self.rows)
        (reply,) = self.todo.turn(self.form.plan_calls(name, arguments))
        if reply.is_error:
            raise TodowrightError(f"{self.form.name} refuses its own form: {reply.text}")
        self._call((name, arguments), reply.text)
        self.rows = deed.on(self.rows)

    def _call(self, call: Call, result: str) -> None:
        self._calls += 1
        name, arguments = call
        identity = f"call{self._calls:05}"  # nine letters and digits: some servers take no others
        use = {"type": "tool_use", "id": identity, "name": name, "input": arguments}
        told = {"type": "tool_result", "tool_use_id": identity, "content": result}
        self._messages.append({"role": "assistant", "content": [use]})
        self._messages.append({"role": "user", "content": [told]})

    def _say(self, text: str) -> None:
        words = {"type": "text", "text": text}
        if self._messages:  # behind the last result, in the same message
            self._messages[-1]["content"].append(words)
        else:
            self._messages.append({"role": "user", "content": [words]})


def results(
    forms: Sequence[Form], tasks: Iterable[Task], ask: Ask, stages: Sequence[Stage] = STAGES
) -> Iterator[Result]:
    """Ask every stage of every task in every dialect, task by task, so that a run cut short is fair."""
    failures = 0
    for number, task in enumerate(tasks, 1):
        for form in forms:
            for stage in stages:
                scene = Scene(form, task, stage)
                where = (form.name, stage.name, number, task.trade)
                try:
                    said = ask(scene.question)
                except NoAnswer as error:
                    yield Result(*where, "unanswered", (f"no answer: {error}",))
                    failures += 1
                    if failures == MOST_FAILURES:
                        raise
                    continue
                failures = 0
                verdict = judged(form, scene.todo, scene.rows, scene.deed, said)
                yield Result(*where, verdict.outcome, verdict.faults, said, verdict.replies)
