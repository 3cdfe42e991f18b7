"""What to paste where, so that a host starts our MCP server, or finds one that runs."""

from __future__ import annotations

import json


def config(host: str, command: list[str]) -> str:
    """A comment that says where it goes, and the text to put there."""
    program, *arguments = command
    plain = {"command": program, "args": arguments}
    match host:
        case "claude":
            return _json("# .mcp.json of your project", {"mcpServers": {"todowright": plain}})
        case "cursor":
            return _json("# .cursor/mcp.json", {"mcpServers": {"todowright": plain}})
        case "vscode":
            return _json(
                "# .vscode/mcp.json", {"servers": {"todowright": {"type": "stdio", **plain}}}
            )
        case "codex":
            quoted = ", ".join(json.dumps(each) for each in arguments)
            lines = ["# ~/.codex/config.toml", "[mcp_servers.todowright]"]
            return "\n".join([*lines, f"command = {json.dumps(program)}", f"args = [{quoted}]"])
        case "opencode":
            local = {"type": "local", "command": command, "enabled": True}
            return _json("# opencode.json", {"mcp": {"todowright": local}})
        case _:
            custom = {"source": "custom", **plain, "env": {}}
            return _json("# settings.json of Zed", {"context_servers": {"todowright": custom}})


TOKEN = "TODOWRIGHT_TOKEN"  # noqa: S105
"""The variable in which a host finds its token: it is not to be pasted into a file that others read."""


def http_config(host: str, url: str) -> str:
    """The same for a server that runs already; the token is taken from the environment, or asked for."""
    match host:
        case "claude":
            where, value = (
                "# .mcp.json of your project",
                _servers("mcpServers", url, "${%s}", type="http"),
            )
        case "cursor":
            where, value = "# .cursor/mcp.json", _servers("mcpServers", url, "${env:%s}")
        case "vscode":
            asked = {"type": "promptString", "id": "todowright", "password": True,
                     "description": "A token: todowright token new vscode"}  # fmt: skip
            server = _server(url, "${input:todowright}", type="http")
            value = {"inputs": [asked], "servers": {"todowright": server}}
            return _json("# .vscode/mcp.json; VS Code asks for the token", value)
        case "codex":
            lines = [
                "# ~/.codex/config.toml",
                "[mcp_servers.todowright]",
                f"url = {json.dumps(url)}",
            ]
            return "\n".join([_how(host), *lines, f'bearer_token_env_var = "{TOKEN}"'])
        case "opencode":
            where = "# opencode.json"
            value = _servers("mcp", url, "{env:%s}", type="remote", enabled=True)
        case _:
            where = "# settings.json of Zed, which only you can read: put the token in"
            value = {"context_servers": {"todowright": _server(url, "TOKEN")}}
            return "\n".join(["# A token: todowright token new zed", _json(where, value)])
    return "\n".join([_how(host), _json(where, value)])


def _how(host: str) -> str:
    return f"# Before you start the host: export {TOKEN}=$(todowright token new {host})"


def _servers(key: str, url: str, variable: str, **more: object) -> dict[str, object]:
    return {key: {"todowright": _server(url, variable.replace("%s", TOKEN), **more)}}


def _server(url: str, token: str, **more: object) -> dict[str, object]:
    return {**more, "url": url, "headers": {"Authorization": f"Bearer {token}"}}


def _json(where: str, value: object) -> str:
    return f"{where}\n{json.dumps(value, indent=2, ensure_ascii=False)}"
