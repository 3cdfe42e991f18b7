"""A wall around an agent's commands, where the system has one: namespaces of Linux.

A command in it can write in the work folder alone, reaches no network, and sees no other process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager

from todowright.agent.redaction import for_commands
from todowright.agent.work.sandbox_names import GIT, NoSandbox, held, is_repository, names
from todowright.shell.relay_client import SOCKET
from todowright.text import clip, harmless, shown

__all__ = ["HIDDEN", "NoSandbox", "Sandbox"]

HIDDEN = ("/tmp", "/var/tmp", "/run")  # noqa: S108  these are what it hides
"""Where programs leave sockets and files for each other: a command finds them empty."""
_CHILD = os.path.join(os.path.dirname(__file__), "sandbox_child.py")


class Sandbox:
    """Runs the commands of one work folder behind a wall; raises `NoSandbox` where there is none."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.realpath(folder)
        self._try()

    def holding(self) -> AbstractContextManager[list[str]]:
        """Hold what the user's own programs obey while a command runs; then the list says what was found."""
        return held(self._folder)

    def __call__(
        self, words: list[str], needed: Mapping[str, str]
    ) -> tuple[list[str], dict[str, str]]:
        """The words that run a command behind the wall, and its environment; the names must be held."""
        import json

        relay = [os.path.dirname(needed[SOCKET])] if SOCKET in needed else []
        fixed = names(self._folder)
        if missing := [path for path in fixed if not os.path.lexists(path)]:
            raise NoSandbox(f"no sandbox: {shown(missing[0])} is not held")
        given = {
            "folder": self._folder,
            "hidden": [path for path in HIDDEN if os.path.isdir(path) and not os.path.islink(path)],
            "kept": [*relay, *filter(_is_hidden, _own_places())],
            "fixed": fixed,
            "free": [os.path.join(self._folder, GIT)] if is_repository(self._folder) else [],
        }
        child = [sys.executable, "-IS", _CHILD, json.dumps(given)]
        return [*child, *words], for_commands() | dict(needed)

    def _try(self) -> None:
        if not sys.platform.startswith("linux"):
            raise NoSandbox("no sandbox on this system: it takes Linux. Use a container")
        import subprocess

        try:
            with self.holding():
                words, environ = self(["true"], {})
                done = subprocess.run(  # noqa: S603  our own program
                    words,
                    capture_output=True,
                    env=environ,
                    cwd=self._folder,
                    timeout=30,
                    check=False,
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
