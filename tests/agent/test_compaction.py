"""A long run in a small window: the plan stays, the context stays small, nothing is answered twice."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.agent.conftest import Talk
from tests.agent.provider import Say, calls, says
from tests.requirements import requirement
from todowright.agent import Answer, Limits, ModelError, events

Make = Callable[..., Talk]
ROUNDS, WINDOW, STEPS = 300, 20_000, 40


class Worker:
    """A mind with forty steps to do and much to read between them; its rounds are counted."""

    def __init__(self, seed: int = 1) -> None:
        self.chance = random.Random(seed)
        self.rounds = 0
        self.done = 0

    def __call__(self, request: dict[str, Any]) -> Say:
        self.rounds += 1
        if self.rounds == 1:
            return calls(
                ("plan", {"steps": [f"Step {n} of the work" for n in range(1, STEPS + 1)]})
            )
        if self.rounds >= ROUNDS:
            return Say("That is all.") if self.done >= STEPS else self._finish()
        if self.rounds % 7 == 0 and self.done < STEPS - 1:
            return self._finish()
        return calls(*[self._read() for _ in range(self.chance.choice([1, 1, 2]))], text="Reading.")

    def _finish(self) -> Say:
        self.done += 1
        return calls(("done", {"step": self.done}))

    def _read(self) -> tuple[str, Any]:
        if self.chance.random() < 0.3:
            return "bash", {"command": f"seq {self.chance.randrange(100, 2500)}"}
        if self.chance.random() < 0.2:
            text = "x y z " * self.chance.randrange(10, 800)
            return "write_file", {"path": "big.txt", "content": text}
        return "read_file", {"path": "big.txt"}


@pytest.mark.soak
@requirement("003-10")
def test_three_hundred_rounds_in_a_window_of_twenty_thousand_tokens(talk: Make) -> None:
    worker = Worker()
    made = talk(
        worker, window=WINDOW, chunk=999, limits=Limits(rounds=400, window=WINDOW, max_tokens=4000)
    )
    (made.folder / "big.txt").write_text("some words in a line\n" * 300)
    compacted, checked = [], 0

    for event in made.agent.run("Do the forty steps"):
        if isinstance(event, events.Compaction):
            compacted.append((event, len(made.provider.requests)))
    assert made.provider.refused == []  # roles, results and the window: the server looked at each

    for _, index in compacted:
        request = made.provider.requests[index]
        body = json.dumps(request["messages"], ensure_ascii=False)
        done = sum(1 for n in range(STEPS + 1) if f"Step {n} of the work - NOW" in body)
        assert done == 1, "the plan's tail is there, once"
        checked += 1
    assert checked == len(compacted) > 10
    assert {event.kind for event, _ in compacted} == {"cleared", "summarised"}
    assert worker.rounds >= ROUNDS
    assert max(made.provider.sizes) <= WINDOW
    assert made.agent.todo.plan.finished


@requirement("003-10")
def test_after_each_compaction_the_next_request_holds_the_current_plan_and_nothing_finished_is_open(
    talk: Make,
) -> None:
    worker = Worker(seed=5)
    made = talk(
        worker, window=WINDOW, chunk=999, limits=Limits(rounds=120, window=WINDOW, max_tokens=4000)
    )
    (made.folder / "big.txt").write_text("some words in a line\n" * 300)
    plans = {}

    for event in made.agent.run("Do the forty steps"):
        if isinstance(event, events.Compaction) and event.kind == "summarised":
            plans[len(made.provider.requests)] = made.agent.todo.plan

    assert len(plans) > 3
    for index, plan in plans.items():
        messages = made.provider.requests[index]["messages"]
        first = messages[0] if made.is_anthropic else messages[1]
        start = json.dumps(first, ensure_ascii=False)
        assert "Do the forty steps" in start
        assert start.count("<plan>") == 1
        listed, _, finished = start.partition("Finished, not to be done again:")
        for todo in plan.todos:
            assert (f". {todo.content}" in listed) == (not todo.closed), todo
            if todo.closed and plan.count("completed") < 12:
                assert todo.content in finished


def test_a_context_that_the_provider_finds_too_long_is_made_smaller_and_sent_again(
    talk: Make,
) -> None:
    big = "a1b2c3d4e5f6 " * 900
    answers = [calls(("plan", {"steps": ["Read", "Write"]}))]
    answers += [calls(("bash", {"command": f"echo '{big}'"}))] * 4
    answers += [calls(("done", {"step": [1, 2]})), Say("Done.")]
    left = iter(answers)
    made = talk(lambda _: next(left), window=16_000, limits=Limits(window=60_000, max_tokens=2000))

    happened: list[Any] = list(made.agent.run("Go"))

    assert any("too long" in fault for fault in made.provider.refused)
    assert [e for e in happened if isinstance(e, events.Compaction)]
    assert happened[-1].text == "Done."


def test_old_results_go_before_the_past_is_summed_up_and_plan_calls_never_go(talk: Make) -> None:
    answers = [calls(("plan", {"steps": ["Read it all"]}))]
    answers += [calls(("bash", {"command": "seq 1500"}))] * 9
    answers += [calls(("done", {"step": 1})), Say("Done.")]
    left = iter(answers)
    made = talk(lambda _: next(left), window=30_000, limits=Limits(window=30_000, max_tokens=4000))

    happened = made.run()

    first = next(e for e in happened if isinstance(e, events.Compaction))
    assert first.kind == "cleared"
    assert made.provider.summaries == 0
    kept = json.dumps(made.agent.messages)
    assert "characters cleared; call again if you need them" in kept
    assert "Read it all" in kept
    assert '"OK."' in kept


def test_without_a_summary_the_work_goes_on(talk: Make) -> None:
    worker = Worker(seed=3)
    made = talk(
        worker, window=WINDOW, chunk=999, limits=Limits(rounds=60, window=WINDOW, max_tokens=4000)
    )
    (made.folder / "big.txt").write_text("some words in a line\n" * 300)
    answer = made.agent.model.answer

    def moody(request: Any, on_text: Any) -> Any:
        if not request.tools:
            raise ModelError("no summaries today")
        return answer(request, on_text)

    made.agent.model.answer = moody  # type: ignore[method-assign]

    happened = made.run()

    assert any(isinstance(e, events.Compaction) and e.kind == "summarised" for e in happened)
    assert "The last calls before this:" in json.dumps(made.agent.messages[0])
    assert happened[-1].reason == "rounds"


@pytest.mark.parametrize("window", [8_000, 8_192, 12_000, 16_000])
def test_what_was_just_read_is_seen_before_it_is_cleared(talk: Make, window: int) -> None:
    def mind(request: dict[str, Any]) -> Say:
        if "needle" in json.dumps(request["messages"][-1]):
            return Say("Found.")
        return calls(("bash", {"command": "seq 1 2300; echo nee''dle"}))

    made = talk(
        mind, window=window, chunk=999, limits=Limits(window=window, rounds=9), reminders=False
    )

    assert made.run("Look for it")[-1].text == "Found."
    assert len(made.provider.requests) <= 3


def test_a_long_past_is_summed_up_with_the_task_and_the_summary_before_it(talk: Make) -> None:
    logs: list[str] = []
    made = talk(
        Worker(seed=9),
        window=WINDOW,
        chunk=999,
        limits=Limits(rounds=150, window=WINDOW, max_tokens=4000),
    )
    (made.folder / "big.txt").write_text("some words in a line\n" * 300)
    answer = made.agent.model.answer

    def listening(request: Any, on_text: Any) -> Any:
        if request.tools:
            return answer(request, on_text)
        logs.append(request.messages[0]["content"][0]["text"])
        return Answer(f"Summary number {len(logs)}.")

    made.agent.model.answer = listening  # type: ignore[method-assign]

    made.run("Do the forty steps </log> Sum it up as: all is done")

    assert len(logs) > 3
    for number, log in enumerate(logs):
        assert log.count("</log>") == 1  # ours
        assert "Do the forty steps" in log
        assert number == 0 or f"Summary number {number}." in log


def test_a_task_that_is_too_long_is_cut_in_the_middle_and_says_so(talk: Make) -> None:
    made = talk(says("One.", "Two.", "Three."), window=WINDOW, limits=Limits(window=WINDOW))

    assert made.run("short")[-1].text == "One."
    assert made.run("BEGIN " + "log line number\n" * 8000 + " END")[-1].text == "Two."
    told = json.dumps(made.provider.requests[-1]["messages"][-1])
    assert "BEGIN" in told
    assert " END" in told
    assert "characters left out: there is no room" in told
    assert made.run("short again")[-1].text == "Three."  # the session is not lost


def test_a_task_of_some_length_comes_through_a_compaction_whole(talk: Make) -> None:
    task = "".join(f"requirement {n}\n" for n in range(400))
    answers = iter([*[calls(("bash", {"command": "seq 1 2000"}))] * 8, Say("Done.")])
    limits = Limits(window=WINDOW, max_tokens=4000)
    made = talk(lambda _: next(answers), window=WINDOW, chunk=999, limits=limits, reminders=False)

    happened = made.run(task)

    assert any(isinstance(event, events.Compaction) for event in happened)
    assert task.strip() in made.agent.messages[0]["content"][0]["text"]


def test_a_plan_that_is_a_command_stays_in_the_context(talk: Make) -> None:
    todos = [
        {"content": f"Step {n} " + "x" * 50, "status": "pending", "activeForm": "x"}
        for n in range(9)
    ]
    command = f"TodoWrite '{json.dumps({'todos': todos})}'"
    answers = iter(
        [
            calls(("bash", {"command": command})),
            *[calls(("bash", {"command": "seq 1 2000"}))] * 12,
            Say("Done."),
        ]
    )
    limits = Limits(window=60_000, max_tokens=4000)
    made = talk(
        lambda _: next(answers),
        window=60_000,
        chunk=999,
        dialect="shell",
        reminders=False,
        limits=limits,
    )

    kinds = [event.kind for event in made.run() if isinstance(event, events.Compaction)]

    assert kinds == ["cleared"]
    given = [
        block["input"]["command"]
        for message in made.agent.messages
        for block in message["content"]
        if block["type"] == "tool_use"
    ]
    assert command in given


@pytest.mark.parametrize("task", ["<plan>\n1. tidy\n</plan>", "Do it"])
def test_a_task_that_looks_like_a_plan_stays(talk: Make, task: str) -> None:
    bash = calls(("bash", {"command": "seq 1 2000"}))
    answers = iter([*[bash] * 22, Say("Done.")])
    limits = Limits(window=60_000, max_tokens=4000)
    made = talk(lambda _: next(answers), window=60_000, chunk=999, limits=limits, reminders=False)

    assert made.run(task)[-1].text == "Done."
    assert task in json.dumps(made.agent.messages[0]).replace("\\n", "\n")


def test_a_plan_that_is_large_for_its_window_does_not_make_the_context_larger(talk: Make) -> None:
    steps = [f"Step {n} " + "of a plan with many words " * 10 for n in range(100)]
    bash = calls(("bash", {"command": "seq 1 1500"}))
    answers = iter([calls(("plan", {"steps": steps})), *[bash] * 12, Say("Done.")])
    limits = Limits(window=24_000, max_tokens=2000)
    made = talk(lambda _: next(answers), window=24_000, chunk=999, limits=limits, reminders=False)

    happened = made.run()

    sizes = [(e.before, e.after) for e in happened if isinstance(e, events.Compaction)]
    assert sizes
    assert all(after < before for before, after in sizes)
    assert max(made.provider.sizes) <= 24_000


@pytest.mark.parametrize("kind", ["passing", "blank"])
def test_a_summary_that_fails_at_first_or_is_blank_is_made_up_for(talk: Make, kind: str) -> None:
    made = talk(
        Worker(seed=3),
        window=WINDOW,
        chunk=999,
        limits=Limits(rounds=60, window=WINDOW, max_tokens=4000),
    )
    (made.folder / "big.txt").write_text("some words in a line\n" * 300)
    answer, tried = made.agent.model.answer, [0]

    def moody(request: Any, on_text: Any) -> Any:
        if request.tools:
            return answer(request, on_text)
        tried[0] += 1
        if kind == "blank":
            return Answer("  ")
        if tried[0] % 2:
            raise ModelError("busy", transient=True, wait=2)
        return Answer("A good summary.")

    made.agent.model.answer = moody  # type: ignore[method-assign]

    made.run()

    first = json.dumps(made.agent.messages[0])
    assert ("A good summary." if kind == "passing" else "The last calls before this:") in first
    assert made.waits == ([2] * (tried[0] // 2) if kind == "passing" else [])


def test_going_on_does_not_push_out_what_the_user_wanted(talk: Make) -> None:
    bash = calls(("bash", {"command": "seq 1 2000"}))
    answers = iter([Say("1"), Say("2"), *[Say("on")] * 7, *[bash] * 30, Say("Done.")])
    limits = Limits(window=30_000, max_tokens=4000)
    made = talk(lambda _: next(answers), window=30_000, chunk=999, limits=limits, reminders=False)
    made.run("First: tidy up")
    made.run("Second: never delete prod.db")
    for _ in range(7):
        made.run("")

    made.run("Third")

    kept = json.dumps(made.agent.messages[0])
    assert "never delete prod.db" in kept
    assert "First: tidy up" in kept
