"""What is printed to be pasted into a host: sound, shareable, and with all that the host needs."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from todowright.cli import main
from todowright.hosts.description import HOSTS

TERMINAL = ["claude", "codex", "opencode", "gemini", "qwen"]


def printed(capsys: pytest.CaptureFixture[str], host: str, *more: str) -> tuple[str, str]:
    assert main(["mcp", "--print-config", host, *more]) == 0
    said = capsys.readouterr()
    return said.out, said.err


def read(host: str, text: str) -> dict[str, Any]:
    return tomllib.loads(text) if host == "codex" else json.loads(text)


def entry(value: dict[str, Any]) -> dict[str, Any]:
    for key in ("mcpServers", "mcp_servers", "mcp", "servers", "context_servers"):
        if key in value:
            return dict(value[key]["todowright"])
    raise AssertionError(value)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("http", [(), ("--http",)])
def test_what_is_printed_is_the_file_and_nothing_else(
    host: str, http: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = printed(capsys, host, *http)
    assert entry(read(host, out))
    assert HOSTS[host].shared in err
    assert all(line.startswith("# ") for line in err.splitlines())


@pytest.mark.parametrize("host", HOSTS)
def test_a_file_that_is_shared_names_no_path_of_this_machine(
    host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = entry(read(host, printed(capsys, host)[0]))
    command = found["command"]
    command = command if isinstance(command, list) else [command, *found["args"]]
    assert command == ["todowright", "mcp"]


@pytest.mark.parametrize("host", HOSTS)
def test_options_of_the_server_are_passed_on(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, host, "--session", 'a "b"', "--dialect", "smart")[0]
    assert "--session', 'a \"b\"" in str(read(host, out))
    assert "'--dialect', 'smart'" in str(read(host, out))


def test_the_tools_are_shown_at_once_and_may_be_called(capsys: pytest.CaptureFixture[str]) -> None:
    found = {host: read(host, printed(capsys, host)[0]) for host in TERMINAL}
    assert entry(found["claude"])["alwaysLoad"] is True
    codex = entry(found["codex"])
    assert codex["required"] is True
    assert codex["omit_tools_from"] == ["deferred"]
    assert codex["default_tools_approval_mode"] == "approve"
    assert found["opencode"]["permission"] == {"todowright_*": "allow"}
    assert entry(found["gemini"])["trust"] is True
    assert entry(found["qwen"])["alwaysLoadTools"] is True
    assert entry(found["qwen"])["trust"] is True


@pytest.mark.parametrize("host", HOSTS)
def test_a_token_is_named_and_never_printed(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = printed(capsys, host, "--http", "http://127.0.0.1:9/mcp")
    assert f"todowright token new {host}" in out + err
    found = entry(read(host, out))
    assert "http://127.0.0.1:9/mcp" in found.values()
    if host == "codex":
        assert found["bearer_token_env_var"] == "TODOWRIGHT_TOKEN"
    else:
        assert found["headers"]["Authorization"].startswith("Bearer ")
