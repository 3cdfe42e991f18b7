"""What each host needs to be set up: files of ours, and our parts of the host's own files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from todowright.hosts.config import codex_server, config
from todowright.hosts.description import NAME, PURPOSE, VERSION, server_entry
from todowright.hosts.opencode import opencode_plugin
from todowright.hosts.places import Places
from todowright.hosts.plugin import (
    GEMINI_POLICY,
    MARKETPLACE,
    PLUGIN,
    gemini_files,
    hooks,
    own_plan_hooks,
    plugin_files,
)

Keys = tuple[str, ...]
_CLAUDES = "TaskCompleted"
"""The event that only Claude Code knows."""


@dataclass(frozen=True)
class OwnFile:
    """A file that is ours alone."""

    path: Path
    text: str


@dataclass(frozen=True)
class JsonPart:
    """Our part of a host's JSON file: keys that are ours, and items of lists that others share."""

    path: Path
    keys: dict[Keys, Any] = field(default_factory=dict)
    items: dict[Keys, list[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class TomlBlock:
    """Our part of a host's TOML file: some lines between two marks."""

    path: Path
    text: str
    table: str
    """The table that must not be there twice."""


Piece = OwnFile | JsonPart | TomlBlock


def pieces(
    host: str, places: Places, command: Sequence[str], *, mirror: bool = False
) -> list[Piece]:
    """What is set up in a host: our tools and hooks; with `mirror` only what writes down its own plan."""
    if mirror:
        return _mirrors(host, places, command)
    match host:
        case "claude":
            return _claude(places, command)
        case "codex":
            return [TomlBlock(places.main_file(host), codex_block(command), f"mcp_servers.{NAME}")]
        case "opencode":
            path = places.config_folder(host) / "plugins" / f"{NAME}.js"
            return [OwnFile(path, opencode_plugin(command))]
        case "gemini":
            folder = places.config_folder(host)
            files = gemini_files(command)
            own = [OwnFile(folder / "extensions" / NAME / p, text) for p, text in files.items()]
            return [*own, OwnFile(folder / "policies" / f"{NAME}.toml", GEMINI_POLICY)]
        case "qwen":
            return _qwen(places, command)
        case _:
            value = json.loads(config(host, command))
            (key, servers), *_ = value.items()
            return [JsonPart(places.main_file(host), {(key, NAME): servers[NAME]})]


def _claude(places: Places, command: Sequence[str]) -> list[Piece]:
    files = [OwnFile(places.plugin / p, text) for p, text in plugin_files(command).items()]
    source = {"source": {"source": "directory", "path": str(places.plugin)}}
    settings = JsonPart(
        places.main_file("claude"),
        {("extraKnownMarketplaces", MARKETPLACE): source, ("enabledPlugins", PLUGIN): True},
        {("permissions", "allow"): [f"mcp__plugin_{NAME}_{NAME}"]},
    )
    return [*files, settings]


def _qwen(places: Places, command: Sequence[str]) -> list[Piece]:
    folder = places.config_folder("qwen")
    manifest = {
        "name": NAME,
        "version": VERSION,
        "description": PURPOSE,
        "mcpServers": {NAME: server_entry(tuple(command))},
        "hooks": {
            event: [each for each in groups if each["hooks"][0]["type"] == "command"]
            for event, groups in hooks(command).items()
            if event != _CLAUDES
        },
    }
    skill = plugin_files(command)[f"{NAME}/skills/plan/SKILL.md"]
    extension = folder / "extensions" / NAME
    return [
        OwnFile(extension / "qwen-extension.json", _json(manifest)),
        OwnFile(extension / "skills" / "plan" / "SKILL.md", skill),
        JsonPart(
            places.main_file("qwen"), items={("permissions", "allow"): [f"mcp__{NAME}"]}
        ),
    ]  # fmt: skip


def codex_block(command: Sequence[str], *, mirror: bool = False) -> str:
    """Codex's tables: the server, and the hooks, which its user must trust."""
    entry = server_entry(tuple(command))
    wanted = ("command", "args", "required", "omit_tools_from")
    tables = [] if mirror else [codex_server({key: entry[key] for key in wanted})]
    groups: dict[str, str] = {"PreToolUse": "update_plan", "PostToolUse": "update_plan"}
    if not mirror:
        groups |= {"SessionStart": "startup|resume|clear|compact", "Stop": "", "SubagentStop": ""}
    from shlex import join

    told = json.dumps(join([*command, "hook", "codex"]))
    for event, matcher in groups.items():
        lines = [f"[[hooks.{event}]]", *([f'matcher = "{matcher}"'] if matcher else [])]
        lines += [f"[[hooks.{event}.hooks]]", 'type = "command"', f"command = {told}"]
        tables.append("\n".join(lines))
    return "\n\n".join(tables)


def _mirrors(host: str, places: Places, command: Sequence[str]) -> list[Piece]:
    if host == "opencode":
        path = places.config_folder(host) / "plugins" / f"{NAME}.js"
        return [OwnFile(path, opencode_plugin(command, mirror_only=True))]
    if host == "codex":
        block = codex_block(command, mirror=True)
        return [TomlBlock(places.main_file(host), block, f"mcp_servers.{NAME}")]
    groups = own_plan_hooks(command)
    if host != "claude":
        del groups[_CLAUDES]
    if host == "gemini":
        (group,) = groups["PostToolUse"]
        run = [{**each, "command": f"{each['command']} gemini", "name": NAME} for each in group["hooks"]]  # fmt: skip
        own = [{"matcher": "write_todos", "hooks": run}]
        groups = {"BeforeTool": own, "AfterTool": own}
    items: dict[Keys, list[Any]] = {("hooks", event): found for event, found in groups.items()}
    return [JsonPart(places.main_file(host), items=items)]


MIRRORED = {
    "claude": "TodoWrite, TaskCreate, TaskUpdate",
    "codex": "update_plan",
    "opencode": "todowrite",
    "gemini": "write_todos",
    "qwen": "todo_write",
}
"""The hosts whose own plan can be written down, with the tools that they plan with."""


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
