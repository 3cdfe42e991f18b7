"""What one who connects, sends slowly or does not read can cost: little."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn

from tests.cli.terminal import until
from tests.web.running import port_of, running
from todowright import MemoryStore, TodoWrite
from todowright.cli import main, serve
from todowright.web import bodies, connections
from todowright.web.app import build

HEAD = b"GET /api/events HTTP/1.1\r\nhost: localhost\r\n\r\n"


@contextmanager
def connected(port: int, sent: bytes) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as raw:
        raw.sendall(sent)
        yield raw


def ended(raw: socket.socket) -> bool:
    """Whether the other side has closed it, in time."""
    try:
        while raw.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


# Connections.


@pytest.fixture
def narrow(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """A server that may have 400 files open: its port, and its process."""
    serve = f"{sys.executable} -m todowright serve --no-token --port 0 --store memory:"
    process = subprocess.Popen(
        ["/bin/sh", "-c", f"ulimit -n 400; exec {serve}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdout is not None
    greeting = ""
    while "Ctrl-C" not in greeting:
        line = process.stdout.readline()
        assert line, greeting
        greeting += line
    found = re.search(r":(\d+)/", greeting)
    assert found
    yield int(found[1]), process.pid
    process.terminate()
    assert "Traceback" not in process.communicate(timeout=30)[0]


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nhost: "])
def test_more_half_sent_heads_than_files_may_be_open_do_not_stop_the_server(
    narrow: tuple[int, int], sent: bytes
) -> None:
    port, process = narrow
    with (
        ExitStack() as held,
        httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as http,
    ):
        for _ in range(1_000):
            held.enter_context(connected(port, sent))
        assert http.get("/api/sessions").status_code == 200
        assert len(list(Path(f"/proc/{process}/fd").iterdir())) < 390


def test_when_all_connections_are_in_use_the_next_is_told_so_and_those_go_on(
    narrow: tuple[int, int],
) -> None:
    port, process = narrow
    with ExitStack() as held:
        for _ in range(200):
            stream = held.enter_context(connected(port, HEAD))
            assert stream.recv(12) == b"HTTP/1.1 200"
        with connected(port, HEAD) as late:
            assert late.recv(65536).startswith(b"HTTP/1.1 503")
        assert len(list(Path(f"/proc/{process}/fd").iterdir())) < 390


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> Iterator[uvicorn.Server]:
    """A server that waits for little."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(connections, "STALL_SECONDS", 0.5)
    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.5)
    store = MemoryStore()
    TodoWrite("lean", store=store, session="s")({"steps": ["x" * 2_000] * 300}, tool="plan")
    with running(build(store, keys=None)) as server:
        yield server


@pytest.mark.parametrize("answered", [0, 1])
def test_a_head_that_never_ends_is_not_waited_for(hasty: uvicorn.Server, answered: int) -> None:
    whole = b"GET /icon.svg HTTP/1.1\r\nhost: localhost\r\n\r\n"
    with connected(port_of(hasty), whole * answered + b"GET / HTTP/1.1\r\nx: ") as raw:
        assert ended(raw)


def test_a_head_that_comes_a_byte_at_a_time_has_no_more_time(hasty: uvicorn.Server) -> None:
    with connected(port_of(hasty), b"GET / HTTP/1.1\r\nx: ") as raw:
        raw.settimeout(0.05)
        for _ in range(400):
            try:
                raw.sendall(b"x")
                assert raw.recv(1) == b""
                break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            raise AssertionError("it was waited for")


def test_a_body_that_never_comes_is_not_waited_for(hasty: uvicorn.Server) -> None:
    head = b'PATCH /api/sessions/s/plans/main HTTP/1.1\r\nhost: localhost\r\nif-match: "1"\r\ncontent-length: 9\r\n\r\n{'
    with connected(port_of(hasty), head) as raw:
        assert raw.recv(65536).startswith(b"HTTP/1.1 408")
        assert ended(raw)


def test_who_does_not_read_an_answer_is_cut_off(hasty: uvicorn.Server) -> None:
    with socket.socket() as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.settimeout(30)
        raw.connect(("127.0.0.1", port_of(hasty)))
        raw.sendall(b"GET /api/sessions/s HTTP/1.1\r\nhost: localhost\r\n\r\n" * 20)
        until(lambda: bool(hasty.server_state.connections))
        until(lambda: not hasty.server_state.connections)


