"""A run that ends before its end goes on where it was."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.agent.provider import Provider, Say, calls
from tests.agent.test_compaction import STEPS, WINDOW
from tests.requirements import requirement
from todowright import TodoWrite
from todowright.agent import Agent, ScriptedModel, events
from todowright.agent.transcript import INTERRUPTED
from todowright.errors import StoreError


class Resumer:
    """A mind without a memory: it looks at what it is sent, and does the next thing."""

    def __init__(self) -> None:
        self.chance = random.Random(7)
        self.asked = 0

    def __call__(self, request: dict[str, Any]) -> Say:
        self.asked += 1
        body = json.dumps(request["messages"], ensure_ascii=False)
        if '"steps"' not in body and "<plan>" not in body and " - NOW" not in body:
            return calls(
                ("plan", {"steps": [f"Step {n} of the work" for n in range(1, STEPS + 1)]})
            )
        if self.asked % 6:
            lines = self.chance.randrange(200, 1500)
            return calls(("bash", {"command": f"seq {lines}; sleep 0.01"}))
        tail = json.dumps(request["messages"][-1])
        now = tail.partition(" - NOW")[0].rpartition(". Step ")[2].split(" ")[0]
        return calls(("done", {"step": int(now)})) if now.isdigit() else Say("All done.")


@requirement("003-10")
@pytest.mark.parametrize("kills", [3, pytest.param(30, marks=pytest.mark.soak)])
def test_a_run_that_is_killed_at_any_moment_goes_on_each_time_with_the_acknowledged_plan(
    tmp_path: Path, kills: int
) -> None:
    provider = Provider(Resumer(), window=WINDOW, chunk=999)
    (tmp_path / "work").mkdir()
    log = tmp_path / "acknowledged"
    log.touch()
    chance = random.Random(11)
    environ = os.environ | provider.environ("anthropic")
    worker = [sys.executable, "-m", "tests.agent.worker", str(tmp_path)]
    try:
        for attempt in range(kills):
            name = f"m{attempt}"  # the model's name tells which process asks
            command = [*worker, f"anthropic:{name}", str(log)]
            process = subprocess.Popen(command, env=environ, start_new_session=True)
            while not (provider.asked_of(name) and log.read_text()):
                assert process.poll() is None
                time.sleep(0.005)
            time.sleep(chance.random() * 0.25)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            plan = TodoWrite("lean", store=f"sqlite:///{tmp_path}/plans.db", session="long").plan
            said = [line for line in log.read_text().splitlines() if line.isdigit()]
            assert plan.revision >= int(said[-1] if said else 0), "what was acknowledged is there"
            first = json.dumps(provider.asked_of(name)[0]["messages"])
            assert attempt == 0 or ("Go on." in first and " - NOW" in first)
        assert provider.refused == []
    finally:
        provider.close()


def lean(folder: Path) -> TodoWrite:
    return TodoWrite("lean", store=f"sqlite:///{folder}/plans.db", session="s")


def run(folder: Path, script: list[Any], task: str, **options: Any) -> list[Any]:
    agent = Agent(
        ScriptedModel(script),
        folder=folder,
        todo=lean(folder),
        transcript=folder / "s.jsonl",
        **options,
    )
    try:
        return list(agent.run(task))
    finally:
        agent.close()


def test_what_was_done_of_a_batch_that_is_stopped_is_kept_and_the_rest_told(tmp_path: Path) -> None:
    script = [
        {"calls": [["bash", {"command": "echo receipt 42"}], ["bash", {"command": "sleep 9"}]]}
    ]
    agent = Agent(ScriptedModel(script), folder=tmp_path)
    run = agent.run("Pay")
    for event in run:
        if isinstance(event, events.Observation):
            run.close()

    results = agent.messages[-1]["content"]
    assert [block["content"] for block in results] == ["receipt 42", INTERRUPTED]


def test_calls_that_nobody_answered_are_answered_when_it_goes_on(tmp_path: Path) -> None:
    run(tmp_path, [{"text": "Hello."}], "One")
    call = {"type": "tool_use", "id": "c1", "name": "bash", "input": {"command": "true"}}
    with (tmp_path / "s.jsonl").open("a") as file:  # as a crash in the middle of a call leaves it
        for message in (
            {"role": "user", "content": [{"type": "text", "text": "Two"}]},
            {"role": "assistant", "content": [call]},
        ):
            file.write(json.dumps({"message": message}) + "\n")
    seen: list[Any] = []

    def look(request: Any) -> dict[str, str]:
        seen.extend(request.messages)
        return {"text": "Done."}

    run(tmp_path, [look], "")

    assert seen[-1]["content"][0]["content"] == INTERRUPTED
    assert seen[-1]["content"][1] == {"type": "text", "text": "Go on."}


def test_a_run_that_is_stopped_goes_on_with_the_plan(tmp_path: Path) -> None:
    first = Agent(
        ScriptedModel(
            [
                {"calls": [["plan", {"steps": ["One", "Two"]}]]},
                {"calls": [["bash", {"command": "echo a"}], ["done", {"step": 1}]]},
            ]
        ),
        folder=tmp_path,
        todo=lean(tmp_path),
        transcript=tmp_path / "s.jsonl",
    )
    for event in first.run("Do two things"):
        if isinstance(event, events.Observation) and event.tool == "done":
            break  # the plan is kept, its reply is not
    first.close()
    requests: list[Any] = []

    def look(request: Any) -> dict[str, Any]:
        requests.append(request)
        return {"calls": [["done", {"step": 2}]]}

    happened = run(tmp_path, [look, {"text": "Done."}], "")

    started, end = happened[0], happened[-1]
    assert started.resumed
    last = requests[0].messages[-1]["content"]
    assert [block.get("content") for block in last[:2]] == ["a", "1/2 done. Now: Two"]
    assert last[2] == {"type": "text", "text": "Go on."}
    assert "1 of 2 done" in requests[0].tail[0]
    assert end.plan.finished


def test_a_last_line_that_a_crash_cut_off_is_dropped(tmp_path: Path) -> None:
    run(tmp_path, [{"text": "Hello."}], "One")
    path = tmp_path / "s.jsonl"
    path.write_bytes(path.read_bytes() + b'{"message": {"role": "user", "content": [{"ty')
    seen: list[Any] = []

    def look(request: Any) -> dict[str, str]:
        seen.extend(request.messages)
        return {"text": "Again."}

    happened = run(tmp_path, [look], "Two")

    assert happened[-1].text == "Again."
    assert [message["role"] for message in seen] == ["user", "assistant", "user"]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) == 4


@pytest.mark.parametrize(
    "line", ["5", "null", '{"message": {"role": "user"}}', '{"message": null}', "# Notes"]
)
def test_a_file_that_is_no_transcript_or_a_damaged_one_is_left_as_it_is(
    tmp_path: Path, line: str
) -> None:
    run(tmp_path, [{"text": "Hello."}], "One")
    path = tmp_path / "s.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], line, *lines[1:]]) + "\n")
    before = path.read_bytes()

    with pytest.raises(StoreError, match=r"s\.jsonl is no transcript, or damaged, at line 2"):
        Agent(ScriptedModel([]), folder=tmp_path, transcript=path)

    assert path.read_bytes() == before


def test_a_store_that_cannot_be_read_ends_the_run_with_one_line(tmp_path: Path) -> None:
    (tmp_path / "plans.db").write_text("this is no database, " * 100)
    agent = Agent(ScriptedModel([]), folder=tmp_path, todo=lean(tmp_path))

    (end,) = list(agent.run("One"))

    assert isinstance(end, events.Ended)
    assert end.reason == "error"


def test_a_session_that_another_process_runs_is_left_alone(tmp_path: Path) -> None:
    agent = Agent(ScriptedModel([]), folder=tmp_path, transcript=tmp_path / "s.jsonl")
    try:
        with pytest.raises(StoreError, match="session s is being run by another process"):
            Agent(ScriptedModel([]), folder=tmp_path, transcript=tmp_path / "s.jsonl")
    finally:
        agent.close()


def test_the_whole_transcript_stays_on_disk_and_the_context_after_it_is_the_small_one(
    tmp_path: Path,
) -> None:
    from todowright.agent import Limits

    bash = {"calls": [["bash", {"command": "seq 3000"}]]}
    limits = Limits(window=20_000, max_tokens=2000)
    run(tmp_path, [*[bash] * 12, {"text": "Ok."}], "Read", limits=limits)
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]

    assert sum("message" in line for line in lines) == 1 + 12 * 2 + 1
    assert sum("context" in line for line in lines) > 1
    agent = Agent(ScriptedModel([]), folder=tmp_path, transcript=tmp_path / "s.jsonl")
    assert len(json.dumps(agent.messages)) < 60_000
    agent.close()


def test_what_a_crashed_sub_agent_left_is_cleared_away(tmp_path: Path) -> None:
    run(tmp_path, [{"text": "Hello."}], "One")
    orphan = TodoWrite(
        "lean", store=f"sqlite:///{tmp_path}/plans.db", session="s", agent="main/step-1-abcd"
    )
    orphan({"steps": ["Left behind"]})

    run(tmp_path, [{"text": "Hello."}], "Two")

    (ended,) = orphan.store.plans("s")
    assert (ended.todos, ended.ended) == ((), "interrupted, 0 of 1 done")


def test_a_full_disk_ends_the_run_with_one_line(tmp_path: Path) -> None:
    agent = Agent(ScriptedModel([{"text": "x"}]), folder=tmp_path, transcript=tmp_path / "s.jsonl")
    run = agent.run("One")
    next(run)

    before = (tmp_path / "s.jsonl").read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, hard))
    try:
        *_, end = run
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    agent.close()
    assert isinstance(end, events.Ended)
    assert (end.reason, end.text) == (
        "error",
        "the transcript could not be written: File too large",
    )
    assert (tmp_path / "s.jsonl").read_bytes() == before  # no half line
