"""The folder that Claude Code, Codex and Qwen Code install as a plugin, and Gemini CLI's extension."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from todowright.hosts.description import (
    COMMAND,
    LIST_TOOLS,
    NAME,
    OWN_PLAN_TOOLS,
    PURPOSE,
    SKILL,
    VERSION,
    server_entry,
)

MARKETPLACE = "todowright-local"
PLUGIN = f"{NAME}@{MARKETPLACE}"
HOOK_TOOL = "hook"
"""The tool of our server that is called by hooks alone: no model is offered it."""
_IN_CLAUDE = f"mcp__plugin_{NAME}_{NAME}__.*"
_ELSEWHERE = f"mcp__{NAME}__.*"
_FIELDS = (
    "hook_event_name",
    "session_id",
    "agent_id",
    "agent_type",
    "tool_use_id",
    "tool_name",
    "cwd",
)


def plugin_files(command: Sequence[str] = COMMAND) -> dict[str, str]:
    """The marketplace with its one plugin: path and text of each file."""
    owner = {"name": NAME}
    listed = {"name": NAME, "source": f"./{NAME}", "description": PURPOSE}
    manifest = {
        "name": NAME,
        "version": VERSION,
        "description": PURPOSE,
        "author": owner,
        "license": "MIT",
        "mcpServers": {NAME: server_entry(tuple(command))},
    }
    about = {"description": PURPOSE}
    market = {"name": MARKETPLACE, "owner": owner, "metadata": about, "plugins": [listed]}
    return {
        ".claude-plugin/marketplace.json": _json(market),
        f"{NAME}/.claude-plugin/plugin.json": _json(manifest),
        f"{NAME}/hooks/hooks.json": _json({"hooks": hooks(command)}),
        f"{NAME}/skills/plan/SKILL.md": SKILL,
    }


def hooks(command: Sequence[str] = COMMAND) -> dict[str, list[dict[str, Any]]]:
    """The hooks of the plugin.

    In Claude Code, where our tools have a name of their own by the plugin, a call of them is noted by our
    own server, without a process. Everywhere else a command does it. No time-out is named, since hosts
    count it in different units.
    """
    run = [_command(command)]
    fields = {name: f"${{{name}}}" for name in _FIELDS}
    ask = {
        "type": "mcp_tool",
        "server": f"plugin:{NAME}:{NAME}",
        "tool": HOOK_TOOL,
        "input": fields,
    }
    own = own_plan_hooks(command)
    return {
        "SessionStart": [{"matcher": "startup|resume|clear|compact|fork", "hooks": run}],
        "UserPromptSubmit": [{"hooks": run}],
        **own,
        "PreToolUse": [
            {"matcher": _IN_CLAUDE, "hooks": [ask]},
            {"matcher": _ELSEWHERE, "hooks": run},
            *own["PreToolUse"],
        ],
        "PreCompact": [{"hooks": run}],
        "Stop": [{"hooks": run}],
        "SubagentStop": [{"hooks": run}],
    }


def own_plan_hooks(command: Sequence[str] = COMMAND) -> dict[str, list[dict[str, Any]]]:
    """The hooks at a host's own plan tool: what it completes is verified before, and all is mirrored after.

    Claude Code has an event of its own for a task that is to be completed.
    """
    run = [_command(command)]
    return {
        "PreToolUse": [{"matcher": "|".join(LIST_TOOLS), "hooks": run}],
        "PostToolUse": [{"matcher": "|".join(OWN_PLAN_TOOLS), "hooks": run}],
        "TaskCompleted": [{"hooks": run}],
    }


def gemini_files(command: Sequence[str] = COMMAND) -> dict[str, str]:
    """Gemini CLI's extension: path and text of each file."""
    entry = server_entry(tuple(command))
    manifest = {
        "name": NAME,
        "version": VERSION,
        "description": PURPOSE,
        "excludeTools": ["write_todos"],
        "mcpServers": {NAME: {"command": entry["command"], "args": entry["args"]}},
    }
    run = [{"name": NAME, **_command([*command], "gemini")}]
    events = {
        "SessionStart": [{"hooks": run}],
        "BeforeAgent": [{"hooks": run}],
        "BeforeTool": [{"matcher": f"mcp_{NAME}_.*|invoke_agent", "hooks": run}],
        "AfterTool": [{"matcher": "invoke_agent", "hooks": run}],
        "AfterAgent": [{"hooks": run}],
    }
    return {
        "gemini-extension.json": _json(manifest),
        "hooks/hooks.json": _json({"hooks": events}),
        "skills/plan/SKILL.md": SKILL,
    }


GEMINI_POLICY = f"""\
[[rule]]
toolName = "*"
mcpName = "{NAME}"
decision = "allow"
priority = 200
"""
"""What lets Gemini CLI call our tools: it takes no leave from an extension."""


def _command(command: Sequence[str], host: str = "") -> dict[str, Any]:
    from shlex import join

    return {"type": "command", "command": join([*command, "hook", *([host] if host else [])])}


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
