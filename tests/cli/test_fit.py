"""`todowright fit`, as a person and as a program run it, against models that follow a script."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agent.provider import Mind, Provider, Say, calls
from tests.cli.terminal import BIN, Terminal
from tests.fitting import models
from todowright.agent.providers import ModelError
from todowright.agent.providers.failures import in_time
from todowright.cli import main
from todowright.fitting.stages import Deed, Row
from todowright.names import DIALECTS

COMMAND = [sys.executable, "-m", "todowright", "fit"]
Script = Callable[..., str]


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """Writes what a scripted model answers and gives its name; the test stands in a folder of its own."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    for key in ("TODOWRIGHT_MODEL", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(key, raising=False)

    def write(model: models.Scripted, *dialects: str, tasks: int = 1, seed: int = 1) -> str:
        path = tmp_path / "script.jsonl"
        lines = models.script(model, dialects, tasks, seed)
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        return f"scripted:{path}"

    return write


def fitted(model: str, *options: str) -> dict[str, Any]:
    """The JSON report of a run that came to its end."""
    assert main(["fit", "--model", model, "--tasks", "1", "--json", "fit.json", *options]) == 0
    found: dict[str, Any] = json.loads(Path("fit.json").read_text("utf-8"))
    return found


def written() -> list[str]:
    """The files that there are now."""
    return sorted(path.name for path in Path.cwd().iterdir())


