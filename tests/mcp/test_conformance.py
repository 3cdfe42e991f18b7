"""Outside judges: the conformance suite, the Inspector, and both TypeScript clients, from npm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import BIN
from tests.web.serving import Served

NODE = Path(__file__).parents[2] / ".node"
TOOLS = NODE / "node_modules" / ".bin"
pytestmark = pytest.mark.skipif(
    not TOOLS.exists() and not os.environ.get("CI"),
    reason="the npm packages are not installed: make node, with npm on the machine",
)


def run(*command: str, seconds: float = 120, token: str = "") -> subprocess.CompletedProcess[str]:
    path = f"{NODE}/node_modules/node/bin:{TOOLS}:{os.environ['PATH']}"
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=seconds,
        env={**os.environ, "PATH": path, "TODOWRIGHT_TOKEN": token},
        cwd=NODE,
    )


@pytest.fixture(scope="module")
def fixtures() -> Iterator[str]:
    """Our server with the suite's fixtures beside our tools."""
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.mcp.fixtures", "0"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.terminate()
    process.communicate(timeout=60)


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_conformance_suite_passes(fixtures: str, revision: str) -> None:
    words = ("conformance", "server", "--url", fixtures, "--requirements", revision)
    done = run(*words)
    if done.returncode:  # it gives some streams a second, which a busy machine may need itself
        done = run(*words)
    assert done.returncode == 0, done.stdout
    assert "Total: " in done.stdout


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    made = Served(tmp_path)
    yield made
    made.stop()


OURS = ("XDG_DATA_HOME", "TODOWRIGHT_STATE", "TODOWRIGHT_LINGER")
"""Variables that these clients do not hand on: without them a server would live in the user's own folders."""


def served_by(store: str) -> list[str]:
    """The command of a server on a store."""
    told = [f"{name}={os.environ[name]}" for name in OURS]
    return ["env", *told, str(BIN / "todowright"), "mcp", "--store", store]


def test_the_inspector_finds_our_schemas_portable(tmp_path: Path, served: Served) -> None:
    store = f"sqlite:///{tmp_path}/inspected.db"
    listed = run("mcp-inspector", "--cli", *served_by(store), "--method", "tools/list", "--strict")
    assert listed.returncode == 0, listed.stderr
    names = [tool["name"] for tool in json.loads(listed.stdout)["tools"]]
    assert names == ["plan", "done", "add", "change", "drop"]
    called = run(
        "mcp-inspector", "--cli", f"{served.url}/mcp?session=inspected", "--transport", "http",
        "--header", f"Authorization: Bearer {served.token}", "--method", "tools/call", "--tool-name", "plan", "--tool-arg", 'steps=["One","Two"]',
    )  # fmt: skip
    assert json.loads(called.stdout)["content"][0]["text"] == "OK."


@pytest.mark.parametrize("client", ["sdk1", "sdk2"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_typescript_clients_drive_it(
    client: str, transport: str, tmp_path: Path, served: Served
) -> None:
    where = (
        ["stdio", *served_by(f"sqlite:///{tmp_path}/driven.db")]
        if transport == "stdio"
        else ["http", f"{served.url}/mcp?session=driven"]
    )
    done = run("node", str(NODE / f"{client}.mjs"), *where, seconds=60, token=served.token)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert told.pop("heard", True)
    assert told == {
        "tools": ["plan", "done", "add", "change", "drop"],
        "planned": "OK.",
        "done": "1/2 done. Now: Two",
        "statuses": ["completed", "in_progress"],
    }
