"""Systems without the modules that only POSIX has: what needs none of them is there."""

from __future__ import annotations

import subprocess
import sys

import pytest

MISSING = ("fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty")
IMPORTED = """
import importlib, os, pkgutil, sys

for name in sys.argv[1].split():
    sys.modules[name] = None
import random, socket  # on Windows they do not look for what is taken away here
del os.register_at_fork, os.killpg, socket.AF_UNIX

for name in sys.argv[2:]:
    package = importlib.import_module(name)
    for found in pkgutil.walk_packages(package.__path__, name + "."):
        importlib.import_module(found.name)
"""
AGENT = """
import sys

for name in sys.argv[1].split():
    sys.modules[name] = None
from todowright.agent import Agent, ScriptedModel

agent = Agent(ScriptedModel([{"text": "Done."}]), folder=sys.argv[2], transcript=sys.argv[2] + "/t")
assert [event for event in agent.run("Go")][-1].reason == "answer"
agent.close()
"""


def run(code: str, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code, " ".join(MISSING), *arguments], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("package", ["agent", "cli", "shell"])
def test_every_module_can_be_imported(package: str) -> None:
    run(IMPORTED, f"todowright.{package}")


def test_an_agent_keeps_its_transcript_without_a_lock(tmp_path: object) -> None:
    run(AGENT, str(tmp_path))
