"""Attacks, each tried and refused."""

from __future__ import annotations

import re
import socket
import time
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from tests.web.serving import Served

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)><style>*{display:none}</style>"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "127.0.0.1.evil.example", "", "localhost.evil", "[::2]:80", "@", "evil@localhost",
        "evil.example@127.0.0.1", "localhost:80@evil", "localhost#evil", "localhost/evil", "localhost:", "localhost:x",
    ],
)  # fmt: skip
def test_another_host_is_refused(server: Served, host: str) -> None:
    answer = server.http.get("/api/sessions", headers={"host": host})
    assert answer.status_code in (400, 421)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://localhost.evil.example", "file://"]
)
@pytest.mark.parametrize("path", ["/api/sessions", "/mcp", "/api/sessions/x/plans/main"])
def test_another_origin_is_refused(server: Served, origin: str, path: str) -> None:
    method = "GET" if path == "/api/sessions" else "PATCH" if "plans" in path else "POST"
    assert server.http.request(method, path, headers={"origin": origin}).status_code == 403


def test_a_form_of_another_site_is_refused(server: Served) -> None:
    for site in ("cross-site", "same-site"):
        answer = server.http.post("/mcp", headers={"sec-fetch-site": site})
        assert answer.status_code == 403


def test_a_link_of_another_site_leads_to_the_page_and_to_nothing_else(server: Served) -> None:
    link = {
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
    }
    assert server.http.get("/", headers=link).status_code == 200
    assert server.http.get("/api/sessions", headers=link).status_code == 403
    assert server.http.post("/", headers=link).status_code == 403
    framed = {**link, "sec-fetch-dest": "iframe", "accept": "text/html"}
    refused = server.http.get("/", headers=framed)
    assert refused.status_code == 403
    assert refused.headers["content-type"].startswith("text/html")


def test_every_answer_forbids_what_it_does_not_need(server: Served) -> None:
    for path in ("/", "/board.js", "/api/sessions", "/nope", "/api/events"):
        with server.http.stream("GET", path) as answer:
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["x-frame-options"] == "DENY"


def test_the_pages_hold_no_inline_script_or_style(server: Served) -> None:
    page = server.http.get("/").text
    assert "<script>" not in page
    assert " style=" not in page
    assert re.findall(r"<[^>]*\son\w+\s*=", page) == []


@pytest.mark.parametrize("size", [1_000_001, 10_000_000])
def test_a_large_body_is_refused_with_and_without_its_length(server: Served, size: int) -> None:
    path = "/api/sessions/x/plans/main"
    told = server.http.patch(path, content=b"x" * size, headers={"if-match": '"1"'})
    chunks = (b"x" * 100_000 for _ in range(size // 100_000 + 1))
    untold = server.http.patch(path, content=chunks, headers={"if-match": '"1"'})
    assert told.status_code == 413
    assert untold.status_code == 413
    chunks = (b"x" * 100_000 for _ in range(size // 100_000 + 1))
    json_wanted = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
    }
    assert server.http.post("/mcp", content=chunks, headers=json_wanted).status_code == 413


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "/static/../app.py", "/app.py",
        "/..\\app.py", "/index.html%00.js", "/api/sessions/..%2f..%2fetc", "/api/../app.py", "/.env", "//etc/passwd",
    ],
)  # fmt: skip
def test_no_path_leads_to_other_files(server: Served, path: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.sendall(
            f"GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
            f"authorization: Bearer {server.token}\r\n\r\n".encode("latin-1")
        )
        answer = b""
        while part := raw.recv(65536):
            answer += part
    assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400")), answer[:60]
    assert b"root:" not in answer
    assert b"import" not in answer


def test_a_body_that_nobody_reads_does_not_hold_up_the_server(tmp_path: Path) -> None:
    served = Served(tmp_path)
    bearer = f"authorization: Bearer {served.token}\r\n".encode()
    head = b"GET /api/events HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n"
    with socket.create_connection(("127.0.0.1", served.port)) as raw:
        raw.sendall(head + bearer + b"\r\n")
        with suppress(OSError):
            for _ in range(12):
                raw.sendall(b"186a0\r\n" + b"x" * 100_000 + b"\r\n")
        raw.settimeout(0.5)
        with suppress(OSError):
            raw.recv(1000)
    for _ in range(3):
        assert served.http.get("/api/sessions").status_code == 200
    served.stop()


def test_slow_clients_do_not_hold_up_the_others(server: Served) -> None:
    slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
    try:
        for each in slow:
            head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n"
            each.sendall(f"{head}authorization: Bearer {server.token}\r\n\r\n{{".encode())
        began = time.monotonic()
        assert server.http.get("/api/sessions").status_code == 200
        assert time.monotonic() - began < 25  # a slow one is waited for far longer
    finally:
        for each in slow:
            each.close()


def test_hostile_text_is_kept_as_text(server: Served) -> None:
    todo = server.todo("hostile")
    todo({"steps": [HOSTILE]}, tool="plan")
    answer = server.http.get("/api/sessions/hostile")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["plans"][0]["todos"][0]["content"] == HOSTILE


@pytest.mark.parametrize("origin", ["http://[", "http://", "://", "http://localhost:1", "x" * 5000])
def test_an_origin_that_makes_no_sense_or_has_another_port_is_refused(
    server: Served, origin: str
) -> None:
    assert server.http.get("/api/sessions", headers={"origin": origin}).status_code == 403


def test_odd_requests_are_answered_and_not_with_a_server_error(server: Served) -> None:
    assert server.http.get("/" + "a" * 300 + ".js").status_code == 404
    assert server.http.head("/api/events").status_code == 200
    odd = server.http.get("/api/sessions/known/plans/a%0Ab")
    assert (odd.status_code, list(odd.json())) == (404, ["error"])
    assert server.http.get("/api/sessions").status_code == 200


def test_an_address_of_the_newer_kind_works(tmp_path: Path) -> None:
    served = Served(tmp_path, "--host", "::1")
    try:
        base = f"http://[::1]:{served.port}"
        with httpx2.Client(base_url=base, headers=served.headers) as http:
            assert http.get("/api/sessions").status_code == 200
    finally:
        served.stop()
