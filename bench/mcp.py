"""What a window of a host waits for, and what it keeps: `todowright mcp`, beside a bare server of the SDK.

    python -m bench.mcp

Start to the answer of `initialize`, to the first `tools/list`, memory and idle CPU, for one window and for ten
that open at once. `relay` is what hosts start while one server runs for the user; its memory is told with and without
that server. Each figure is the best of several rounds: other work on the machine only adds to it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

ROUNDS, IDLE_SECONDS = 5, 3.0
SDK = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
import mcp.types as types

async def tools(context, params):
    return types.ListToolsResult(tools=[])

async def main():
    server = Server("bare", on_list_tools=tools)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

anyio.run(main)
"""
TODOWRIGHT = (
    "import sys; sys.argv[0] = 'todowright'; from todowright.cli import main; sys.exit(main())"
)
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Figures(NamedTuple):
    """Of one round: milliseconds until the last window was ready, MB of each, CPU of all in percent."""

    initialize: float
    tools: float
    memory: float
    idle: float


class Window:
    """One process that a host would start."""

    def __init__(self, command: Sequence[str], environ: dict[str, str], folder: str) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, cwd=folder
        )

    def ask(self, number: int, method: str, params: dict[str, Any]) -> None:
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.tell(request)

    def tell(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def answered(self) -> float:
        """Milliseconds from the start until this answer."""
        assert self.process.stdout is not None
        assert b'"result"' in self.process.stdout.readline()
        return (time.perf_counter() - self.started) * 1000

    def close(self) -> None:
        self.process.communicate(timeout=60)


@contextmanager
def opened(
    count: int, command: Sequence[str], environ: dict[str, str], folder: str
) -> Iterator[Any]:
    """So many windows, opened at once; with the milliseconds until the last had each answer."""
    windows = [Window(command, environ, folder) for _ in range(count)]
    for window in windows:
        window.ask(1, "initialize", HELLO)
    first = max([window.answered() for window in windows])
    for window in windows:
        window.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})
        window.ask(2, "tools/list", {})
    second = max([window.answered() for window in windows])
    yield windows, first, second
    for window in windows:
        window.close()


def round_of(count: int, command: Sequence[str], environ: dict[str, str], folder: str) -> Figures:
    with opened(count, command, environ, folder) as (windows, first, second):
        processes = [window.process.pid for window in windows]
        idle = idle_cpu([*processes, *servers(environ)])
        memory = sum(map(resident, processes)) / count
    return Figures(first, second, memory, idle)


def best(rounds: Sequence[Figures]) -> Figures:
    return Figures(*(min(each) for each in zip(*rounds, strict=True)))


def resident(process: int) -> float:
    """MB of memory that a process has."""
    status = Path(f"/proc/{process}/status").read_text("utf-8")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def idle_cpu(processes: Sequence[int]) -> float:
    """Percent of a core that processes use while nothing is asked of them."""
    time.sleep(0.5)
    before = sum(map(used, processes))
    time.sleep(IDLE_SECONDS)
    return (sum(map(used, processes)) - before) / IDLE_SECONDS * 100


def used(process: int) -> float:
    """Seconds of CPU that the threads of a process have used."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return sum(int((each / "schedstat").read_text("utf-8").split()[0]) for each in tasks) / 1e9


def servers(environ: dict[str, str]) -> list[int]:
    """The shared servers of this bench."""
    found = []
    state = environ["TODOWRIGHT_STATE"].encode()
    for each in Path("/proc").iterdir():
        try:
            line = (each / "cmdline").read_bytes() if each.name.isdecimal() else b""
        except OSError:
            continue
        if b"mcp_shared" in line and state in line:
            found.append(int(each.name))
    return found


def row(name: str, count: int, figures: Figures) -> None:
    print(
        f"{name:<34}{count:>8}{figures.initialize:>11.0f} ms{figures.tools:>9.0f} ms"
        f"{figures.memory:>10.1f} MB{figures.idle:>9.2f} %"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        environ = {
            **{key: value for key, value in os.environ.items() if not key.startswith("TODOWRIGHT")},
            "TODOWRIGHT_STATE": f"{folder}/state",
            "TODOWRIGHT_STORE": f"sqlite:///{folder}/plans.db",
            "PYTHONDONTWRITEBYTECODE": "",  # as it is installed: compiled once
            "PYTHONPYCACHEPREFIX": f"{folder}/compiled",
            "TODOWRIGHT_LINGER": "30",
        }
        alone = {**environ, "TODOWRIGHT_SHARED": "0"}
        bare, ours = [sys.executable, "-c", SDK], [sys.executable, "-c", TODOWRIGHT, "mcp"]
        nothing = min(_seconds([sys.executable, "-c", "pass"], environ) for _ in range(10)) * 1000
        print(f"python -c pass: {nothing:.0f} ms\n")
        print(f"{'':<34}{'windows':>8}{'initialize':>14}{'tools':>12}{'each':>13}{'idle':>11}")
        for count in (1, 10):
            rounds = ROUNDS if count == 1 else 2
            for name, command, given in (
                ("bare SDK", bare, alone),
                ("todowright, each by itself", ours, alone),
                ("todowright, relay", ours, environ),
            ):
                round_of(1, command, given, folder)  # compiled, and the server runs
                row(
                    name,
                    count,
                    best([round_of(count, command, given, folder) for _ in range(rounds)]),
                )
        (server,) = servers(environ)
        print(f"\nthe shared server: {resident(server):.0f} MB, whatever the number of windows")


def _seconds(command: Sequence[str], environ: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, env=environ, check=True)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
