"""A real `todowright serve` in a process of its own, on a free port."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx2

from todowright import TodoWrite
from todowright.dialects import Dialect


class Served:
    """The server, and the plans it shows."""

    def __init__(self, folder: Path, *options: str, port: int = 0) -> None:
        self.url_of_store = f"sqlite:///{folder}/plans.db"
        command = [sys.executable, "-m", "todowright", "serve", "--port", str(port), *options]
        self.process = subprocess.Popen(
            [*command, "--store", self.url_of_store],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder,
            env={**os.environ, "NO_COLOR": "1"},
        )
        assert self.process.stdout is not None
        self.greeting = ""
        while "Ctrl-C" not in self.greeting:
            line = self.process.stdout.readline()
            assert line, self.greeting
            self.greeting += line
        found = re.search(r"http://[^\s?]+:(\d+)/", self.greeting)
        assert found
        self.port = int(found[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.tokens = re.findall(r"token=(\S+)", self.greeting)
        self.http = httpx2.Client(base_url=self.url, timeout=20)

    def todo(
        self, session: str = "default", agent: str = "main", dialect: str | Dialect = "lean"
    ) -> TodoWrite:
        return TodoWrite(dialect, store=self.url_of_store, session=session, agent=agent)

    def stop(self) -> str:
        """End it as Ctrl-C does; what it printed after its greeting."""
        self.http.close()
        self.process.send_signal(signal.SIGINT)
        rest = self.process.communicate(timeout=30)[0]
        return str(rest)
