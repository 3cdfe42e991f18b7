"""What to paste where, so that a host starts our MCP server."""

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


def _json(where: str, value: object) -> str:
    return f"{where}\n{json.dumps(value, indent=2, ensure_ascii=False)}"
