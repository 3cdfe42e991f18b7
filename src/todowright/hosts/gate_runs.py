"""Which verifications are under way: an agent that one starts is not verified by it again.

A run hands on a name of its own, which stands in the file of its turn. The name counts while that file is locked by
the run, so that nobody switches the gate off by a variable.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from todowright.private_files import gate_file, own_file

VERIFYING = "TODOWRIGHT_VERIFYING"
"""The variable that names the run."""
LARGEST = 10_000
_NAME = re.compile(r"([0-9a-f]{24})\.[0-9a-f]{32}")


def turns_folder(environ: Mapping[str, str]) -> str:
    """Where the files of turns are."""
    return os.path.join(os.path.dirname(gate_file(environ)), "turns")


def new_run(turn: str) -> str:
    """A name that nobody can guess, for a run in a turn."""
    return f"{turn}.{os.urandom(16).hex()}"


def under_way(environ: Mapping[str, str]) -> bool:
    """Whether these variables are those of a verification that is running."""
    name = environ.get(VERIFYING, "")
    told = _NAME.fullmatch(name)
    if told is None or not gate_file(environ):
        return False
    try:
        file = own_file(os.path.join(turns_folder(environ), told[1]), os.O_RDWR)
    except OSError:
        return False
    try:
        return _locked(file) and _run_of(file) == name
    finally:
        os.close(file)


def _locked(file: int) -> bool:
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except (OSError, ImportError):
        return False
    return False


def _run_of(file: int) -> object:
    try:
        found: Any = json.loads(os.pread(file, LARGEST, 0))
        return found["run"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
