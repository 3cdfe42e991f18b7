"""What we offer to a coding agent, told once: every host's files are made from this."""

from __future__ import annotations

from dataclasses import dataclass

from todowright import __version__

NAME = "todowright"
VERSION = __version__
PURPOSE = "A plan that stays: tools to plan, track and finish the steps of a task"
COMMAND = ("todowright",)
"""How files that are shared start us: by a name on PATH, never by a path of one machine."""
TOKEN = "TODOWRIGHT_TOKEN"  # noqa: S105
"""The variable in which a host finds its token: it is not to be pasted into a file that others read."""

OWN_PLAN_TOOLS = (
    "TodoWrite", "TaskCreate", "TaskUpdate", "update_plan", "todo_write", "todowrite",
    "write_todos",
)  # fmt: skip
"""The plan tools of the hosts themselves: what they write is mirrored into the store."""
LIST_TOOLS = ("TodoWrite", "update_plan", "todo_write", "todowrite", "write_todos")
"""Those that take a whole list: what they complete is verified before, where the user wants that."""

SKILL = """\
---
name: plan
description: Plan work of several steps with the todowright tools, and keep the plan true
---
For work of several steps, call `plan` once with all steps. Report each step with `done` when it is finished; the
next one starts by itself. What comes up on the way goes in with `add`, and what falls away goes out with `drop`.
A plan that is given back to you after a pause is decided: go on with it.
"""


@dataclass(frozen=True)
class Host:
    """One host: what people call it, and where its configuration is."""

    name: str
    title: str
    shared: str
    """The file of a project that `--print-config` is for, or the user's where the host has no other."""
    program: str = ""
    """Its command, where it has one."""
    hooks: bool = False
    """Whether it runs hooks or plugins, so that `todowright hook` has something to answer."""


HOSTS = {
    host.name: host
    for host in (
        Host("claude", "Claude Code", ".mcp.json", "claude", hooks=True),
        Host("codex", "Codex", "~/.codex/config.toml", "codex", hooks=True),
        Host("opencode", "OpenCode", "opencode.json", "opencode", hooks=True),
        Host("gemini", "Gemini CLI", ".gemini/settings.json", "gemini", hooks=True),
        Host("qwen", "Qwen Code", "~/.qwen/settings.json", "qwen", hooks=True),
        Host("cursor", "Cursor", ".cursor/mcp.json", "cursor"),
        Host("vscode", "VS Code", ".vscode/mcp.json", "code"),
        Host("zed", "Zed", ".zed/settings.json", "zed"),
    )
}


def server_entry(command: tuple[str, ...] = COMMAND) -> dict[str, object]:
    """The server as most hosts want it, with the keys by which each shows its tools at once.

    They stand side by side, since every host ignores those of the others: `alwaysLoad` is Claude Code's,
    `omit_tools_from` and `required` are Codex's, `alwaysLoadTools` is Qwen's.
    """
    program, *arguments = command
    return {
        "command": program,
        "args": [*arguments, "mcp"],
        "alwaysLoad": True,
        "alwaysLoadTools": True,
        "omit_tools_from": ["deferred"],
        "required": True,
    }
