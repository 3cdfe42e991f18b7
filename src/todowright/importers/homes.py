"""Where the agents of this machine keep their files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

_PLACES = (
    ("CLAUDE_CONFIG_DIR", "~/.claude", ("projects", "tasks", "todos")),
    ("CODEX_HOME", "~/.codex", ("sessions", "archived_sessions")),
    ("XDG_DATA_HOME", "~/.local/share", ("opencode", "kilo")),
    ("", "~/.qwen", ("projects", "todos")),
    ("GEMINI_CLI_HOME", "~/.gemini", ("tmp",)),
)
_EDITORS = ("~/.config/Code/User", "~/Library/Application Support/Code/User", "~/AppData/Roaming/Code/User")  # fmt: skip
_EXTENSIONS = ("kilocode.kilo-code", "rooveterinaryinc.roo-cline", "saoudrizwan.claude-dev")


def homes(environ: Mapping[str, str] = os.environ) -> list[str]:
    """The folders with agents' files that this user has."""
    wanted = [
        Path(environ.get(variable) or Path(folder).expanduser()) / name
        for variable, folder, names in _PLACES
        for name in names
    ]
    for editor in _EDITORS:
        user = Path(editor).expanduser()
        wanted += sorted(user.glob("workspaceStorage/*/chatSessions"))
        wanted += [user / "globalStorage" / name / "tasks" for name in _EXTENSIONS]
    return [str(folder) for folder in wanted if folder.is_dir()]
