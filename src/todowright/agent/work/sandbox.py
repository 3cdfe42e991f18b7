"""A wall around an agent's commands, where the system has one: namespaces of Linux.

A command in it can write in the work folder alone, reaches no network, and sees no other process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from todowright.agent.redaction import for_commands
from todowright.agent.work.folder import OURS
from todowright.errors import TodowrightError
from todowright.shell.relay_client import SOCKET
from todowright.text import clip, harmless

HIDDEN = ("/tmp", "/var/tmp", "/run")  # noqa: S108  these are what it hides
"""Where programs leave sockets and files for each other: a command finds them empty."""
_CHILD = os.path.join(os.path.dirname(__file__), "sandbox_child.py")
_FIXED = (OURS, ".git", ".git/hooks", ".git/config")
"""What the user's own programs obey: a command cannot write there, nor put another in its place."""


class NoSandbox(TodowrightError):
    """There is no wall here, so nothing is run."""


class Sandbox:
    """Runs the commands of one work folder behind a wall; raises `NoSandbox` where there is none."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.realpath(folder)
        self._try()

    def __call__(
        self, words: list[str], needed: Mapping[str, str]
    ) -> tuple[list[str], dict[str, str]]:
        """The words that run a command behind the wall, and its environment."""
        import json

        relay = [os.path.dirname(needed[SOCKET])] if SOCKET in needed else []
        fixed = [os.path.join(self._folder, name) for name in _FIXED]
        given = {
            "folder": self._folder,
            "hidden": [path for path in HIDDEN if os.path.isdir(path) and not os.path.islink(path)],
            "kept": [*relay, *filter(_is_hidden, _own_places())],
            "fixed": [path for path in fixed if os.path.exists(path) and not os.path.islink(path)],
        }
        child = [sys.executable, "-IS", _CHILD, json.dumps(given)]
        return [*child, *words], for_commands() | dict(needed)

    def _try(self) -> None:
        if not sys.platform.startswith("linux"):
            raise NoSandbox("no sandbox on this system: it takes Linux. Use a container")
        import subprocess

        words, environ = self(["true"], {})
        try:
            done = subprocess.run(  # noqa: S603  our own program
                words, capture_output=True, env=environ, cwd=self._folder, timeout=30, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NoSandbox(f"no sandbox here: {error}. Use a container") from None
        if done.returncode:
            why = clip(harmless(done.stderr.decode("utf-8", "replace").strip()), 200)
            raise NoSandbox(
                f"{why or 'no sandbox'}: this system allows no namespaces (Linux 5.12). Use a container"
            )


def _own_places() -> list[str]:
    """Where this Python and this package are: the word `TodoWrite` needs them."""
    package = __file__.rsplit(os.sep, 4)[0]
    found = {sys.prefix, sys.base_prefix, package}
    return sorted(os.path.realpath(path) for path in found)


def _is_hidden(path: str) -> bool:
    return any(path == root or path.startswith(f"{root}/") for root in HIDDEN)
