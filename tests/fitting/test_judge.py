"""The judge of `todowright fit`, over all tasks that a seed can make."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fitting import models
from todowright.fitting.forms import form_of
from todowright.fitting.judge import Made, Said, Verdict, judged, tells
from todowright.fitting.run import Scene
from todowright.fitting.stages import STAGES, Deed, Stage
from todowright.fitting.tasks import TRADES, Task, active_form, make_tasks
from todowright.names import DIALECTS

seeds = st.integers(-(2**40), 2**40)
dialects = st.sampled_from(DIALECTS)
tasks = seeds.map(lambda seed: make_tasks(1, seed)[0])


def verdict(model: models.Scripted, dialect: str, stage: int, task: Task) -> Verdict:
    form = form_of(dialect)
    scene = Scene(form, task, STAGES[stage])
    line = model(form, scene, STAGES[stage], task)
    calls = tuple(Made(name, arguments) for name, arguments in line.get("calls", ()))
    said = Said(line.get("text", ""), calls)
    return judged(form, scene.todo, scene.rows, scene.deed, said)


stage_numbers = st.integers(0, len(STAGES) - 1)


@given(dialects, stage_numbers, tasks)
def test_the_right_call_is_judged_right(dialect: str, stage: int, task: Task) -> None:
    assert verdict(models.always_right, dialect, stage, task).outcome == "right"


@given(dialects, stage_numbers, tasks)
def test_prose_is_wrong_and_does_no_harm(dialect: str, stage: int, task: Task) -> None:
    found = verdict(models.answers_prose, dialect, stage, task)
    assert (found.outcome, found.faults) == ("wrong", ("no call",))


@given(dialects, stage_numbers, tasks)
def test_finishing_the_current_step_is_right_only_where_that_was_meant(
    dialect: str, stage: int, task: Task
) -> None:
    found = verdict(models.finishes_the_current_step, dialect, stage, task)
    name = STAGES[stage].name
    if name in ("plan", "first", "second"):
        assert found.outcome == "right"
    elif name == "two at once":
        assert (found.outcome, found.faults) == ("wrong", ("a step is not finished",))
    else:
        assert found.outcome == "harm"
        assert "finished a step that was not meant" in found.faults


@given(dialects, st.integers(1, len(STAGES) - 1), tasks)
def test_a_plan_that_forgets_the_open_steps_is_harm(dialect: str, stage: int, task: Task) -> None:
    found = verdict(models.plans_only_what_is_new, dialect, stage, task)
    if dialect == "lean":  # which asks twice
        assert (found.outcome, found.faults) == ("wrong", ("refused: drops",))
    else:
        assert found.outcome == "harm"
        assert "lost an open step" in found.faults


@given(dialects, tasks, st.permutations(STAGES[2:]))
def test_a_right_call_for_another_deed_is_not_right(
    dialect: str, task: Task, some: list[Stage]
) -> None:
    asked, answered = some[:2]
    form = form_of(dialect)
    scene = Scene(form, task, asked)
    _, other = answered.moment(task)
    call = form.call(other, scene.rows)
    found = judged(form, scene.todo, scene.rows, scene.deed, Said(calls=(Made(*call),)))
    assert found.outcome != "right"
    assert found.faults


@given(seeds, st.integers(0, 12))
def test_a_seed_makes_the_same_tasks_always_and_each_step_can_be_told_from_the_others(
    seed: int, count: int
) -> None:
    made = make_tasks(count, seed)
    assert made == make_tasks(count, seed)
    assert made == make_tasks(count + 3, seed)[:count]
    assert len({task.trade for task in made}) == min(count, len(TRADES))
    for task in made:
        texts = [*task.steps, *task.spare]
        assert 4 <= len(task.steps) <= 6
        for text in texts:
            assert [other for other in texts if tells(text, other)] == [text]
            assert len(text) <= 60  # what the strictest dialect takes
            assert not active_form(text).startswith("Doing")


@given(dialects, stage_numbers, tasks, st.text(max_size=40), st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)))  # fmt: skip
@settings(max_examples=50)
def test_whatever_a_model_calls_is_judged_and_nothing_raises(
    dialect: str, stage: int, task: Task, name: str, arguments: object
) -> None:
    form = form_of(dialect)
    scene = Scene(form, task, STAGES[stage])
    names = [name, *(tool.name for tool in form.tools)]
    command = {"command": f"TodoWrite {arguments!r} && rm -r {name}"}
    said = Said(calls=tuple(Made(each, given) for each in names for given in (arguments, command)))
    found = judged(form, scene.todo, scene.rows, scene.deed, said)
    assert found.outcome != "right"


def at(dialect: str, stage: str) -> tuple[Scene, Task]:
    (task,) = make_tasks(1, 1)
    (found,) = [each for each in STAGES if each.name == stage]
    return Scene(form_of(dialect), task, found), task


@pytest.mark.parametrize(
    ("stage", "deed", "fault"),
    [
        ("insert", "add", "a step in the wrong place"),
        ("first", "plan", "nothing changed"),
        ("drop", "twice", "more steps than meant"),
        ("add", "reopened", "opened a finished step"),
        ("add", "left out", "left out a finished step"),
    ],
)
def test_the_fault_is_named(stage: str, deed: str, fault: str) -> None:
    scene, task = at("checklist", stage)
    rows = list(scene.rows)
    made = {
        "add": Deed("add", texts=task.spare[:1]).on(rows),
        "plan": rows,
        "twice": [*rows, rows[-1]],
        "reopened": Deed("plan", texts=(*task.steps, task.spare[0])).on(()),
        "left out": Deed("add", texts=task.spare[:1]).on(rows[1:]),
    }[deed]
    call = scene.form.call(Deed("drop", (99,)), made)
    found = judged(scene.form, scene.todo, scene.rows, scene.deed, Said(calls=(Made(*call),)))
    assert found.outcome == "wrong"
    assert fault in found.faults


def test_a_new_step_may_be_said_in_other_words_and_an_old_one_a_little_shorter() -> None:
    scene, task = at("checklist", "add")
    rows = list(scene.deed.on(scene.rows))
    name, arguments = scene.form.call(Deed("drop", (99,)), rows)
    arguments["items"][-1]["content"] = f"Also, please: {task.spare[0].upper()} (new)"
    said = Said(calls=(Made(name, arguments),))
    assert judged(scene.form, scene.todo, scene.rows, scene.deed, said).outcome == "right"


@pytest.mark.parametrize(
    ("model", "fault"),
    [
        (models.writes_its_call_as_text, "a call written as text"),
        (models.works_without_a_word_to_the_plan, "another tool, no plan call"),
    ],
)
def test_an_answer_without_a_plan_call_is_told_apart(model: models.Scripted, fault: str) -> None:
    (task,) = make_tasks(1, 1)
    assert verdict(model, "lean", 1, task).faults == (fault,)


def test_a_call_that_cannot_be_read_and_one_that_is_refused_are_named() -> None:
    scene, _ = at("lean", "first")
    broken = Said(calls=(Made("done", {}, "invalid JSON"),))
    found = judged(scene.form, scene.todo, scene.rows, scene.deed, broken)
    assert found.faults == ("a call that cannot be read",)
    refused = Said(calls=(Made("done", {"step": 99}),))
    found = judged(scene.form, scene.todo, scene.rows, scene.deed, refused)
    assert found.outcome == "wrong"
    assert found.faults == ("refused: no_step",)
    assert found.replies


def test_a_command_line_is_read_and_never_run(tmp_path: Path) -> None:
    scene, _ = at("shell", "first")
    name, arguments = scene.form.call(scene.deed, scene.rows)
    line = f"touch {tmp_path}/made && {arguments['command']} && touch {tmp_path}/made"
    said = Said(calls=(Made(name, {"command": line}),))
    assert judged(scene.form, scene.todo, scene.rows, scene.deed, said).outcome == "right"
    assert not list(tmp_path.iterdir())
