"""Commands that are not ours, in a real shell."""

from __future__ import annotations

from dataclasses import dataclass

_REPLAY = (
    '{{ [ -z "$TODOWRIGHT_OUT" ] || printf "%s\\n" "$TODOWRIGHT_OUT"; '
    '[ -z "$TODOWRIGHT_ERR" ] || printf "%s\\n" "$TODOWRIGHT_ERR" >&2; (exit {code}); }} '
)


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command printed, and how it ended."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


def run_native(
    command: str,
    *,
    before: CommandResult | None = None,
    cwd: str | None = None,
    timeout: float | None = None,
) -> CommandResult:
    """Run a command in a real shell.

    `before` is a command of ours that ran already and that `command` continues: the shell prints
    what it printed and ends it as it ended, so that `&&`, `||`, pipes and redirections do as ever.
    """
    import os
    import shutil
    import signal
    import subprocess

    environ = dict(os.environ)
    if before is not None:
        environ |= {"TODOWRIGHT_OUT": before.stdout, "TODOWRIGHT_ERR": before.stderr}
        command = _REPLAY.format(code=before.exit_code) + command
    try:
        process = subprocess.Popen(  # noqa: S603  to run commands is what this is for
            [shutil.which("bash") or "/bin/sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=environ,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:  # no such folder, a NUL in the command, too long
        return CommandResult(stderr=f"Error: the command could not be run: {error}", exit_code=126)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # and all that it started
        out, err = process.communicate()
        late = f"Error: stopped after {timeout:g} s"
        stderr = err.decode("utf-8", "replace")
        return CommandResult(out.decode("utf-8", "replace"), f"{stderr}{late}", 124)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return CommandResult(
        out.decode("utf-8", "replace"), err.decode("utf-8", "replace"), process.returncode
    )
