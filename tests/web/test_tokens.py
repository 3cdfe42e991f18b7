"""Who may come in: tokens, links, cookies, and the file behind them."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cli.terminal import BIN, Terminal, until
from tests.web.serving import Served
from todowright.web import guard
from todowright.web.keys import BadLink, Keys, new_token, revoke
from todowright.web.token_file import TokenError, TokenFile

TICK = {"edits": [{"do": "complete", "step": 1}]}
PLAN = "/api/sessions/plans/plans/main"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = Served(tmp_path_factory.mktemp("guarded"))
    made.todo("plans")({"steps": ["One"]}, tool="plan")
    yield made
    assert "Traceback" not in made.stop()


def command(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "XDG_DATA_HOME": str(home), "NO_COLOR": "1"}
    line = [sys.executable, "-m", "todowright", *words]
    return subprocess.run(line, capture_output=True, text=True, env=environ, cwd=home, timeout=60)


# Who comes without a token.


@pytest.mark.parametrize("path", ["/", "/board.js", "/api/sessions", "/api/events", "/api/openapi.json", PLAN])  # fmt: skip
def test_on_this_machine_too_nobody_reads_without_a_token(served: Served, path: str) -> None:
    """Another user of the machine reaches the port as well as we do."""
    with served.stranger() as stranger:
        assert stranger.get(path).status_code == 401


def test_another_user_of_the_machine_can_change_no_plan_and_call_no_tool(served: Served) -> None:
    """An agent with a shell would take it for the person's wish."""
    with served.stranger() as stranger:
        assert stranger.patch(PLAN, json=TICK, headers={"if-match": '"1"'}).status_code == 401
        assert stranger.post("/mcp", json={"jsonrpc": "2.0"}).status_code == 401
        wrong = {"authorization": "Bearer x", "cookie": f"todowright-{served.port}=w.1.2.3"}
        assert stranger.get("/api/sessions", headers=wrong).status_code == 401
    assert served.todo("plans").plan.revision == 1


def test_a_program_is_told_in_one_line_which_command_gives_a_token(served: Served) -> None:
    with served.stranger() as stranger:
        answer = stranger.get("/api/sessions")
    told = answer.json()["error"]
    assert "todowright token new NAME" in told
    assert "\n" not in told
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_person_is_told_on_a_page_which_command_gives_a_link(served: Served) -> None:
    with served.stranger() as stranger:
        answer = stranger.get("/", headers={"accept": "text/html"})
    assert answer.status_code == 401
    assert f"<code>todowright serve --link --port {served.port}</code> gives" in answer.text


def test_without_a_token_is_a_choice_with_a_warning(tmp_path: Path) -> None:
    made = Served(tmp_path, "--no-token")
    try:
        assert "warning: --no-token lets everybody on this machine" in made.greeting
        with made.stranger() as stranger:
            assert stranger.get("/api/sessions").status_code == 200
            assert stranger.get("/?link=anything").status_code == 200
    finally:
        made.stop()


# Tokens.


def test_a_token_that_reads_may_not_write_and_is_no_good_for_mcp(served: Served) -> None:
    read = served.token_of("read")
    with served.stranger() as http:
        assert http.get("/api/sessions", headers=read).json()["edits"] is False
        match = {"if-match": '"1"'}
        assert http.patch(PLAN, json=TICK, headers=read | match).status_code == 403
        assert http.post("/mcp", json={}, headers=read).status_code == 403
        text = read["authorization"].removeprefix("Bearer ")
        assert http.get(f"/?token={text}").status_code == 401  # an address is kept in many places


def test_the_command_makes_lists_and_revokes_tokens_and_a_server_that_runs_obeys(
    tmp_path: Path,
) -> None:
    made = Served(tmp_path)
    home = tmp_path / "home"
    try:
        told = command(home, "token", "new", "robot", "--scope", "read")
        assert told.stderr == ""
        bearer = {"authorization": f"Bearer {told.stdout.strip()}"}
        with made.stranger() as http:
            assert http.get("/api/sessions", headers=bearer).status_code == 200
            listed = json.loads(command(home, "token", "list", "--json").stdout)
            assert {"name": "robot", "scope": "read", "made": listed[-1]["made"]} in listed
            assert command(home, "token", "revoke", "robot").stdout == "Revoked: robot.\n"
            assert http.get("/api/sessions", headers=bearer).status_code == 401
    finally:
        made.stop()


