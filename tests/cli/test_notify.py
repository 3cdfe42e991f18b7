"""Being told: by a line, a command or a web address; once, and never by a shell."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import BIN, until
from todowright import Edit, TodoWrite, load_dialect
from todowright.cli import main
from todowright.cli.deliveries import Command, Failed, Lines, Webhook
from todowright.cli.notices import Notice, Rules
from todowright.cli.telling import Ledger, Teller
from todowright.dialects import Extra
from todowright.errors import UnknownName
from todowright.stores.memory import MemoryStore
from todowright.stores.watching import Watcher
from todowright.tool.person import edit_plan

HOSTILE = "$(touch pwned) `touch pwned` ; touch pwned \x1b[2J\n\0'\""
NOTICE = Notice("id", "stuck", "s", "main", 0.0, "s: main is stuck: it", ("it",))


class Plans:
    """Plans whose writers have a clock of their own."""

    def __init__(self, store: Any) -> None:
        self.store = store
        self.now = datetime.now(UTC)
        self._at = self.now

    def at(self, minutes_ago: float) -> Plans:
        self._at = self.now - timedelta(minutes=minutes_ago)
        return self

    def tool(self, session: str = "shop", dialect: Any = "lean") -> TodoWrite:
        return TodoWrite(dialect, store=self.store, session=session, clock=lambda: self._at)

    def notices(self, rules: Rules | None = None, minutes_later: float = 0) -> list[Notice]:
        watcher, now = Watcher(self.store), self.now + timedelta(minutes=minutes_later)
        watcher.look()
        moment = now.timestamp()
        return (rules or Rules()).notices(watcher.sessions(moment), moment)


@pytest.fixture
def plans() -> Plans:
    return Plans(MemoryStore())


def listed(*texts: str, status: str = "pending") -> dict[str, Any]:
    return {"items": [{"content": t, "status": status, "activeForm": t} for t in texts]}


def test_who_is_silent_on_a_step_is_told_as_stuck_and_whom_it_waits_for_alone(plans: Plans) -> None:
    todo = plans.at(40).tool()
    todo({"steps": ["Prove it", "Release"]}, tool="plan")
    child = todo.subagent("test-writer")
    plans.at(33)
    child({"steps": ["Generate schedules"]}, tool="plan")
    (told,) = plans.notices()
    assert (told.kind, told.steps) == ("stuck", ("Generate schedules",))
    expected = "shop: test-writer is stuck, silent for 33 min: Generate schedules"
    assert told.text == expected
    (later,) = plans.notices(minutes_later=5)
    assert later.id == told.id
    assert later.text != told.text
    assert plans.notices(Rules(stuck_after=40 * 60)) == []
    assert [each.kind for each in plans.notices(Rules(stuck_after=32 * 60))] == ["stuck"]


def test_a_finished_session_is_told_once_for_its_steps_although_it_is_tidied(plans: Plans) -> None:
    todo = plans.at(9).tool()
    todo({"steps": ["One", "Two"]}, tool="plan")
    assert plans.notices() == []
    todo({"finished": ["One"]}, tool="done")
    plans.at(0)
    todo({"finished": ["Two"]}, tool="done")
    (first,) = plans.notices()
    assert (first.kind, first.text) == ("finished", "shop is finished: 2/2 steps in 9 min")
    todo({"step": "Three", "where": "last"}, tool="add")
    todo({"finished": ["Three"]}, tool="done")
    (second,) = plans.notices()
    assert second.id != first.id
    assert plans.notices(Rules(frozenset({"stuck"}))) == []


def test_an_empty_plan_is_not_finished(plans: Plans) -> None:
    plans.tool(dialect="checklist")(listed())
    assert plans.notices() == []


def test_dropped_steps_of_one_revision_are_one_event(plans: Plans) -> None:
    todo = plans.at(5).tool(dialect="checklist")
    todo(listed("Read", "Lock", "Docs"))
    plans.at(4)
    todo(listed("Docs"))
    (told,) = plans.notices()
    assert (told.kind, told.steps) == ("dropped", ("Read", "Lock"))
    assert told.text == "shop: 2 steps dropped by main: Read; Lock"


def test_a_step_of_a_person_waits_and_an_edit_that_was_undone_is_told(plans: Plans) -> None:
    owned = replace(load_dialect("lean"), extras=(Extra("owner"),))
    todo = plans.at(3).tool("ask", owned)
    todo.start(todo.add("Choose a name", owner="user").todos[0].number)
    assert [(each.kind, each.steps) for each in plans.notices()] == [
        ("waiting", ("Choose a name",))
    ]
    other = plans.at(3).tool("edited", "checklist")
    other(listed("Write it down"))
    edit_plan(plans.store, other.plan, [Edit("reword", 1, "Write the rule down")])
    other(listed("Write it down"))
    assert {each.kind for each in plans.notices()} == {"waiting", "not_kept"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plans:
    """A store in a file, in whose folder the commands run."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("TODOWRIGHT_WEBHOOK", raising=False)
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path}/plans.db"
    monkeypatch.setenv("TODOWRIGHT_STORE", url)
    return Plans(url)


