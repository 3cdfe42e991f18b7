"""The gate: a command of the user's that must succeed before a step of a project counts as completed.

Which command that is stands in a file in the user's own folder, by the project's folder. Nothing in a project and no
variable but HOME decides on that file: whoever hands over a repository must not choose what is run.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from todowright.errors import TodowrightError
from todowright.host.worktrees import is_worktree_of
from todowright.hosts.gate_runs import VERIFYING, under_way
from todowright.private_files import FILE_MODE, create_file, gate_file, own_file, own_folder
from todowright.text import clip, harmless

SECONDS, MOST_SECONDS = 50, 3600
"""How long a verification may take, unless its user says otherwise. Some hosts wait no longer than a minute."""
LONGEST_COMMAND = 2_000
_LARGEST = 1_000_000
_MOST_OUTPUT = 16_000_000
_CANNOT_RUN = (126, 127)
"""What a shell ends with if it cannot run a command: that says nothing about the step."""
_OF_SHELLS = ("BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "CDPATH")
_TAIL, _SHOWN = 240, 60
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class BadGate(TodowrightError):
    """A setting that cannot be read, or cannot be; the text says what to do."""


class Verification(NamedTuple):
    """What verifies the steps of one project."""

    folder: str
    command: str
    seconds: int = SECONDS
    path: str = ""
    """Where programs are found: as in the shell in which the command was named."""
    gated: str = ""
    """The folder that it was named for; it runs in `folder`, which may be another worktree of the same repository."""

    @property
    def name(self) -> str:
        """The command, as it stands in a line."""
        return f"`{clip(harmless(self.command), _SHOWN)}`"


class Verdict(NamedTuple):
    """What a verification says of a step."""

    passed: bool
    line: str = ""
    """Why not; or, for a step that was let pass, why nothing is known of it."""

    @property
    def sure(self) -> bool:
        """Whether the step was verified indeed."""
        return self.passed and not self.line


def verification_of(folder: str, environ: Mapping[str, str]) -> Verification | None:
    """What verifies the steps of a folder: that of the nearest folder above which has one.

    It runs there, or at the top of a worktree of the same repository that the folder is in; never in another
    repository that merely lies inside.
    """
    if under_way(environ):
        return None
    known = gates(environ)
    at, tops = os.path.realpath(folder), list[str]()
    while known:
        if at in known:
            trees = (each for each in tops if is_worktree_of(each, at))
            return known[at]._replace(folder=next(trees, at), gated=at)
        if os.path.isfile(os.path.join(at, ".git")):  # as in a worktree
            tops.append(at)
        above = os.path.dirname(at)
        if above == at:
            break
        at = above
    return None


def verify(given: Verification, run: str = "", left: float | None = None) -> Verdict:
    """Run a verification, within its bounds. One that cannot be run lets the step pass, and says so.

    `run` names the run for what it starts; `left` is how many seconds it has, after waiting for another one.
    """
    from todowright.shell.native import run_native

    variables = {VERIFYING: run, **({"PATH": given.path} if given.path else {})}
    name = given.name
    try:
        done = run_native(
            f"exec 2>&1\n{given.command}",
            variables,
            cwd=given.folder,
            timeout=given.seconds if left is None else left,
            most=_MOST_OUTPUT,
            within=_unprompted,
        )
    except Exception as error:
        return Verdict(True, _unknown(name, f"{type(error).__name__}: {error}"))
    end = _end_of(f"{done.stdout}\n{done.stderr}")
    if done.exit_code == 0:
        return Verdict(True)
    if done.exit_code in _CANNOT_RUN:
        return Verdict(True, _unknown(name, end))
    late = "did not end" if left is None else "did not end, after it waited for another one"
    how = late if done.exit_code == 124 else f"failed (exit {done.exit_code})"
    return Verdict(False, f"{name} {how}: {end}" if end else f"{name} {how}, and says nothing")


def _unprompted(words: list[str], variables: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """A shell, and all variables but those by which it would run something before the command, or in its place."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if key not in _OF_SHELLS and not key.startswith("BASH_FUNC_")
    }
    return words, {**kept, **variables}


