"""What a whole command costs from start to end, beside an interpreter that does nothing.

    python -m bench.cold_start

CPU time of fresh processes (user and system), the least of many runs.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 30
BIN = Path(sys.executable).parent


def least_cpu(command: list[str], folder: str) -> float:
    """The least CPU time of a command, in milliseconds."""
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": folder,
        "TODOWRIGHT_STORE": f"sqlite:///{folder}/plans.db",
    }
    best = float("inf")
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environ)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best * 1000


def foreign_modules(code: str, folder: str) -> str:
    """The third-party modules that a command loads."""
    report = (
        "import sys\nbefore = set(sys.modules)\n"
        f"try:\n    {code}\nexcept SystemExit:\n    pass\n"
        "new = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        "own = set(sys.stdlib_module_names) | {'todowright'}\n"
        "print(' '.join(sorted(new - own)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", report],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "TODOWRIGHT_STORE": f"sqlite:///{folder}/plans.db"},
    )
    return done.stderr.strip() or "none"


def main() -> None:
    rows = [
        {"content": f"Write part {n}", "activeForm": f"Writing part {n}", "status": "pending"}
        for n in range(8)
    ]
    argument = json.dumps({"todos": rows})
    with tempfile.TemporaryDirectory() as folder:
        nothing = least_cpu([sys.executable, "-I", "-c", "pass"], folder)
        print(f"{'':<44}{'CPU':>8}{'ratio':>8}  third-party modules")
        print(f"{'python -I -c pass':<44}{nothing:>5.1f} ms{1.0:>6.1f} x")
        for name, command, code in (
            (
                "TodoWrite '<8 items>', kept in SQLite",
                [str(BIN / "TodoWrite"), argument],
                f"from todowright.cli.todowrite import main; main([{argument!r}])",
            ),
            (
                "todowright --help",
                [str(BIN / "todowright"), "--help"],
                "from todowright.cli import main; main(['--help'])",
            ),
        ):
            spent = least_cpu(command, folder)
            modules = foreign_modules(code, folder)
            print(f"{name:<44}{spent:>5.1f} ms{spent / nothing:>6.1f} x  {modules}")


if __name__ == "__main__":
    main()
