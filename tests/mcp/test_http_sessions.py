"""What MCP hosts leave behind that connect over HTTP and go away."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.web.running import port_of, running
from todowright import MemoryStore
from todowright.cli import main
from todowright.mcp import http_sessions
from todowright.mcp.server import PlanServer
from todowright.web.app import build

ID = "mcp-session-id"


@pytest.fixture
def http(monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx2.Client]:
    """A server that keeps five that only began, for three seconds, and eight in all."""
    monkeypatch.setattr(http_sessions, "ABANDONED_SECONDS", 3.0)
    monkeypatch.setattr(http_sessions, "MOST_OPENED", 5)
    monkeypatch.setattr(http_sessions, "MOST_SESSIONS", 8)
    sessions = PlanServer(MemoryStore()).http()
    app = build(MemoryStore(), keys=None, mounted=sessions.handle_request, started=sessions.run)
    with running(app) as server:
        headers = {"accept": "application/json, text/event-stream"}
        url = f"http://127.0.0.1:{port_of(server)}"
        with httpx2.Client(base_url=url, headers=headers, timeout=30) as client:
            yield client


def said(http: httpx2.Client, method: str, session: str = "", **params: Any) -> httpx2.Response:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if not method.startswith("notifications/"):
        message["id"] = 1
    return http.post("/mcp", json=message, headers={ID: session} if session else {})


def opened(http: httpx2.Client, name: str = "host") -> str:
    answer = said(
        http,
        "initialize",
        protocolVersion="2025-06-18",
        capabilities={},
        clientInfo={"name": name, "version": "1"},
    )
    assert answer.status_code == 200, answer.text
    return str(answer.headers[ID])


def established(http: httpx2.Client) -> str:
    session = opened(http)
    assert said(http, "notifications/initialized", session).status_code == 202
    return session


def test_a_session_that_was_only_begun_is_gone_after_a_moment(http: httpx2.Client) -> None:
    used, abandoned = established(http), opened(http)
    time.sleep(5)  # it is not asked for meanwhile: that would be a use of it
    assert said(http, "tools/list", abandoned).status_code == 404
    assert said(http, "tools/list", used).status_code == 200


def test_of_many_that_were_only_begun_the_last_few_are_kept(http: httpx2.Client) -> None:
    many = [opened(http) for _ in range(20)]
    assert said(http, "tools/list", many[0]).status_code == 404
    assert said(http, "tools/list", many[-1]).status_code == 200


def test_of_many_in_use_the_one_used_longest_ago_goes(http: httpx2.Client) -> None:
    first = established(http)
    others = [established(http) for _ in range(7)]
    assert said(http, "tools/list", first).status_code == 200
    established(http)
    assert said(http, "tools/list", others[0]).status_code == 404
    assert said(http, "tools/list", first).status_code == 200


def test_who_begins_is_brief(http: httpx2.Client) -> None:
    answer = said(http, "initialize", clientInfo={"name": "x" * 20_000, "version": "1"})
    assert answer.status_code == 413
    assert json.loads(answer.text) == {"error": "an initialize may have at most 16000 bytes"}


def test_a_host_that_ends_its_session_can_begin_another(http: httpx2.Client) -> None:
    session = established(http)
    assert http.delete("/mcp", headers={ID: session}).status_code == 200
    assert said(http, "tools/list", session).status_code == 404
    established(http)


def test_an_address_without_a_host_to_print_for_is_a_wrong_usage(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["mcp", "--http"]) == 2
    assert "--http goes with --print-config" in capsys.readouterr().err