def test_tokens_and_cookies_survive_a_restart_of_the_server(tmp_path: Path) -> None:
    first = Served(tmp_path)
    name, cookie = f"todowright-{first.port}", first.cookie()["value"]
    first.stop()
    again = Served(tmp_path, port=first.port)
    try:
        with httpx2.Client(base_url=again.url) as http:
            assert http.get("/api/sessions", headers=first.headers).status_code == 200
            shown = {"cookie": f"{name}={cookie}"}
            assert http.get("/api/sessions", headers=shown).status_code == 200
    finally:
        again.stop()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["new", "taken"], "there is a token taken already"),
        (["new", "browser"], "stands for all browsers"),
        (["new", "a\nb"], "1 to 60 printable characters"),
        (["new", "x" * 61], "1 to 60 printable characters"),
        (["revoke", "nobody"], "there is no token nobody: todowright token list"),
    ],
)
def test_what_cannot_be_done_is_one_line(tmp_path: Path, words: list[str], told: str) -> None:
    command(tmp_path, "token", "new", "taken")
    before = (tmp_path / "todowright" / "tokens.json").read_text()
    done = command(tmp_path, "token", *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert told in done.stderr
    assert (tmp_path / "todowright" / "tokens.json").read_text() == before


def test_a_header_for_curl_is_printed_so_that_the_token_is_in_no_command_line(
    tmp_path: Path,
) -> None:
    told = command(tmp_path, "token", "new", "curl", "--header").stdout
    assert re.fullmatch(r"Authorization: Bearer \S{40,}\n", told)


def test_many_who_make_tokens_at_once_lose_none(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    makers = [
        threading.Thread(target=lambda n=n: new_token(TokenFile(file), f"t{n}", "read"))
        for n in range(20)
    ]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert {token.name for token in TokenFile(file).read().tokens} == {f"t{n}" for n in range(20)}


# The file.


def test_the_file_is_for_its_user_alone_and_holds_no_token(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "new" / "tokens.json")
    text = new_token(file, "mine", "write")
    path = file.path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert text not in path.read_text()
    assert file.read().secret not in repr(file.read())


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    file.read()
    file.path.chmod(0o644)
    with pytest.raises(TokenError, match="has the mode 644, so others can read its secrets"):
        file.read()


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    real = TokenFile(tmp_path / "real.json")
    real.read()
    (tmp_path / "tokens.json").symlink_to(real.path)
    with pytest.raises(TokenError, match="is a symbolic link: remove it"):
        TokenFile(tmp_path / "tokens.json").read()


def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    file.read()
    if os.geteuid() == 0:
        os.chown(file.path, 12345, 12345)
    else:  # only root can give a file away
        file = TokenFile("/etc/passwd")
    with pytest.raises(TokenError, match="belongs to another user: remove it"):
        file.read()


@pytest.mark.parametrize("content", ["", '{"secret": "ab", "tokens": []}'])
def test_a_damaged_file_lets_nobody_in_and_says_what_to_do(tmp_path: Path, content: str) -> None:
    made = Served(tmp_path)
    try:
        made.file.path.write_text(content)
        answer = made.http.get("/api/sessions")
        assert answer.status_code == 503
        assert "delete it, and make new tokens" in answer.json()["error"]
        made.file.path.unlink()
        assert made.http.get("/api/sessions").status_code == 401  # a new file, without the token
    finally:
        made.stop()


def test_a_token_whose_hash_is_none_is_a_damaged_file_too(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    new_token(file, "one", "read")
    text = file.path.read_text()
    file.path.write_text(re.sub(r'"digest": "[0-9a-f]+"', '"digest": "é"', text))
    with pytest.raises(TokenError, match="delete it, and make new tokens"):
        Keys(file, 1).visitor("x", [])


# Links and cookies.


def test_a_link_works_once_and_becomes_a_cookie_that_no_script_and_no_other_site_gets(
    served: Served,
) -> None:
    link = served.link()
    with served.stranger() as browser, served.stranger() as thief:
        answer = browser.get(link)
        cookie = answer.headers["set-cookie"].lower()
        assert (answer.status_code, "httponly" in cookie, "samesite=strict" in cookie) == (200, True, True)  # fmt: skip
        assert 'content="0;url=/"' in answer.text
        assert browser.get("/api/sessions").json()["edits"] is True
        late = thief.get(link)
        assert (late.status_code, "set-cookie" in late.headers) == (401, False)
        told = f"it works once; todowright serve --link --port {served.port} gives a new one"
        assert told in late.json()["error"]
        assert browser.get(link).status_code == 200  # who is in already is not sent away


def test_a_link_to_look_gives_a_cookie_to_look(served: Served) -> None:
    with served.stranger() as browser:
        browser.get(served.link("read"))
        assert browser.get("/api/sessions").json()["edits"] is False
        assert browser.patch(PLAN, json=TICK, headers={"if-match": '"1"'}).status_code == 403


def other(word: str) -> str:
    return ("y" if word.startswith("x") else "x") + word[1:]


@pytest.mark.parametrize("changed", ["r", "time", "nonce", "mac", "cookie", "€", "...", ""])
def test_a_link_that_was_tampered_with_is_refused(served: Served, changed: str) -> None:
    scope, moment, nonce, mac = served.keys.link("write").split(".")
    word = {
        "r": f"r.{moment}.{nonce}.{mac}",
        "time": f"{scope}.{int(moment, 16) + 10:x}.{nonce}.{mac}",
        "nonce": f"{scope}.{moment}.{other(nonce)}.{mac}",
        "mac": f"{scope}.{moment}.{nonce}.{other(mac)}",
        "cookie": served.keys.cookie("write"),
    }.get(changed, changed)
    with served.stranger() as browser:
        answer = browser.get("/", params={"link": word})
    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)


def test_a_link_is_good_for_one_server_of_one_user(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    here, next_door = Keys(file, 8700), Keys(file, 8701)
    other_user = Keys(TokenFile(tmp_path / "other.json"), 8700)
    for elsewhere in (next_door, other_user):
        with pytest.raises(BadLink, match="not of this server"):
            elsewhere.redeem(here.link("write"))
        assert elsewhere.visitor(None, [here.cookie("write")]) is None
    assert here.visitor(None, [here.redeem(here.link("read"))]) is not None


def test_a_cookie_is_good_for_what_was_shown(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    one, all_of_them = Keys(file, 8700, "sqlite:////shop"), Keys(file, 8700, "all projects")
    cookie = one.redeem(Keys(file, 8700).link("read"))  # as `serve --link` makes it
    assert one.visitor(None, [cookie]) is not None
    assert all_of_them.visitor(None, [cookie]) is None


def test_a_link_of_before_the_start_of_the_server_is_too_old(tmp_path: Path) -> None:
    """It may have been used there: what was used is known as long as a server runs."""
    file = TokenFile(tmp_path / "tokens.json")
    link = Keys(file, 8700).link("write")
    time.sleep(0.01)
    with pytest.raises(BadLink, match="too old"):
        Keys(file, 8700).redeem(link)


def test_who_only_looks_ahead_does_not_use_a_link_up(served: Served) -> None:
    link = served.link()
    with served.stranger() as browser:
        assert browser.head(link).status_code == 401
        assert browser.get(link, headers={"sec-purpose": "prefetch;prerender"}).status_code == 503
        assert browser.get(link).status_code == 200


def test_the_name_browser_revokes_every_link_and_cookie(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    token, keys = new_token(file, "kept", "write"), Keys(file, 1)
    cookie, link = keys.cookie("write"), keys.link("write")
    revoke(TokenFile(file.path), "browser")
    assert keys.visitor(None, [cookie]) is None
    assert keys.visitor(token, []) is not None
    with pytest.raises(BadLink):
        keys.redeem(link)


def test_a_stream_ends_when_its_token_is_revoked(
    tmp_path: Path,
) -> None:
    made = Served(tmp_path)
    try:
        name = made.file.read().tokens[0].name
        with made.http.stream("GET", "/api/events", timeout=60) as stream:
            lines = stream.iter_lines()
            assert next(lines) == "retry: 1000"
            revoke(made.file, name)
            assert all("event: plan" not in line for line in lines)  # and there is an end
    finally:
        assert "Traceback" not in made.stop()


# What is printed, and where.


def test_a_link_is_printed_to_a_terminal_and_nothing_secret_to_a_log(tmp_path: Path) -> None:
    made = Served(tmp_path)
    secret = made.file.read().secret
    try:
        assert "link=" not in made.greeting
        assert f"a link that opens it: todowright serve --link --port {made.port}" in made.greeting
        link = command(
            tmp_path / "home", "serve", "--link", "--port", str(made.port)
        ).stdout.strip()
        assert link.startswith(f"http://127.0.0.1:{made.port}/?link=")  # a name may lead elsewhere
        assert secret not in link
        with made.stranger() as browser:
            assert browser.get(link).status_code == 200
            browser.get("/nope")
    finally:
        assert made.stop() == ""


def test_a_link_to_a_server_that_does_not_run_is_refused_in_one_line(tmp_path: Path) -> None:
    done = command(tmp_path, "serve", "--link", "--port", "1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "todowright serve: nothing listens on port 1: start todowright serve first, or give its --port\n"
    )


def test_in_a_terminal_the_greeting_has_a_link_that_works_once(tmp_path: Path) -> None:
    terminal = Terminal(
        str(BIN / "todowright"), "serve", "--port", "0", "--store", f"sqlite:///{tmp_path}/plans.db",
        columns=100, cwd=tmp_path, XDG_DATA_HOME=str(tmp_path),
    )  # fmt: skip
    try:
        terminal.wait_for(lambda lines: any("Ctrl-C" in line for line in lines))
        found = re.search(rb"http://127\.0\.0\.1:\d+/\?link=[\w.-]+", terminal.written)
        assert found
        assert httpx2.get(found[0].decode()).status_code == 200
        assert httpx2.get(found[0].decode()).status_code == 401
    finally:
        terminal.interrupt()
        terminal.ended()


def test_the_browser_is_opened_by_a_file_for_its_user_alone_and_not_by_a_command_line(
    tmp_path: Path,
) -> None:
    """Every user of the machine sees command lines, and could use the link first."""
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\nstat -c %a "${{1#file://}}" > {seen}.tmp; echo "$1" >> {seen}.tmp\n'
        f'cat "${{1#file://}}" >> {seen}.tmp; mv {seen}.tmp {seen}\n'
    )
    browser.chmod(0o700)
    before, os.environ["BROWSER"] = os.environ.get("BROWSER"), str(browser)
    try:
        made = Served(tmp_path, "--open")
    finally:
        del os.environ["BROWSER"]
        os.environ.update({} if before is None else {"BROWSER": before})
    try:
        until(seen.exists)
        mode, address, page = seen.read_text().split("\n", 2)
        assert (mode, address[:8], "link" in address) == ("600", "file:///", False)
        found = re.search(r"url=(http://127[^\"]+)", page)
        assert found
        with made.stranger() as http:
            assert http.get(found[1]).status_code == 200
        assert found[1].encode() not in Path(f"/proc/{made.process.pid}/cmdline").read_bytes()
    finally:
        made.stop()
    assert list((tmp_path / "home" / "todowright").glob("open-*")) == []


# How often.


class Asked:
    """A guard, and what it answers to whom."""

    def __init__(self, keys: Keys | None) -> None:
        async def fine(scope: Any, receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})

        self._guard = guard.Guard(fine, keys=keys)

    def __call__(self, method: str, client: str = "127.0.0.1", token: str = "") -> int:
        import asyncio

        seen: list[int] = []

        async def send(message: Any) -> None:
            seen.append(message.get("status", 0))

        async def receive() -> Any:
            return {"type": "http.request", "body": b""}

        bearer = [(b"authorization", f"Bearer {token}".encode())] if token else []
        scope = {
            "type": "http",
            "method": method,
            "path": "/",
            "headers": [(b"host", b"localhost"), *bearer],
            "client": (client, 1),
        }
        asyncio.run(self._guard(scope, receive, send))
        return seen[0]


@pytest.mark.parametrize(("method", "burst"), [("PATCH", guard.WRITES[1]), ("GET", guard.READS[1])])
def test_who_writes_or_reads_too_fast_is_slowed_down_and_others_are_not(
    method: str, burst: float
) -> None:
    """At the guard itself: how fast a whole server answers depends on the machine."""
    asked = Asked(None)
    codes = [asked(method, "10.0.0.1") for _ in range(int(burst))]
    assert codes[: int(burst) - 1] == [200] * (int(burst) - 1)
    while asked(method, "10.0.0.1") != 429:
        pass
    assert asked("GET" if method == "PATCH" else "PATCH", "10.0.0.1") == 200
    assert asked(method, "10.0.0.2") == 200


def test_a_stranger_on_the_same_machine_cannot_use_up_what_its_user_may_ask(tmp_path: Path) -> None:
    """They have the same address."""
    file = TokenFile(tmp_path / "tokens.json")
    token = new_token(file, "mine", "write")
    asked = Asked(Keys(file, 1))
    while asked("GET") != 429:
        pass
    assert asked("GET", token="wrong") in (401, 429)
    assert asked("GET", token=token) == 200
    assert asked("PATCH", token=token) == 200