def test_a_model_that_is_always_right_is_told_so_in_every_dialect(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    model = script(models.always_right, *DIALECTS, tasks=2)
    found = fitted(model, "--tasks", "2", "--out", "fit.md")
    assert {row["dialect"] for row in found["dialects"]} == set(DIALECTS)
    for row in found["dialects"]:
        assert (row["asked"], row["right"], row["wrong"], row["harm"]) == (18, 18, 0, 0)
        assert row["faults"] == {}
    assert found["dialects"][0]["dialect"] == "lean"  # the fewest tokens, where all are right
    out, err = capsys.readouterr()
    assert out == Path("fit.md").read_text("utf-8")
    assert "lean fits best: 18 of 18 right, 0 harmful." in out
    assert "| lean | 18/18 | 0 |" in out
    assert err.count(": 9 right, 0 wrong, 0 harm\n") == 12
    assert written() == ["fit.json", "fit.md"]


def test_a_model_that_always_finishes_the_current_step_does_harm(script: Script) -> None:
    model = script(models.finishes_the_current_step, *DIALECTS)
    for row in fitted(model)["dialects"]:
        assert (row["right"], row["wrong"], row["harm"]) == (3, 1, 5)
        assert row["faults"]["finished a step that was not meant"] == 5
        assert row["stages"]["drop"] == {"harm": 1}


def test_a_model_that_answers_prose_fits_no_dialect(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    model = script(models.answers_prose, "lean", "smart")
    found = fitted(model, "--dialect", "lean", "--dialect", "smart")
    for row in found["dialects"]:
        assert (row["right"], row["wrong"], row["harm"]) == (0, 9, 0)
        assert row["faults"] == {"no call": 9}
        assert row["tokens_an_update"] is None
    assert "No dialect fits: not one answer was right." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("before", "right", "faults"), [("", 9, {}), ("Sure: ", 0, {"a call written as text": 9})]
)
def test_a_call_that_is_written_as_text_counts_where_the_agent_would_take_it(
    script: Script, before: str, right: int, faults: dict[str, int]
) -> None:
    def writes(form: Any, scene: Any, stage: Any, task: Any) -> models.Line:
        name, arguments = form.call(scene.deed, scene.rows)
        call = json.dumps({"name": name, "arguments": arguments}, indent=1)
        return {"text": f"{before}```json\n{call}\n```"}

    (row,) = fitted(script(writes, "lean"), "--dialect", "lean")["dialects"]
    assert (row["right"], row["faults"]) == (right, faults)


def test_the_dialect_that_fits_stands_first_and_what_is_too_close_is_named(
    script: Script, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = script(models.always_right, "smart", "checklist", "lean")
    path = Path(right.removeprefix("scripted:"))
    lines = path.read_text("utf-8").splitlines()
    lines[18:] = [json.dumps({"text": "Well."})] * 9
    path.write_text("\n".join(lines), "utf-8")
    options = [part for name in ("smart", "checklist", "lean") for part in ("--dialect", name)]
    found = fitted(right, *options)
    assert [row["right"] for row in found["dialects"]] == [9, 9, 0]
    assert found["dialects"][2]["dialect"] == "lean"
    first, second = (row["dialect"] for row in found["dialects"][:2])
    assert f"{first} fits best" in found["advice"]
    assert f"Too close to tell apart: {second};" in found["advice"]


def test_another_seed_asks_other_things_and_the_same_seed_the_same(script: Script) -> None:
    answers = []
    for seed in ("1", "1", "2"):
        model = script(models.always_right, "lean", seed=int(seed))
        answers.append(fitted(model, "--dialect", "lean", "--seed", seed)["answers"])
    assert answers[0] == answers[1] != answers[2]


def test_a_script_that_ends_early_is_a_fault_and_shows_what_there_is(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    model = script(models.always_right, "lean")
    assert main(["fit", "--model", model, "--dialect", "lean", "--tasks", "2"]) == 1
    out, err = capsys.readouterr()
    assert "lean: 9 of 9 right" in out
    assert "The run ended early: the script has ended" in out
    assert err.endswith("todowright fit: the script has ended, and the run has not\n")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--dialect", "leen"], "no dialect is called 'leen': did you mean lean?"),
        (["--dialect", "os:path"], "'os:path' is no Dialect"),
        (["--out", "no/such/fit.md"], "cannot be written: name a file in a folder of yours"),
        (["--json", "."], "is a folder: name a file in it"),
        (["--out", "a", "--json", "./a"], "--out and --json name the same file: name two"),
        (["--model", "nobody:x"], "no model is called 'nobody:x'"),
    ],
)
def test_what_cannot_be_meant_is_told_in_one_line_before_anything_is_asked(
    script: Script, capsys: pytest.CaptureFixture[str], options: list[str], told: str
) -> None:
    model = script(models.always_right, "lean")
    assert main(["fit", "--model", model, *options]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert told in err
    assert written() == []


@pytest.mark.parametrize(
    "option", [["--tasks", "0"], ["--minutes", "0"], ["--seconds", "nan"], ["--seed", "x"]]
)
def test_a_wrong_number_is_a_usage_error(script: Script, option: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["fit", *option])
    assert stopped.value.code == 2


def test_a_finished_plan_of_a_test_is_not_logged_as_work(script: Script) -> None:
    def finishes_all(form: Any, scene: Any, stage: Any, task: Any) -> models.Line:
        rows = [Row(step, done=True) for step in task.steps]
        return {"calls": [form.call(Deed("drop", (99,)), rows)]}

    found = fitted(script(finishes_all, "envelope"), "--dialect", "envelope")
    assert found["dialects"][0]["harm"] == 9
    assert written() == ["fit.json"]


@pytest.mark.slow
def test_a_terminal_sees_how_far_it_is_and_a_table(script: Script) -> None:
    model = script(models.finishes_the_current_step, "lean", "smart", tasks=2)
    terminal = Terminal(str(BIN / "todowright"), "fit", "--model", model, "--tasks", "2",
                        "--dialect", "lean", "--dialect", "smart", columns=120)  # fmt: skip
    assert terminal.ended() == 0
    shown = "\n".join(terminal.lines)
    assert "fits best: 6 of 18 right, 10 harmful." in shown
    assert "lean: 10 × finished a step that was not meant" in shown
    assert "right, " in terminal.written.decode()
    assert b"\x1b[1m" in terminal.written


@pytest.mark.slow
def test_no_colour_where_nobody_wants_it(script: Script) -> None:
    model = script(models.always_right, "lean")
    terminal = Terminal(str(BIN / "todowright"), "fit", "--model", model, "--tasks", "1",
                        "--dialect", "lean", NO_COLOR="1")  # fmt: skip
    assert terminal.ended() == 0
    assert "lean: 9 of 9 right" in "\n".join(terminal.lines)
    assert b"\x1b[1m" not in terminal.written
    assert b"\x1b[3" not in terminal.written


@pytest.fixture
def server(script: Script) -> Iterator[Callable[[Mind], Provider]]:
    """Servers that speak both APIs, and refuse what the real ones refuse."""
    opened: list[Provider] = []

    def make(mind: Mind) -> Provider:
        opened.append(Provider(mind, chunk=400))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def asked(provider: Provider, api: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "--model", f"{api}:m", "--tasks", "1", "--json", "fit.json", *options],
        env={**os.environ, **provider.environ(api)},
        capture_output=True,
        text=True,
        timeout=240,
    )


@pytest.mark.slow
@pytest.mark.parametrize("api", ["anthropic", "openai"])
def test_both_apis_take_the_histories_and_count_the_tokens(
    server: Callable[[Mind], Provider], api: str
) -> None:
    lines = iter(models.script(models.always_right, DIALECTS))
    provider = server(lambda _: calls(*map(tuple, next(lines)["calls"])))
    done = asked(provider, api)
    assert (done.returncode, provider.refused) == (0, [])
    found = json.loads(Path("fit.json").read_text("utf-8"))
    assert [row["right"] for row in found["dialects"]] == [9] * 6
    assert {row["tokens_estimated"] for row in found["dialects"]} == {False}
    assert {row["tokens_an_update"] for row in found["dialects"]} == {9}
    assert len(provider.requests) == 54


@pytest.mark.slow
def test_a_server_that_is_busy_is_asked_again(server: Callable[[Mind], Provider]) -> None:
    lines = iter(models.script(models.always_right, ["lean"]))
    busy = [Say(status=429, headers={"retry-after": "0"})]
    provider = server(lambda _: busy.pop() if busy else calls(*next(lines)["calls"]))
    done = asked(provider, "openai", "--dialect", "lean")
    assert done.returncode == 0
    assert "9 of 9 right" in done.stdout


@pytest.mark.slow
def test_a_model_that_the_server_does_not_know_ends_the_run_at_once(
    server: Callable[[Mind], Provider],
) -> None:
    provider = server(lambda _: Say("no such model", status=404))
    done = asked(provider, "openai", "--dialect", "lean")
    assert (done.returncode, done.stdout, len(provider.requests)) == (1, "", 1)
    assert done.stderr.startswith("todowright fit: ")
    assert "answered 404: no such model" in done.stderr
    assert not Path("fit.json").exists()


@pytest.mark.slow
def test_a_server_that_says_nothing_is_given_up_after_three_questions(
    server: Callable[[Mind], Provider],
) -> None:
    over = threading.Event()

    def silent(_: object) -> Say:
        over.wait(200)
        return Say("too late")

    provider = server(silent)
    try:
        done = asked(provider, "openai", "--dialect", "lean", "--seconds", "0.5")
    finally:
        over.set()
    assert done.returncode == 1
    assert len(provider.requests) <= 3  # on a busy machine the server may not have read them all
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert "todowright fit: no answer from http://127.0.0.1:" in done.stderr
    assert not Path("fit.json").exists()


def test_an_answer_that_drips_is_given_up_when_its_time_is_over() -> None:
    def drips() -> Iterator[int]:
        while True:
            time.sleep(0.01)
            yield 1

    with pytest.raises(ModelError, match=r"took longer than 0\.05 s"):
        list(in_time(drips(), 0.05))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_shows_what_there_is_so_far(
    server: Callable[[Mind], Provider], number: int
) -> None:
    lines = iter(models.script(models.always_right, ["lean"]))
    over, waits = threading.Event(), threading.Event()

    def mind(_: object) -> Say:
        if len(provider.requests) > 5:
            waits.set()
            over.wait(200)
        return calls(*next(lines)["calls"])

    provider = server(mind)
    process = subprocess.Popen(
        [*COMMAND, "--model", "openai:m", "--dialect", "lean", "--out", "fit.md"],
        env={**os.environ, **provider.environ("openai")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert waits.wait(200)
        process.send_signal(number)
        out, _ = process.communicate(timeout=200)
    finally:
        over.set()
    assert process.returncode == 128 + number
    assert "lean: 5 of 5 right" in out
    assert "The run ended early: it was stopped." in out
    assert Path("fit.md").read_text("utf-8") == out


@pytest.mark.slow
def test_when_the_minutes_are_over_it_says_how_far_it_came(
    server: Callable[[Mind], Provider],
) -> None:
    lines = iter(models.script(models.always_right, ["lean"]))
    over = threading.Event()

    def mind(_: object) -> Say:
        if len(provider.requests) > 2:
            over.wait(200)
        return calls(*next(lines)["calls"])

    provider = server(mind)
    try:
        done = asked(provider, "openai", "--dialect", "lean", "--minutes", "0.1")
    finally:
        over.set()
    assert done.returncode == 0
    told = r"after 0\.1 minutes, with [0-2] of 9 questions asked"  # as many as the machine can do
    assert re.search(told, done.stdout + done.stderr)
