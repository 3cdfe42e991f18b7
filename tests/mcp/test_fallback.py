"""Where a shared server cannot be had, or what it needs is gone: what was read is not lost, and a new one is found."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from todowright.mcp.rendezvous import SERVER

BREAKS = f"import sys\nif {SERVER!r} in sys.orig_argv: raise SystemExit(3)\n"
"""Lets every shared server end at once."""
WINDOW = """
import sys
from todowright.mcp.relay import relayed
print(relayed([]), flush=True)
print(sys.stdin.read(), end="")
"""
"""A window that serves itself: it reads what the relay gives back."""
ENDS_AT_ONCE = """
import socket
import todowright.mcp.relay as relay
met = []
def connect(path, silent):
    ours, theirs = socket.socketpair()
    met.append(theirs)
    theirs.shutdown(socket.SHUT_WR) if len(met) == 1 else theirs.close()
    return ours
relay.connect = connect
"""
"""Scripted servers: the first ends after the first word, the next before it."""
MEETS = """
import os, sys
from todowright.mcp.rendezvous import connect, socket_path
path = socket_path(os.environ)
os.rmdir(os.path.dirname(path))
connect(path).close()
print(oct(os.stat(os.path.dirname(path)).st_mode & 0o777))
"""


@pytest.fixture
def environ(tmp_path: Path) -> Iterator[dict[str, str]]:
    """In a folder with a short name: the path of a socket may have a hundred bytes."""
    (tmp_path / "sitecustomize.py").write_text(BREAKS, "utf-8")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    with tempfile.TemporaryDirectory(prefix="tw-") as folder:
        yield {**os.environ, "PYTHONPATH": path, "TODOWRIGHT_STATE": f"{folder}/state"}


def started(program: str, environ: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environ,
        text=True,
    )


def first_line(window: subprocess.Popen[str]) -> str:
    """Its first line, while the host says nothing more; empty where none came for a minute."""
    assert window.stdout is not None
    ready, _, _ = select.select([window.stdout], [], [], 60)
    return window.stdout.readline() if ready else ""


def test_a_host_that_speaks_late_is_heard_though_no_server_can_be_shared(
    environ: dict[str, str],
) -> None:
    with started(WINDOW, environ) as window:
        assert first_line(window) == "None\n"  # no server was found before a word was said
        told, _ = window.communicate("initialize\n", timeout=60)
        assert told == "initialize\n"


@pytest.mark.parametrize("given", ["one\ntwo\n", "one\nthe beginning of a line"])
def test_what_was_read_before_the_window_serves_itself_is_read_again(
    environ: dict[str, str], given: str
) -> None:
    with started(WINDOW, environ) as window:
        assert window.stdin is not None
        window.stdin.write(given)
        window.stdin.flush()
        assert first_line(window) == "None\n"
        assert window.communicate(timeout=60)[0] == given


def test_a_server_that_ends_before_the_first_word_is_not_waited_for(
    environ: dict[str, str],
) -> None:
    with started(ENDS_AT_ONCE + WINDOW, environ) as window:
        assert window.stdin is not None
        window.stdin.write("one\n")
        window.stdin.flush()
        assert first_line(window) == "None\n"
        assert window.communicate(timeout=60)[0] == "one\n"


def test_a_folder_that_was_cleared_away_is_made_again_for_the_next_server(
    environ: dict[str, str],
) -> None:
    with started(MEETS, environ) as window:
        assert window.communicate(timeout=60)[0] == "0o700\n"
