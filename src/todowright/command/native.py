"""Commands that are not ours, in a real shell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_REPLAY = (
    '{{ [ -z "$TODOWRIGHT_OUT" ] || printf "%s\\n" "$TODOWRIGHT_OUT"; '
    '[ -z "$TODOWRIGHT_ERR" ] || printf "%s\\n" "$TODOWRIGHT_ERR" >&2; unset TODOWRIGHT_OUT TODOWRIGHT_ERR; (exit {code}); }} '
)


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


def continued(command: str, before: CommandResult) -> tuple[str, dict[str, str]]:
    """A command that goes on behind one of ours, which ran already, and the variables it needs.

    The shell prints what ours printed and ends it as it ended, so that `&&`, `||`, pipes and
    redirections do as ever.
    """
    environ = {"TODOWRIGHT_OUT": before.stdout, "TODOWRIGHT_ERR": before.stderr}
    return _REPLAY.format(code=before.exit_code) + command, environ


def run_native(
    command: str,
    environ: Mapping[str, str],
    *,
    cwd: str | None = None,
    timeout: float | None = None,
) -> CommandResult:
    """Run a command in a real shell, with these variables beside those there are."""
    import os
    import signal
    import subprocess

    try:
        process = subprocess.Popen(  # noqa: S603  to run commands is what this is for
            [shell(), "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**os.environ, **environ},
            start_new_session=True,
        )
    except (OSError, ValueError) as error:  # no such folder, a NUL in the command, too long
        return CommandResult(stderr=f"Error: the command could not be run: {error}", exit_code=126)
    late = ""
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # and what it started
        try:
            out, err = process.communicate(timeout=1)
        except subprocess.TimeoutExpired as stuck:  # a child that left the group holds the pipes
            out, err = stuck.stdout or b"", stuck.stderr or b""
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()
            process.wait()
        late = f"Error: stopped after {timeout:g} s"
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    stdout, stderr = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
    return CommandResult(stdout, stderr + late, 124 if late else process.returncode)
