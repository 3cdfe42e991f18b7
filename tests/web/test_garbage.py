"""A server that is sent what no client would send, over a bare socket."""

from __future__ import annotations

import random
import socket

import pytest

from tests.bounds import MEGABYTES, SECONDS, most_memory, processor_seconds
from tests.web.serving import Served


def request(chance: random.Random, server: Served) -> bytes:
    """A request that no client would send."""
    session = chance.choice(
        ["known", "..", "%2e%2e", "%00", "a%2fb", "%ff", "\u202e", "x" * 3000, ""]
    )
    path = chance.choice([
        f"/api/sessions/{session}", f"/api/sessions/{session}/plans/main", f"/api/sessions/{session}/history/main",
        "/api/changes?after=" + chance.choice(["-1", "1e9", "9" * 50, "x", "%00"]), "/api/search?q=%ff", "/mcp",
        "/api/fleet?session=" + session, "/static/" + session, "//", "*", "/" + "a/" * 500, "/?link=" + session,
    ])  # fmt: skip
    method = chance.choice(
        ["GET", "PATCH", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "GET" * 50]
    )
    body = chance.choice(
        [b"", b"{", b"null", b'{"edits": [{"do": "x"}]}', b"[" * 9000, chance.randbytes(300)]
    )
    lines = [
        f"{method} {path} HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        f"Authorization: Bearer {server.token}",
    ]
    lines += chance.sample([
        "Content-Type: application/json", 'If-Match: "1"', "If-Match: *", "If-Match: x", "Range: bytes=0-0",
        "Transfer-Encoding: nonsense", "Accept: text/event-stream", "Expect: 100-continue", "X: " + "y" * 9000,
        "Origin: http://evil.example", "Cookie: a=b; c", "Last-Event-ID: -5", "Content-Length: 99999999999",
    ], 3)  # fmt: skip
    if not any(line.startswith(("Content-Length", "Transfer")) for line in lines):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("utf-8", "replace") + body


@pytest.mark.parametrize("count", [50, pytest.param(8_000, marks=[pytest.mark.slow, pytest.mark.soak])])  # fmt: skip
def test_a_server_that_is_sent_garbage_never_fails_and_the_plan_stays(
    server: Served, count: int
) -> None:
    todo = server.todo("known")
    todo({"steps": ["One", "Two"]}, tool="plan")
    chance = random.Random(5)
    answers: set[int] = set()
    for _ in range(count):
        before = processor_seconds(server.process.pid)
        with socket.create_connection(("127.0.0.1", server.port), 20) as client:
            client.sendall(request(chance, server))
            client.settimeout(20)
            head = client.recv(65536).split(b" ", 2)
            answers.add(int(head[1]) if len(head) > 1 else 0)
        assert processor_seconds(server.process.pid) - before < SECONDS
    assert most_memory(server.process.pid) < MEGABYTES
    assert {400, 404, 405} <= answers
    assert not {status for status in answers if status >= 500}, answers
    assert server.http.get("/api/sessions/known").status_code == 200
    assert [each.content for each in todo.plan.todos] == ["One", "Two"]
