"""A machine of its own for each test: a home, projects, and the real hosts, which ask a scripted model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hosts.model import Model

ROOT = Path(__file__).parents[2]
NODE = Path(os.environ.get("TODOWRIGHT_NODE_HOSTS", ROOT / ".node-hosts"))
SECONDS = 120


@dataclass
class Ran:
    """How a host's run ended."""

    code: int
    out: str
    err: str


class Machine:
    """A home folder, a PATH with `todowright` and the hosts on it, and nothing else of this computer."""

    def __init__(self, folder: Path, model: Model) -> None:
        self.folder, self.model = folder, model
        self.home = folder / "home"
        self.bin = folder / "bin"
        for each in (self.home, self.bin):
            each.mkdir(parents=True)
        self._put_todowright()
        self.project = self.new_project("shop")
        self.env = {
            "HOME": str(self.home),
            "PATH": f"{self.bin}:{NODE}/node_modules/node/bin:{NODE}/node_modules/.bin:/usr/local/bin:/usr/bin:/bin",
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
            "XDG_RUNTIME_DIR": str(self.home / "run"),
        }
        (self.home / "run").mkdir(mode=0o700)

    def _put_todowright(self) -> None:
        program = self.bin / "todowright"
        program.write_text(
            f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT / 'src')!r})\n"
            "from todowright.cli import main\nsys.exit(main())\n"
        )
        program.chmod(0o755)

    def new_project(self, name: str) -> Path:
        project = self.folder / name
        project.mkdir()
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        (project / "README.md").write_text(f"# {name}\n")
        return project

    def write(self, path: Path, value: Any) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2))

    def start(self, *command: str, at: Path | None = None, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=at or self.project,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *command: str, at: Path | None = None, **env: str) -> Ran:
        process = self.start(*command, at=at, **env)
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return Ran(-1, out, f"{err}\nit did not end in {SECONDS} s")
        return Ran(process.returncode, out, err)

    def kill(self, process: subprocess.Popen[str]) -> None:
        """End a host and all that it started, without a word."""
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def end(self) -> None:
        """End what still runs with this machine's home: a server that was started on demand, say."""
        for each in Path("/proc").iterdir():
            if not each.name.isdecimal() or int(each.name) == os.getpid():
                continue
            try:
                environ = (each / "environ").read_bytes().split(b"\0")
                if f"HOME={self.home}".encode() in environ:
                    os.kill(int(each.name), signal.SIGKILL)
            except OSError:
                continue

    def plans(self, at: Path | None = None) -> dict[tuple[str, str], list[tuple[str, str]]]:
        """Every plan of a project's store, by session and agent: the steps and their status."""
        from todowright import open_store

        store = open_store(f"sqlite:///{at or self.project}/.todowright/plans.db")
        found = {
            (name, plan.agent): [(todo.content, str(todo.status)) for todo in plan.todos]
            for name in store.sessions()
            for plan in store.plans(name)
        }
        store.close()
        return found

    def todowright(self, *arguments: str, at: Path | None = None) -> str:
        ran = self.run(str(self.bin / "todowright"), *arguments, at=at)
        assert ran.code == 0, ran.err
        return ran.out
