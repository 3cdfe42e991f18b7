"""Where each host keeps what a user sets up."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path


class Places:
    """The folders of one user's hosts."""

    def __init__(self, environ: Mapping[str, str], data: str) -> None:
        self.home = Path(environ.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111
        self.environ = environ
        self.data = Path(data)
        """Our own folder of this user's data."""

    @property
    def plugin(self) -> Path:
        """The folder from which Claude Code takes the plugin."""
        return self.data / "plugin"

    def config_folder(self, host: str) -> Path:
        """The folder of a host's configuration."""
        own = {"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME", "qwen": "QWEN_HOME"}
        if told := self.environ.get(own.get(host, ""), ""):
            return Path(told)
        if host in ("opencode", "zed"):
            return self._xdg() / host
        if host == "vscode":
            return self._applications() / "Code" / "User"
        return self.home / f".{host}"

    def main_file(self, host: str) -> Path:
        """The file that a host reads first."""
        names = {
            "claude": "settings.json",
            "codex": "config.toml",
            "opencode": "opencode.json",
            "cursor": "mcp.json",
            "vscode": "mcp.json",
        }
        return self.config_folder(host) / names.get(host, "settings.json")

    def _xdg(self) -> Path:
        return Path(self.environ.get("XDG_CONFIG_HOME") or self.home / ".config")

    def _applications(self) -> Path:
        if sys.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if sys.platform == "win32":
            return Path(self.environ.get("APPDATA") or self.home)
        return self._xdg()
