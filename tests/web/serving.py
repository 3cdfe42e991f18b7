"""A real `todowright serve` in a process of its own, on a free port."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from todowright import TodoWrite
from todowright.dialects import Dialect
from todowright.web.keys import Keys, new_token
from todowright.web.token_file import Scope, TokenFile


class Served:
    """The server, and the plans it shows."""

    def __init__(
        self, folder: Path, *options: str, port: int = 0, within: Path | None = None
    ) -> None:
        """Serve a store of its own; or, `within` a project, what is shown there without one."""
        self.file = TokenFile(folder / "home" / "todowright" / "tokens.json")
        self.token = new_token(self.file, f"test {secrets.token_hex(4)}", "write")
        self.headers = {"authorization": f"Bearer {self.token}"}
        self.url_of_store = f"sqlite:///{folder}/plans.db"
        command = [sys.executable, "-m", "todowright", "serve", "--port", str(port), *options]
        store = [] if within else ["--store", self.url_of_store]
        self.process = subprocess.Popen(
            [*command, *store],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=within or folder,
            env={**os.environ, "NO_COLOR": "1", "XDG_DATA_HOME": str(folder / "home")},
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
        self.keys = Keys(self.file, self.port)
        self.http = self.client()

    def client(self) -> httpx2.Client:
        """A client with a token that may do all."""
        return httpx2.Client(base_url=self.url, headers=self.headers, timeout=20, verify=False)

    def stranger(self) -> httpx2.Client:
        """A client without a token."""
        return httpx2.Client(base_url=self.url, timeout=20, verify=False)

    def token_of(self, scope: Scope) -> dict[str, str]:
        """The header with a new token."""
        made = new_token(self.file, f"{scope} {secrets.token_hex(4)}", scope)
        return {"authorization": f"Bearer {made}"}

    def link(self, scope: Scope = "write") -> str:
        """A link that works once."""
        return f"{self.url}/?link={self.keys.link(scope)}"

    def cookie(self, scope: Scope = "write") -> Any:
        """What a browser has that came by a link, as Playwright wants it."""
        name = f"todowright-{self.port}"
        with self.stranger() as browser:
            value = browser.get("/", params={"link": self.keys.link(scope)}).cookies[name]
        return {"name": name, "value": value, "url": self.url}

    def show(self, browser: Any) -> Any:
        """A page of a browser that came by a link before."""
        page = browser.new_page(base_url=self.url)
        page.context.add_cookies([self.cookie()])
        return page

    @asynccontextmanager
    async def mcp(self, query: str = "") -> AsyncIterator[Any]:
        """What an MCP client connects by."""
        async with (
            httpx2.AsyncClient(headers=self.headers, timeout=60, verify=False) as http,
            streamable_http_client(f"{self.url}/mcp{query}", http_client=http) as streams,
        ):
            yield streams

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