def test_a_stream_that_is_read_goes_on_however_long(hasty: uvicorn.Server) -> None:
    with connected(port_of(hasty), HEAD) as raw:
        begun = b""
        while b"hello" not in begun:
            begun += raw.recv(65536)
        raw.settimeout(1.5)
        with pytest.raises(TimeoutError):  # nothing comes, and it is not closed
            raw.recv(1)


# Viewers.

TEXT = "写" * 2_000


def large(store: MemoryStore) -> TodoWrite:
    """A plan whose every revision is 600 kB long in a stream."""
    todo = TodoWrite("lean", store=store, session="large")
    todo({"steps": [f"{n} {TEXT}" for n in range(100)]}, tool="plan")
    return todo


def events(data: bytes) -> list[tuple[str, Any]]:
    found = re.findall(rb"event: (\w+)\ndata: (.*)\n\n", data)
    return [(name.decode(), json.loads(text)) for name, text in found]


def test_a_viewer_that_does_not_read_is_told_to_catch_up_and_costs_little() -> None:
    """A hundred revisions of 600 kB: it gets what is at hand, and is told which it missed."""
    store = MemoryStore()
    todo = large(store)
    with running(build(store, keys=None)) as server, socket.socket() as raw:
        port = port_of(server)
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        raw.settimeout(30)
        raw.connect(("127.0.0.1", port))
        raw.sendall(HEAD)
        assert raw.recv(12) == b"HTTP/1.1 200"
        todo({"now": 3}, tool="plan")
        begun = b""
        while (
            f"id: {store.newest()}\n".encode() not in begun
        ):  # it reads what comes, and then no more
            begun += raw.recv(2**20)
        for turn in range(100):
            todo({"now": turn % 99 + 2}, tool="plan")
        newest = store.newest()
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
            until(lambda: http.get("/api/sessions?limit=0").json()["number"] == newest)
            data = b""
            while f"id: {newest}\n".encode() not in data:
                part = raw.recv(2**20)
                assert part
                data += part
            todo({"now": 1}, tool="plan")
            while f"id: {newest + 1}\n".encode() not in data:
                data += raw.recv(2**20)
            assert len(data) < 20_000_000
            unchunked = re.sub(rb"\r\n[0-9a-f]+\r\n", b"", data)
            # Once, or again where this very test was slow to read.
            behind, *more = [told for name, told in events(unchunked) if name == "behind"]
            assert behind["after"] < behind["number"] <= newest
            assert len(more) < 10
            missed = http.get(f"/api/changes?after={behind['after']}").json()
            assert missed["changes"][0]["number"] == behind["after"] + 1


def test_who_comes_back_after_long_gets_every_revision_from_the_store() -> None:
    store = MemoryStore()
    todo = TodoWrite("lean", store=store, session="small")
    todo({"steps": ["One", "Two"]}, tool="plan")
    for turn in range(400):
        todo({"now": 2 - turn % 2}, tool="plan")
    last = store.newest()
    with running(build(store, keys=None)) as server:  # it was not there when they were made
        url = f"http://127.0.0.1:{port_of(server)}/api/events?after=0"
        with httpx2.stream("GET", url, timeout=30) as answer:
            numbers = []
            for line in answer.iter_lines():
                if line.startswith("id: "):
                    numbers.append(int(line[4:]))
                if numbers and numbers[-1] == last:
                    break
    assert numbers == list(range(last + 1))


def test_a_large_revision_reaches_who_reads_it_whole() -> None:
    store = MemoryStore()
    todo = large(store)
    with running(build(store, keys=None)) as server:
        url = f"http://127.0.0.1:{port_of(server)}/api/events"
        with httpx2.stream("GET", url, timeout=30) as answer:
            lines = answer.iter_lines()
            assert next(lines) == "retry: 1000"
            todo({"now": 2}, tool="plan")
            plan = next(json.loads(line[6:]) for line in lines if line.startswith("data: {"))
    assert plan["todos"][99]["content"] == f"99 {TEXT}"


def test_the_end_of_an_answer_does_not_wait_for_its_beginning_to_be_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_at_once = []

    def looked_at(_: object, listener: socket.socket) -> None:
        with socket.create_connection(listener.getsockname()), listener.accept()[0] as connection:
            set_at_once.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(serve, "_run", looked_at)
    assert main(["serve", "--port", "0", "--store", f"sqlite:///{tmp_path}/plans.db"]) == 0
    assert set_at_once == [1]
