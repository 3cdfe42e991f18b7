"""What to paste where, so that a host starts our MCP server, or finds one that runs.

The text is what the file holds, and nothing else: it can be sent into an empty file as it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from todowright.hosts.description import COMMAND, HOSTS, NAME, TOKEN, server_entry

APPROVED = {"default_tools_approval_mode": "approve"}


def config(host: str, command: Sequence[str] = COMMAND, options: Sequence[str] = ()) -> str:
    """The text for a host's configuration, with the server that it is to start."""
    entry = server_entry(tuple(command))
    program, arguments = str(entry["command"]), [*_strings(entry["args"]), *options]
    plain = {"command": program, "args": arguments}
    if host == "codex":
        return codex_server({**plain, "required": True, "omit_tools_from": ["deferred"]})
    return _json(_value(host, plain, [program, *arguments]))


def http_config(host: str, url: str) -> str:
    """The same for a server that runs already; the token is taken from the environment, or asked for."""
    if host == "codex":
        return codex_server(
            {"url": url, "bearer_token_env_var": TOKEN, "required": True,
             "omit_tools_from": ["deferred"]}
        )  # fmt: skip
    return _json(_http_value(host, url))


def where(host: str, *, http: bool) -> list[str]:
    """What a person must know beside the text: where it goes, and what else there is to do."""
    lines = [f"This goes into {HOSTS[host].shared}"]
    if host == "claude":
        lines.append(
            "Claude Code asks once whether you trust the server, and whether a tool may be called;"
        )
        lines.append(
            "`todowright install claude` does without, and gives the plan back after a compaction."
        )
    if http and host == "vscode":
        lines.append("VS Code asks for the token: todowright token new vscode")
    elif http and host == "zed":
        lines.append(
            "Only you can read that file: put the token in. Make one: todowright token new zed"
        )
    elif http:
        lines.append(f"Before you start the host: export {TOKEN}=$(todowright token new {host})")
    return lines


def _value(host: str, plain: dict[str, Any], command: list[str]) -> dict[str, Any]:
    match host:
        case "claude":
            return {"mcpServers": {NAME: {**plain, "alwaysLoad": True}}}
        case "gemini":
            return {"mcpServers": {NAME: {**plain, "trust": True}}}
        case "qwen":
            return {"mcpServers": {NAME: {**plain, "trust": True, "alwaysLoadTools": True}}}
        case "vscode":
            return {"servers": {NAME: {"type": "stdio", **plain}}}
        case "opencode":
            local = {"type": "local", "command": command, "enabled": True}
            return {"$schema": "https://opencode.ai/config.json", "mcp": {NAME: local},
                    "permission": {f"{NAME}_*": "allow"}}  # fmt: skip
        case "zed":
            return {"context_servers": {NAME: {"source": "custom", **plain, "env": {}}}}
        case _:
            return {"mcpServers": {NAME: plain}}


def _http_value(host: str, url: str) -> dict[str, Any]:
    match host:
        case "claude":
            entry = _server(url, "${%s}", type="http", alwaysLoad=True)
        case "cursor":
            entry = _server(url, "${env:%s}")
        case "gemini":
            return {"mcpServers": {NAME: _gemini(url, trust=True)}}
        case "qwen":
            return {"mcpServers": {NAME: _gemini(url, trust=True, alwaysLoadTools=True)}}
        case "vscode":
            asked = {"type": "promptString", "id": NAME, "password": True,
                     "description": "A token: todowright token new vscode"}  # fmt: skip
            server = _server(url, "${input:todowright}", type="http")
            return {"inputs": [asked], "servers": {NAME: server}}
        case "opencode":
            remote = _server(url, "{env:%s}", type="remote", enabled=True)
            return {"$schema": "https://opencode.ai/config.json", "mcp": {NAME: remote},
                    "permission": {f"{NAME}_*": "allow"}}  # fmt: skip
        case _:
            return {"context_servers": {NAME: _server(url, "TOKEN")}}
    return {"mcpServers": {NAME: entry}}


def _server(url: str, token: str, **more: object) -> dict[str, object]:
    return {
        **more,
        "url": url,
        "headers": {"Authorization": f"Bearer {token.replace('%s', TOKEN)}"},
    }


def _gemini(url: str, **more: object) -> dict[str, object]:
    return {"httpUrl": url, "headers": {"Authorization": f"Bearer ${TOKEN}"}, **more}


def codex_server(entry: dict[str, object]) -> str:
    """Codex's table for the server; a call of its tools needs no approval."""
    lines = [f"[mcp_servers.{NAME}]"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in {**entry, **APPROVED}.items()]
    return "\n".join(lines)


def _strings(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
