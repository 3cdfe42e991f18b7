"""`todowright worker`: real commands, for real tasks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.requirements import requirement
from todowright import StoreError, TodoWrite
from todowright.tasks import (
    Claim,
    Claims,
    Ended,
    LostClaim,
    Worker,
    WorkerOptions,
    heartbeat,
)

pytestmark = [requirement("003-10"), pytest.mark.slow]


class Fleet:
    """A list of tasks, and workers on it."""

    def __init__(self, folder: Path, *subjects: str) -> None:
        self.folder = folder
        self.url = f"sqlite:///{folder}/plans.db"
        self.todo = TodoWrite("tasks", store=self.url, session="fleet")
        for subject in subjects:
            arguments = {"subject": subject, "description": f"how to {subject}"}
            self.todo(arguments, tool="TaskCreate")

    def command(self, *options: str, run: str) -> list[str]:
        worker = [sys.executable, "-m", "todowright", "worker", "--store", self.url]
        return [*worker, "--session", "fleet", *options, "--", sys.executable, "-c", run]

    def work(self, *options: str, run: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command("--drain", *options, run=run),
            capture_output=True,
            text=True,
            timeout=120,
            cwd=self.folder,
        )

    @property
    def states(self) -> list[str]:
        return [task.status for task in self.todo.plan.todos]


def runs(process: int) -> bool:
    """Whether a process runs; one that waits to be buried does not."""
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][:1]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z"


def wait_until(happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_each_task_is_done_by_the_command_which_reads_it(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, "Build", "Test", "Ship")
    fleet.todo({"taskId": "1", "addBlockedBy": ["3"]}, tool="TaskUpdate")
    run = (
        "import sys, os, json; task = json.loads(sys.stdin.readline()); "
        "open('log', 'a').write(json.dumps([task, os.environ['TODOWRIGHT_SUBJECT']]) + '\\n')"
    )
    done = fleet.work("--name", "w", run=run)
    assert done.returncode == 0, done.stderr
    assert fleet.states == ["completed"] * 3
    read = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [(task["id"], name) for task, name in read] == [
        ("2", "Test"),
        ("3", "Ship"),
        ("1", "Build"),
    ]
    assert read[0][0] == {"id": "2", "subject": "Test", "description": "how to Test"}
    assert done.stdout.splitlines()[0].startswith("✓ #2 Test (w, ")


def test_several_at_once_do_each_task_once(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, *(f"Task {n}" for n in range(12)))
    run = "import os; open('log', 'a').write(os.environ['TODOWRIGHT_TASK'] + ' ')"
    assert fleet.work("--n", "4", run=run).returncode == 0
    assert sorted(map(int, (tmp_path / "log").read_text().split())) == list(range(1, 13))


def test_a_task_that_fails_is_tried_again_and_then_given_up_with_the_reason(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, "Break", "Work")
    run = (
        "import os, sys; open('log', 'a').write(os.environ['TODOWRIGHT_SUBJECT'] + ' '); "
        "sys.exit(3 if os.environ['TODOWRIGHT_SUBJECT'] == 'Break' else 0)"
    )
    done = fleet.work("--retries", "1", "--name", "w", run=run)
    assert done.returncode == 1
    assert (tmp_path / "log").read_text().split() == ["Break", "Break", "Work"]
    assert fleet.states == ["pending", "completed"]
    task = fleet.todo({"taskId": "1"}, tool="TaskGet").data["task"]
    assert (task["metadata"], task["owner"]) == ({"failed": "exit code 3"}, "w")
    assert "✗ #1 Break (w, " in done.stdout


def test_a_command_that_is_not_there_is_told_and_no_task_fails_by_it(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, "Build")
    command = [*fleet.command("--drain", "--retries", "0", run="")[:-3], "no-such-command"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert done.stderr == "todowright: there is no command no-such-command: check its name\n"
    assert (done.returncode, done.stdout, fleet.states) == (1, "", ["pending"])


def test_a_worker_that_is_killed_loses_its_task_to_another_and_its_command_ends(
    tmp_path: Path,
) -> None:
    fleet = Fleet(tmp_path, "Long")
    hang = "import os, time; os.fork(); open(f'{os.getpid()}.runs', 'w').close(); time.sleep(600)"
    first = subprocess.Popen(
        fleet.command("--lease", "2", "--name", "first", run=hang),
        cwd=tmp_path,
        start_new_session=True,
    )
    try:
        wait_until(lambda: len(list(tmp_path.glob("*.runs"))) == 2)
        wait_until(lambda: fleet.todo.store.leases("fleet", "main"))  # it is well under way
    finally:
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
    processes = [int(path.stem) for path in tmp_path.glob("*.runs")]
    wait_until(lambda: not any(map(runs, processes)))  # nor what it started
    done = fleet.work("--name", "second", run="pass")
    assert "✓ #1 Long (second, " in done.stdout
    assert fleet.states == ["completed"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_gives_back_what_is_being_worked_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    fleet = Fleet(tmp_path, "Long")
    hang = (
        "import os, time, signal; child = os.fork(); signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "open('child', 'w').write(str(child or os.getpid())); open('began', 'w').close(); time.sleep(60)"
    )
    worker = subprocess.Popen(
        fleet.command(run=hang), cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    wait_until((tmp_path / "began").exists)
    worker.send_signal(number)
    out = worker.communicate(timeout=60)[0]
    assert worker.returncode == 128 + number
    assert not runs(int((tmp_path / "child").read_text()))  # nor what it started
    assert "○ #1 Long" in out
    assert fleet.states == ["pending"]
    assert fleet.todo({"taskId": "1"}, tool="TaskGet").data["task"]["owner"] == ""


def test_a_worker_that_nohup_started_outlives_its_terminal(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, "Long")
    run = "import os, time; open('began', 'w').close()\nwhile not os.path.exists('go'): time.sleep(0.02)"
    ignoring = ["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh"]
    worker = subprocess.Popen([*ignoring, *fleet.command("--drain", run=run)], cwd=tmp_path)
    wait_until((tmp_path / "began").exists)
    worker.send_signal(signal.SIGHUP)
    (tmp_path / "go").touch()
    assert worker.wait(60) == 0
    assert fleet.states == ["completed"]


def test_a_command_need_not_read_and_its_lease_is_renewed(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path)
    fleet.todo({"subject": "Big", "description": "é" * 99_000}, tool="TaskCreate")
    done = fleet.work("--lease", "3", "--name", "w", run="import time; time.sleep(5)")
    assert (done.returncode, fleet.states) == (0, ["completed"])


def test_a_command_is_ended_with_its_lease_though_the_store_does_not_answer(tmp_path: Path) -> None:
    fleet, ended, answer = Fleet(tmp_path, "Long"), list[Ended](), threading.Event()

    class Stuck(Claims):
        def renew(self, claim: Claim) -> Claim:
            answer.wait(60)
            return super().renew(claim)

    def report(how: Ended) -> None:
        ended.append(how)
        worker.stop()

    options = WorkerOptions([sys.executable, "-c", "import time; time.sleep(600)"], lease=0.3)
    worker = Worker(Stuck(fleet.todo.store, "fleet", lease=0.3), "w", options, report)
    worker.run()
    answer.set()
    assert [(each.outcome, each.why) for each in ended] == [
        ("lost", "the lease of task #1 is over, and could not be renewed: the store does not answer")
    ]  # fmt: skip


def test_a_store_that_fails_for_a_moment_ends_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    todo, clock, tries, answer = TodoWrite("tasks"), [0.0], list[int](), threading.Event()
    todo.add("Long")

    class Failing(Claims):
        def renew(self, claim: Claim) -> Claim:
            tries.append(claim.number)
            if len(tries) == 1:
                raise StoreError("the disk is full")
            if len(tries) == 3:
                answer.wait(60)
            return super().renew(claim)

    monkeypatch.setattr(heartbeat, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    claims = Failing(todo.store, lease=60)
    claim = claims.claim("w")
    assert claim is not None
    heart = heartbeat.Heartbeat(claims, claim, 60)
    clock[0] = 21.0
    wait_until(lambda: heart.beat() == claim and heart._asked is None)  # it was told of the failure
    clock[0] = 55.0
    wait_until(lambda: heart.beat().until > claim.until)
    clock[0] = 70.0
    heart.beat()  # it lasts from the second try on
    clock[0] = 116.0
    with pytest.raises(LostClaim, match="the lease of task #1 is over"):
        heart.beat()
    answer.set()


def test_what_is_left_after_all_is_told_and_is_no_success(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, "Mine", "Blocked", "Free")
    fleet.todo({"taskId": "1", "status": "in_progress", "owner": "a person"}, tool="TaskUpdate")
    fleet.todo({"taskId": "2", "addBlockedBy": ["1"]}, tool="TaskUpdate")
    done = fleet.work(run="pass")
    assert done.returncode == 1
    assert fleet.states == ["in_progress", "pending", "completed"]
    assert done.stderr.startswith("left: #1 Mine; #2 Blocked.")


def test_who_reads_no_longer_does_not_end_the_work(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, "One", "Two", "Three")
    command = fleet.command("--drain", run="pass")
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, timeout=60, cwd=tmp_path)
    os.close(write)
    assert fleet.states == ["completed"] * 3
    assert b"Traceback" not in done.stderr


def test_a_name_that_cannot_be_is_refused_in_one_line(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, "One")
    done = fleet.work("--name", "a\nb", run="pass")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert fleet.states == ["pending"]


def test_a_task_that_cannot_be_verified_is_given_up(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, "One")
    program = TodoWrite("tasks", store=fleet.url, session="fleet", verify=lambda _: "no")
    ended: list[Ended] = []
    options = WorkerOptions([sys.executable, "-c", "pass"], drain=True)
    Worker(Claims(program.store, "fleet"), "w", options, ended.append).run()
    assert [(each.outcome, "is not finished: no" in each.why) for each in ended] == [
        ("failed", True)
    ]


def test_the_pause_before_a_retry_does_not_grow_for_ever(tmp_path: Path) -> None:
    fleet, ended = Fleet(tmp_path, "Break"), list[Ended]()
    options = WorkerOptions(
        ["/bin/sh", "-c", "exit 1"],
        retries=4, pause=1e300, longest_pause=0.001, drain=True,
    )  # fmt: skip
    Worker(Claims(fleet.todo.store, "fleet"), "w", options, ended.append).run()
    assert [each.why for each in ended] == ["exit code 1"]