def finish(plans: Plans, session: str) -> None:
    todo = plans.at(0).tool(session)
    todo({"steps": ["Only step"]}, tool="plan")
    todo({"finished": ["Only step"]}, tool="done")


def test_each_event_is_told_once_over_restarts_and_what_was_before_is_no_news(
    place: Plans, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    finish(place, "long ago")
    place.at(30).tool("silent")({"steps": ["Wait"]}, tool="plan")
    assert main(["notify", "--once"]) == 0
    assert capsys.readouterr().out == "silent: main is stuck, silent for 30 min: Wait\n"
    assert main(["notify", "--once"]) == 0
    assert capsys.readouterr().out == ""
    finish(place, "now")
    assert main(["notify", "--once", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["event"], told["session"]) == ("finished", "now")
    assert main(["notify", "--once", "--session", "other"]) == 0
    assert capsys.readouterr().out == ""
    (kept,) = (tmp_path / "data" / "todowright" / "notify").glob("*.json")
    assert kept.stat().st_mode & 0o777 == 0o600
    kept.write_text("no json")
    assert main(["notify", "--once"]) == 0  # better told again than never


def test_a_drop_is_told_once_although_one_of_its_steps_comes_back(
    place: Plans, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["notify", "--once"]) == 0
    todo = place.at(5).tool(dialect="checklist")
    todo(listed("Read", "Lock", "Docs"))
    place.at(4)
    todo(listed("Docs"))
    assert main(["notify", "--once"]) == 0
    assert capsys.readouterr().out == "shop: 2 steps dropped by main: Read; Lock\n"
    place.at(3)
    todo(listed("Docs", "Lock"))
    assert main(["notify", "--once"]) == 0
    assert capsys.readouterr().out == ""


def test_a_command_gets_json_and_variables_and_no_shell_reads_the_words(
    place: Plans, tmp_path: Path
) -> None:
    place.at(30).tool("silent", "checklist")(listed(HOSTILE, status="in_progress"))
    code = (
        "import json, os, sys; told = json.load(sys.stdin); "
        "env = {k: v for k, v in os.environ.items() if k.startswith('TODOWRIGHT_')}; "
        "open('told.jsonl', 'a').write(json.dumps([told, env]) + chr(10))"
    )
    for _ in range(2):
        assert main(["notify", "--once", "--", sys.executable, "-c", code]) == 0
    (line,) = (tmp_path / "told.jsonl").read_text().splitlines()
    told, env = json.loads(line)
    assert told["event"] == env["TODOWRIGHT_EVENT"] == "stuck"
    assert env["TODOWRIGHT_SESSION"] == "silent"
    assert env["TODOWRIGHT_STORE"] == f"sqlite:///{tmp_path}/plans.db"
    assert "$(touch pwned)" in env["TODOWRIGHT_TEXT"]
    assert "\x1b" not in line
    assert "\n" not in told["text"]
    assert not (tmp_path / "pwned").exists()


def test_a_command_that_fails_is_tried_again_and_one_that_hangs_is_ended(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="exit code 3"):
        Command(["sh", "-c", "exit 3"]).tell(NOTICE, 5)
    with pytest.raises(Failed, match=r"did not end within 0\.2 s"):
        Command(["sh", "-c", "sleep 60 & sleep 60"]).tell(NOTICE, 0.2)
    with pytest.raises(Failed, match="could not be started"):
        Command([str(tmp_path / "none")]).tell(NOTICE, 5)


class Server:
    """A web address that answers as it is told, and keeps what it got."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.answers: list[int] = []
        self.hangs = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.got.append({"path": self.path, "type": self.headers["Content-Type"]})
                outer.got[-1] |= json.loads(body)
                status = outer.answers.pop(0) if outer.answers else 204
                if status == 0:  # byte by byte, for ever
                    with suppress(OSError):
                        while not outer.hangs.wait(0.05):
                            self.wfile.write(b"H")
                    return
                self.send_response(status)
                self.send_header("Location", "/elsewhere")
                self.end_headers()

            def log_message(self, *_: object, **__: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook?a=b"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def stop(self) -> None:
        self.hangs.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.stop()


def test_a_web_address_gets_json_and_is_tried_again_after_a_fault(
    place: Plans, server: Server
) -> None:
    place.at(30).tool("silent")({"steps": ["Wait"]}, tool="plan")
    server.answers = [503, 429]
    assert main(["notify", "--once", "--webhook", server.url]) == 0
    assert [each["path"] for each in server.got] == ["/hook?a=b"] * 3
    assert len({each["id"] for each in server.got}) == 1
    assert server.got[0]["type"] == "application/json"
    assert server.got[0]["text"] == "silent: main is stuck, silent for 30 min: Wait"
    assert main(["notify", "--once", "--webhook", server.url]) == 0
    assert len(server.got) == 3


def test_what_could_not_be_told_is_told_by_the_next_run(
    place: Plans, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    place.at(30).tool("silent")({"steps": ["Wait"]}, tool="plan")
    server.answers = [404]
    assert main(["notify", "--once", "--webhook", server.url]) == 1
    assert len(server.got) == 1, "nothing is gained by asking again"
    told = capsys.readouterr().err
    assert told.startswith("todowright: webhook: not told (it answered 404): silent: main")
    assert told.count("\n") == 1
    server.answers = [302]
    assert main(["notify", "--once", "--webhook", server.url]) == 1
    assert "it has moved; give its new address" in capsys.readouterr().err
    assert main(["notify", "--once", "--webhook", server.url]) == 0
    assert {each["path"] for each in server.got} == {"/hook?a=b"}


def test_an_event_that_is_refused_keeps_no_other_waiting_and_is_not_sent_again(
    place: Plans, server: Server
) -> None:
    place.at(30).tool("first")({"steps": ["Wait"]}, tool="plan")
    place.at(20).tool("second")({"steps": ["Wait"]}, tool="plan")
    server.answers = [422]
    assert main(["notify", "--once", "--webhook", server.url]) == 1
    assert [each["session"] for each in server.got] == ["first", "second"]
    assert main(["notify", "--once", "--webhook", server.url]) == 0
    assert len(server.got) == 2


def test_a_command_that_fails_for_one_event_is_run_for_the_next_ones(
    place: Plans, tmp_path: Path
) -> None:
    place.at(30).tool("first")({"steps": ["Wait"]}, tool="plan")
    place.at(20).tool("second")({"steps": ["Wait"]}, tool="plan")
    line = 'echo "$TODOWRIGHT_SESSION" >> told; test "$TODOWRIGHT_SESSION" = second'
    for _ in range(2):
        assert main(["notify", "--once", "--tries", "1", "--", "sh", "-c", line]) == 1
    assert (tmp_path / "told").read_text().split() == ["first", "second", "first"]


def test_a_server_that_answers_byte_by_byte_is_cut_off(server: Server) -> None:
    server.answers = [0]
    with pytest.raises(Failed):
        Webhook(server.url).tell(NOTICE, 0.5)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://example.org/x", "example.org is another machine: use https"),
        ("http://127.0.0.1.example.org/", "is another machine"),
        ("ftp://example.org", "is no web address"),
        ("https://", "is no web address"),
        ("https://a b/", "is no web address"),
        ("http://[::1/", "is no web address"),
        ("https://host:99999/", "is no web address"),
        ("https://me:secret@example.org/", "takes no user or password"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_in_one_line(
    place: Plans, url: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UnknownName, match=told):
        Webhook(url)
    assert main(["notify", "--once", "--webhook", url]) == 1
    err = capsys.readouterr().err
    assert told in err
    assert "secret" not in err
    assert err.count("\n") == 1
    for good in (
        "https://example.org",
        "http://localhost:1/x",
        "http://[::1]:8/",
        "http://127.9.9.9/",
    ):
        Webhook(good)


def test_wrong_words_are_told_with_the_right_ones(
    place: Plans, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["notify", "--only", "stuk"])
    assert "no event is called 'stuk': did you mean stuck?" in capsys.readouterr().err
    assert main(["notify", "--", "no-such-command"]) == 1
    assert "there is no command no-such-command" in capsys.readouterr().err


@contextmanager
def running(*command: str) -> Iterator[None]:
    """`todowright notify`, until the block ends by Ctrl-C; it has said nothing."""
    process = subprocess.Popen(
        [str(BIN / "todowright"), "notify", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield
    finally:
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=20)
    assert (*told, process.returncode) == ("", "", 130)


def test_it_tells_while_others_write_and_a_second_one_is_refused(
    place: Plans, server: Server
) -> None:
    finish(place, "before")
    with running("--webhook", server.url):
        until(lambda: any(Path("data/todowright/notify").glob("*.json")))
        second = subprocess.run(
            [str(BIN / "todowright"), "notify", "--once", "--webhook", server.url],
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert (second.returncode, second.stderr.count("\n")) == (1, 1)
        assert "another todowright notify tells the same already" in second.stderr
        finish(place, "live")
        until(lambda: len(server.got) == 1)
    with running("--webhook", server.url):
        finish(place, "after")
        until(lambda: len(server.got) == 2)
    assert [each["session"] for each in server.got] == ["live", "after"]


def test_it_ends_quietly_when_nobody_reads_its_lines_any_more(place: Plans) -> None:
    place.at(30).tool("silent")({"steps": ["Wait"]}, tool="plan")
    command = [str(BIN / "todowright"), "notify", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            assert b'"silent"' in process.stdout.readline()
            process.stdout.close()
            finish(place, "now")
            assert process.wait(30) == 0
        finally:
            process.kill()
        assert process.stderr.read() == b""


def test_what_breaks_the_telling_ends_it_and_is_not_lost_in_the_background(place: Plans) -> None:
    class Broken(Lines):
        def tell(self, notice: Notice, seconds: float) -> None:
            raise RuntimeError("broken")

    hook = Broken()
    teller = Teller(hook, Ledger("x", hook), seconds=1, tries=1, complain=print)
    teller.start()
    teller.check()
    teller.take([NOTICE])

    def ended() -> bool:
        with suppress(RuntimeError):
            teller.check()
            return False
        return True

    until(ended)
    teller.stop()


@pytest.mark.slow
@pytest.mark.soak
def test_a_dead_address_keeps_nobody_waiting(place: Plans, server: Server) -> None:
    server.answers = [0] * 20
    with running("--webhook", server.url, "--timeout", "30"):
        until(lambda: any(Path("data/todowright/notify").glob("*.json")))
        finish(place, "live")
        until(lambda: len(server.got) == 1)
        finish(place, "live on")
