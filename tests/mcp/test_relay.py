"""`todowright mcp` as hosts start it: many windows, one server, and nobody notices when that is killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import todowright
from todowright import TodoWrite, open_store
from todowright.host.projects import noted_projects
from todowright.mcp.rendezvous import LONGEST_PATH, SERVER, socket_path

ERAS = ["legacy", "2026-07-28"]
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
COMMAND = [sys.executable, "-m", "todowright", "mcp"]


class Windows:
    """A folder and a state of their own, in which windows are opened."""

    def __init__(self, folder: Path, state: Path, compiled: Path) -> None:
        self.folder = folder / "project"
        self.folder.mkdir()
        self.state = state
        self.store = f"sqlite:///{self.folder}/plans.db"
        self.environ = {
            **os.environ,
            "TODOWRIGHT_STATE": str(self.state),
            "TODOWRIGHT_STORE": self.store,
            "PYTHONDONTWRITEBYTECODE": "",  # as it is installed: compiled once
            "PYTHONPYCACHEPREFIX": str(compiled),
        }

    def command(self, *arguments: str) -> Any:
        return StdioServerParameters(
            command=COMMAND[0],
            args=[*COMMAND[1:], *arguments],
            cwd=str(self.folder),
            env=self.environ,
        )

    def servers(self) -> list[int]:
        """The shared servers that run for this state."""
        found = []
        for each in Path("/proc").iterdir():
            if each.name.isdecimal():
                try:
                    line = (each / "cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                mine = any(os.fsencode(self.state) in part for part in line)
                if mine and SERVER.encode() in line:
                    found.append(int(each.name))
        return found

    def kill(self) -> None:
        (server,) = self.servers()
        os.kill(server, signal.SIGKILL)
        until(lambda: server not in self.servers())

    def steps(self) -> list[list[str]]:
        store = open_store(self.store)
        return [
            [todo.content for todo in store.load(name, "main").todos] for name in store.sessions()
        ]


class Window:
    """A window whose lines are written and read by hand."""

    def __init__(self, windows: Windows, *command: str) -> None:
        self.process = subprocess.Popen(
            command or COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=windows.folder,
            env=windows.environ,
            text=True,
        )
        self.number = 0

    def send(self, method: str, params: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        print(json.dumps(request), file=self.process.stdin, flush=True)

    def answer(self) -> Any:
        assert self.process.stdout is not None
        line = json.loads(self.process.stdout.readline())
        assert line["id"] == self.number
        return line["result"]

    def open(self) -> None:
        self.send("initialize", HELLO)
        assert self.answer()["serverInfo"]["name"] == "todowright"
        self.tell("notifications/initialized")

    def tell(self, method: str) -> None:
        assert self.process.stdin is not None
        print(json.dumps({"jsonrpc": "2.0", "method": method}), file=self.process.stdin, flush=True)

    def call(self, tool: str, **arguments: Any) -> str:
        self.send("tools/call", {"name": tool, "arguments": arguments})
        return str(self.answer()["content"][0]["text"])

    def close(self) -> int:
        self.process.communicate(timeout=60)
        return self.process.returncode


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture(scope="module")
def state() -> Iterator[Path]:
    """In a folder with a short name: the path of a socket may have a hundred bytes."""
    with tempfile.TemporaryDirectory(prefix="tw-") as folder:
        yield Path(folder) / "state"


@pytest.fixture
def windows(tmp_path: Path, compiled: Path) -> Iterator[Windows]:
    """With servers of its own."""
    with tempfile.TemporaryDirectory(prefix="tw-") as folder:
        windows = Windows(tmp_path, Path(folder) / "state", compiled)
        yield windows
        for server in windows.servers():
            os.kill(server, signal.SIGKILL)


@pytest.fixture
def others(tmp_path: Path, state: Path, compiled: Path) -> Windows:
    """With the server that other tests use, too."""
    return Windows(tmp_path, state, compiled)


def soak(test: Any) -> Any:
    return pytest.mark.slow(pytest.mark.soak(test))


def run(where: Any, era: str, work: Any) -> None:
    async def main() -> None:
        with anyio.fail_after(60):
            async with Client(stdio_client(where), mode=era) as client:
                await work(client)

    anyio.run(main)


def text(result: Any) -> str:
    return str(result.content[0].text)


@pytest.mark.parametrize("era", ERAS)
def test_a_server_that_is_killed_in_mid_session_is_started_anew_and_nobody_notices(
    windows: Windows, era: str
) -> None:
    async def work(client: Any) -> None:
        await client.call_tool("plan", {"steps": ["One", "Two", "Three"]})
        windows.kill()
        assert text(await client.call_tool("done", {"finished": [1]})) == "1/3 done. Now: Two"
        assert len((await client.list_tools()).tools) == 5
        assert text(await client.call_tool("done", {"finished": [2]})) == "2/3 done. Now: Three"

    run(windows.command(), era, work)
    assert windows.steps() == [["One", "Two", "Three"]]


def test_a_call_that_was_under_way_when_the_server_was_killed_is_answered_and_counts_once(
    windows: Windows,
) -> None:
    window = Window(windows)
    window.open()
    window.call("plan", steps=["One"])
    (server,) = windows.servers()
    os.kill(server, signal.SIGSTOP)
    window.send("tools/call", {"name": "add", "arguments": {"step": "Two", "where": "end"}})
    os.kill(server, signal.SIGKILL)
    assert not window.answer()["isError"]
    assert windows.steps() == [["One", "Two"]]
    assert window.close() == 0


def test_a_server_that_hangs_is_replaced_within_a_bound_and_its_calls_count_once(
    windows: Windows,
) -> None:
    windows.environ["TODOWRIGHT_PATIENCE"] = "2"
    window, idle = Window(windows), Window(windows)
    window.open()
    idle.open()
    window.call("plan", steps=["One"])
    (hung,) = windows.servers()
    os.kill(hung, signal.SIGSTOP)

    window.send("tools/call", {"name": "add", "arguments": {"step": "Two", "where": "end"}})
    assert not window.answer()["isError"]
    assert window.call("done", finished=["Two"]).startswith("1/2 done.")
    late = Window(windows)  # one that opens now finds the new server
    late.open()
    assert len(windows.servers()) == 2

    os.kill(hung, signal.SIGCONT)  # it finds the call that was given to the other one meanwhile
    assert idle.call("plan", steps=["Rest"])
    assert window.call("done", finished=["One"])
    assert sorted(windows.steps()) == [["One", "Two"], ["Rest"]]
    for each in (window, idle, late):
        assert each.close() == 0


def test_a_server_that_hangs_is_replaced_while_the_host_goes_on_talking(windows: Windows) -> None:
    windows.environ["TODOWRIGHT_PATIENCE"] = "2"
    window = Window(windows)
    window.open()
    window.call("plan", steps=["One"])
    (hung,) = windows.servers()
    os.kill(hung, signal.SIGSTOP)
    window.send("tools/call", {"name": "add", "arguments": {"step": "Two", "where": "end"}})
    stop = threading.Event()

    def talk() -> None:
        while not stop.wait(0.1):
            window.tell("notifications/roots/list_changed")

    talking = threading.Thread(target=talk)
    talking.start()
    try:
        assert not window.answer()["isError"]
    finally:
        stop.set()
        talking.join()
        os.kill(hung, signal.SIGCONT)
    assert windows.steps() == [["One", "Two"]]
    assert window.close() == 0


def test_a_window_waits_for_a_server_that_is_there_and_takes_long(windows: Windows) -> None:
    windows.environ["TODOWRIGHT_PATIENCE"] = "1"
    window = Window(windows)
    window.open()
    window.call("plan", steps=["One"])
    (server,) = windows.servers()
    locked = sqlite3.connect(windows.store.removeprefix("sqlite:///"), isolation_level=None)
    locked.execute("BEGIN IMMEDIATE")
    window.send("tools/call", {"name": "add", "arguments": {"step": "Two", "where": "end"}})
    time.sleep(3)
    locked.execute("COMMIT")
    locked.close()
    assert not window.answer()["isError"]
    assert windows.servers() == [server]
    assert window.close() == 0


@soak
def test_however_often_it_is_killed_no_call_is_lost_or_repeated(windows: Windows) -> None:
    window = Window(windows)
    window.open()
    window.call("plan", steps=["Step 0"])
    stop = threading.Event()

    def kill() -> None:
        for pause in (0.05, 0.011, 0.023):
            until(lambda: bool(windows.servers()) or stop.is_set())
            time.sleep(pause)
            for server in windows.servers():
                os.kill(server, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    number = 0
    while killer.is_alive() or number < 40:
        number += 1
        window.call("add", step=f"Step {number}", where="end")
    stop.set()
    killer.join()
    assert windows.steps() == [[f"Step {each}" for each in range(number + 1)]]
    assert window.close() == 0


def test_ten_windows_that_open_at_once_share_one_server_and_keep_apart(others: Windows) -> None:
    opened = [Window(others) for _ in range(10)]
    for window in opened:
        window.open()
    for number, window in enumerate(opened):
        assert window.call("plan", steps=[f"Mine {number}", "Next"]) == "OK."
    assert len(others.servers()) == 1
    for window in opened:
        assert window.call("done", finished=[1]) == "1/2 done. Now: Next"
        assert window.close() == 0
    # one host process has them all here: each window is still its own
    assert sorted(others.steps()) == [[f"Mine {number}", "Next"] for number in range(10)]


def test_windows_in_two_folders_have_the_stores_and_names_of_their_folders(
    others: Windows, tmp_path: Path
) -> None:
    del others.environ["TODOWRIGHT_STORE"]
    for name in ("one", "two"):
        others.folder = tmp_path / name
        (others.folder / ".git").mkdir(parents=True)
        window = Window(others)
        window.open()
        window.call("plan", steps=["Fix it"])
        assert window.close() == 0
        (session,) = open_store(f"sqlite:///{tmp_path}/{name}/.todowright/plans.db").sessions()
        assert session.startswith(f"{name}-test-Fix-it-")
    assert len(others.servers()) == 1
    noted = {each.mark: each.root for each in noted_projects(str(others.state))}
    assert noted == {"one": str(tmp_path / "one"), "two": str(tmp_path / "two")}  # for the board


@soak
def test_when_the_package_is_upgraded_old_windows_go_on_with_the_new_server(
    windows: Windows, tmp_path: Path
) -> None:
    package = Path(todowright.__file__).parent
    shutil.copytree(package, tmp_path / "site" / "todowright")
    windows.environ["PYTHONPATH"] = str(tmp_path / "site")
    old = Window(windows)
    old.open()
    assert old.call("plan", steps=["One", "Two"]) == "OK."
    (first,) = windows.servers()
    here = tmp_path / "site" / "todowright" / "__init__.py"
    text = here.read_text("utf-8")
    here.write_text(text.replace(f'"{todowright.__version__}"', '"99.0.0"'), "utf-8")
    new = Window(windows)
    new.send("initialize", HELLO)
    assert new.answer()["serverInfo"]["version"] == "99.0.0"
    until(lambda: first not in windows.servers())
    assert old.call("done", finished=[1]) == "1/2 done. Now: Two"
    assert len(windows.servers()) == 2
    assert (old.close(), new.close()) == (0, 0)


@soak
def test_a_socket_that_a_killed_server_left_is_replaced(windows: Windows) -> None:
    first = Window(windows)
    first.open()
    (path,) = windows.state.glob("mcp-????????-????????")
    windows.kill()
    assert path.is_socket()
    second = Window(windows)
    second.open()
    assert oct(path.stat().st_mode & 0o777) == "0o600"
    assert (first.close(), second.close()) == (0, 0)


@soak
def test_a_server_that_nobody_uses_ends_and_takes_its_socket_with_it(windows: Windows) -> None:
    windows.environ["TODOWRIGHT_LINGER"] = "0.2"
    window = Window(windows)
    window.open()
    assert len(windows.servers()) == 1
    assert window.close() == 0
    until(lambda: not windows.servers())
    assert [path for path in windows.state.iterdir() if path.is_socket()] == []
    assert (windows.state / "server.log").read_text("utf-8") == ""
    again = Window(windows)
    again.open()
    assert again.close() == 0


def linked(windows: Windows) -> None:
    elsewhere = windows.folder.parent / "elsewhere"
    elsewhere.mkdir()
    windows.state.symlink_to(elsewhere)


def anothers(windows: Windows) -> None:
    windows.state.mkdir()
    if os.geteuid() == 0:
        os.chown(windows.state, 12_345, 12_345)
    else:
        windows.environ["TODOWRIGHT_STATE"] = "/usr"


def a_file(windows: Windows) -> None:
    windows.state.write_text("", "utf-8")


def broken(windows: Windows) -> None:
    windows.environ["TODOWRIGHT_LINGER"] = "no number"


def forbidden(windows: Windows) -> None:
    windows.environ["TODOWRIGHT_SHARED"] = "0"


@pytest.mark.parametrize(
    "prevent",
    [
        linked,
        *(
            pytest.param(each, marks=[pytest.mark.soak, pytest.mark.slow])
            for each in (anothers, a_file, broken, forbidden)
        ),
    ],
)
def test_where_no_server_can_be_shared_the_window_serves_itself(
    windows: Windows, prevent: Callable[[Windows], None]
) -> None:
    prevent(windows)
    window = Window(windows)
    window.open()
    assert window.call("plan", steps=["One"]) == "OK."
    assert windows.servers() == []
    assert window.close() == 0
    assert windows.steps() == [["One"]]
    elsewhere = windows.folder.parent / "elsewhere"
    assert not elsewhere.exists() or list(elsewhere.iterdir()) == []


@soak
def test_where_the_path_is_too_long_for_a_socket_it_is_in_a_short_folder(windows: Windows) -> None:
    windows.state = windows.state / ("x" * LONGEST_PATH)
    windows.environ["TODOWRIGHT_STATE"] = str(windows.state)
    short = Path(socket_path(windows.environ)).parent
    assert short.parent == Path("/tmp")
    window = Window(windows)
    window.open()
    assert oct(short.stat().st_mode & 0o777) == "0o700"
    windows.state = short
    assert len(windows.servers()) == 1
    assert window.close() == 0
    windows.kill()
    for each in short.iterdir():
        each.unlink()
    short.rmdir()


def test_a_window_that_waits_does_nothing_and_neither_does_its_server(others: Windows) -> None:
    window = Window(others)
    window.open()
    (server,) = others.servers()

    def switches(process: int) -> int:
        status = Path(f"/proc/{process}/status").read_text("utf-8").splitlines()
        return sum(int(line.split()[1]) for line in status if "ctxt_switches" in line)

    processes = (window.process.pid, server)
    time.sleep(0.3)
    before = [switches(each) for each in processes]
    time.sleep(0.7)
    assert [switches(each) for each in processes] == before
    assert window.close() == 0


def test_long_lines_pass_in_both_directions(others: Windows) -> None:
    window = Window(others)
    window.open()
    steps = [f"{number} " + "x" * 900 for number in range(180)]
    assert window.call("plan", steps=steps) == "OK."
    assert len(window.call("plan")) > 150_000
    assert window.close() == 0


def test_what_is_no_json_is_answered_by_the_sdk_and_harms_nobody(others: Windows) -> None:
    window = Window(others)
    window.open()
    assert window.process.stdin is not None
    for line in ("no json", "[1]", '{"a": 1}', "", "  ", "\ufffd", '{"id": 3}', '"x"'):
        print(line, file=window.process.stdin, flush=True)
    window.send("tools/list", {})
    assert window.process.stdout is not None
    while json.loads(line := window.process.stdout.readline()).get("id") != window.number:
        assert "error" in json.loads(line) or "method" in json.loads(line)
    assert window.close() == 0


def test_a_store_that_cannot_be_had_is_told_in_one_line(others: Windows) -> None:
    del others.environ["TODOWRIGHT_STORE"]
    (others.folder / ".git").mkdir()
    (others.folder / "elsewhere").mkdir()
    (others.folder / ".todowright").symlink_to(others.folder / "elsewhere")
    window = Window(others)
    window.send("initialize", {})
    out, error = window.process.communicate(timeout=60)
    assert (out, window.process.returncode) == ("", 1)
    assert error.count("\n") == 1
    assert "is a symbolic link: set TODOWRIGHT_STORE to the store that is meant" in error


def test_who_speaks_otherwise_to_the_socket_is_sent_away(others: Windows) -> None:
    window = Window(others)
    window.open()
    (path,) = others.state.glob("mcp-????????-????????")
    for said in (b"GET / HTTP/1.1\r\n\r\n", b"3\nabc", b"9999999999999999999999\n", b"\0" * 100):
        with socket.socket(socket.AF_UNIX) as other:
            other.settimeout(60)
            other.connect(str(path))
            other.sendall(said)
            other.shutdown(socket.SHUT_WR)
            assert other.recv(100) == b""
    assert window.call("plan", steps=["One"]) == "OK."
    assert window.close() == 0
    assert (others.state / "server.log").read_text("utf-8") == ""


def test_the_window_of_a_named_session_and_dialect_has_them(others: Windows) -> None:
    window = Window(others, *COMMAND, "--session", "auth", "--dialect", "checklist")
    window.open()
    item = {"content": "One", "status": "in_progress", "activeForm": "Doing one"}
    window.call("TodoWrite", items=[item])
    assert window.close() == 0
    assert TodoWrite("lean", store=others.store, session="auth").plan.count("in_progress") == 1
