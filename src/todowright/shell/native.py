"""Commands that are not ours, in a real shell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subprocess import Popen

Within = Callable[[list[str], Mapping[str, str]], tuple[list[str], dict[str, str]]]
"""What a command is run within: of its words, and of variables that it needs, the words and the whole environment."""
_PATIENCE = 0.2
"""Seconds for what a command left in the background to print, once the command itself has ended."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command printed, and how it ended."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


def shell() -> str:
    """The shell that runs commands."""
    import shutil

    return shutil.which("bash") or "/bin/sh"


def run_native(
    command: str,
    environ: Mapping[str, str],
    *,
    cwd: str | None = None,
    timeout: float | None = None,
    most: int | None = None,
    within: Within | None = None,
) -> CommandResult:
    """Run a command in a real shell, with these variables beside those there are.

    It ends, with all it started, after `timeout` seconds or `most` bytes of output.
    """
    import os
    import subprocess

    words, given = [shell(), "-c", command], {**os.environ, **environ}
    if within is not None:
        words, given = within(words, environ)

    from todowright.shell.guard import NotStarted, guarded

    def start() -> Popen[bytes]:
        return subprocess.Popen(  # noqa: S603  to run commands is what this is for
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=given,
            start_new_session=True,
        )

    try:
        return guarded(start, lambda process: _finished(process, timeout, most), _end)
    except NotStarted as error:  # no such folder, a NUL in the command, too long
        return CommandResult(stderr=f"Error: the command could not be run: {error}", exit_code=126)


def _finished(process: Popen[bytes], timeout: float | None, most: int | None) -> CommandResult:
    """How the command ended, and what it printed until then."""
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        out, err, late = _collected(process, timeout, most)
    stdout, stderr = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
    return CommandResult(stdout, stderr + late, 124 if late else process.returncode)


def _collected(
    process: Popen[bytes], timeout: float | None, most: int | None
) -> tuple[bytes, bytes, str]:
    """What the command prints until it ends, and why it was stopped if it was.

    Once the command itself has ended, what it left behind in the background has a moment to print.
    """
    import os
    import selectors
    import subprocess
    from time import monotonic

    deadline = None if timeout is None else monotonic() + timeout
    parts: dict[int, bytearray] = {}
    late = ""
    with selectors.DefaultSelector() as selector:
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None
            selector.register(pipe, selectors.EVENT_READ)
            parts[pipe.fileno()] = bytearray()
        while selector.get_map():
            for key, _ in selector.select(_PATIENCE):
                data = os.read(key.fd, 65536)
                parts[key.fd] += data
                if not data:
                    selector.unregister(key.fileobj)
            now = monotonic()
            if process.poll() is not None and (deadline is None or deadline > now + _PATIENCE):
                deadline = now + _PATIENCE
            if most is not None and sum(map(len, parts.values())) > most:
                late = f"Error: stopped after {most} bytes of output"
            elif deadline is not None and now >= deadline and process.returncode is None:
                late = f"Error: stopped after {timeout:g} s"
            if late or (deadline is not None and now >= deadline):
                break
    if not late:
        try:  # it may have closed its pipes and gone on
            process.wait(None if deadline is None else max(0.0, deadline - monotonic()))
        except subprocess.TimeoutExpired:
            late = f"Error: stopped after {timeout:g} s"
    if late:
        _end(process)
    out, err = parts.values()
    return bytes(out), bytes(err), late


def _end(process: Popen[bytes]) -> None:
    """End a command and what it started."""
    import os
    import signal

    from todowright.shell.guard import reaped

    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    reaped(process)