def gates(environ: Mapping[str, str]) -> dict[str, Verification]:
    """The verifications of this user, by folder; raises `BadGate` where the file is not as we write it."""
    path = _file(environ)
    try:
        with open(path, encoding="utf-8", opener=own_file) as file:
            _check_owner(path, os.fstat(file.fileno()))
            found: Any = json.loads(file.read(_LARGEST))
        return {folder: _read(folder, given) for folder, given in found.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, TypeError, KeyError, RecursionError) as error:
        raise BadGate(f"{path} cannot be read: {error}: delete it, then name the verification again") from None  # fmt: skip


def set_gate(environ: Mapping[str, str], folder: str, given: Verification | None) -> None:
    """Have the steps of a folder verified; None for no more."""
    given = given and checked(given)
    path = _file(environ)
    own_folder(os.path.dirname(path))
    with _alone(f"{path}.lock"):
        _change(environ, path, folder, given)


@contextmanager
def _alone(path: str) -> Iterator[None]:
    """Wait until nobody else changes the setting."""
    file = own_file(path, os.O_RDWR | os.O_CREAT)
    try:
        with suppress(ImportError):
            import fcntl

            os.fchmod(file, FILE_MODE)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def _change(environ: Mapping[str, str], path: str, folder: str, given: Verification | None) -> None:
    known = gates(environ)
    known.pop(folder, None)
    if given is not None:
        known[folder] = given
    rows = {
        at: {"command": each.command, "seconds": each.seconds, "path": each.path}
        for at, each in known.items()
    }
    draft = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"
    try:
        with open(create_file(draft), "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=2, ensure_ascii=False)
            file.write("\n")
        os.replace(draft, path)
    finally:
        if os.path.exists(draft):
            os.unlink(draft)


def _file(environ: Mapping[str, str]) -> str:
    path = gate_file(environ)
    if not path:
        told = "HOME is not the full path of a folder"
        raise BadGate(f"{told}, so no verification is read: set HOME")
    return path


def _read(folder: str, given: Mapping[str, Any]) -> Verification:
    path = given.get("path", "")
    return checked(Verification(folder, given["command"], given["seconds"], path))


def checked(given: Verification) -> Verification:
    """The same; raises `BadGate` where it cannot be."""
    command: object = given.command
    if not isinstance(command, str) or not command.strip() or "\0" in command:
        raise BadGate("name a command that verifies a step, as in: todowright gate 'make check'")
    if len(command) > LONGEST_COMMAND:
        told = "put it into a script, and name that"
        raise BadGate(f"the command is longer than {LONGEST_COMMAND} characters: {told}")
    if type(given.seconds) is not int or not 1 <= given.seconds <= MOST_SECONDS:
        raise BadGate(f"a verification may take 1 to {MOST_SECONDS} seconds")
    path: object = given.path
    if not isinstance(path, str) or "\0" in path:
        raise BadGate("its PATH is no text")
    return given


def _check_owner(path: str, found: os.stat_result) -> None:
    """Refuse a file that others could have written: what it says is run."""
    if hasattr(os, "geteuid") and (
        found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    ):
        raise BadGate(f"{path} can be written by others: chmod 600 it, or delete it")


def _end_of(output: str) -> str:
    """The end of what a command printed, on one line."""
    lines = _COLOURS.sub("", output[-8 * _TAIL :]).splitlines()
    text = harmless(" | ".join(line.strip() for line in lines if line.strip()))
    return text if len(text) <= _TAIL else f"…{text[-_TAIL:]}"


def _unknown(name: str, why: str) -> str:
    told = clip(harmless(why), _TAIL)
    return f"{name} cannot be run ({told}): the step was let pass unverified"
