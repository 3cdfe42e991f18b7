"""The log of finished plans: one Markdown file a session, a block for each completion.

A block is whole or absent, whatever happens: the file is written anew beside the old one and put in
its place in one step. A lock on the project's folder keeps writers in step; it leaves no file.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: writers of one process are still in step, by the tool's own lock
    fcntl = None  # type: ignore[assignment]

PATIENCE = 10.0
"""Seconds to wait for other writers before a log is given up."""
_STAMP = "%Y%m%d-%H%M%S"
_TITLE = re.compile(r"^# task(\d+)-\d{8}-\d{6}$", re.MULTILINE)


class CompletionLog:
    """The completion logs in one folder of a project."""

    def __init__(self, root: Path, folder: str) -> None:
        self._root = root
        self._folder = root / folder

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out, so that a name chosen here is still free when it is written."""
        if fcntl is None:
            yield
            return
        handle = os.open(self._root, os.O_RDONLY)
        deadline = time.monotonic() + PATIENCE
        try:
            while True:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(0.005)
            yield
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)  # a child that was forked meanwhile has it, too
            os.close(handle)

    def name(self, names: Iterable[str], moment: datetime) -> str:
        """The file of a session: the one its plans know, or a free one named by the moment.

        Where another session has the name already, the next free second is taken.
        """
        for known in names:
            if known:
                return known
        while (name := f"todoList-{moment.strftime(_STAMP)}.md") and (self._folder / name).exists():
            moment += timedelta(seconds=1)
        return name

    def append(self, name: str, moment: datetime, block: Callable[[str], str]) -> None:
        """Add a block under the next title; the file is unchanged if that fails."""
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._folder / name
        logged = file.read_text("utf-8") if file.exists() else ""
        numbers = [int(number) for number in _TITLE.findall(logged)]
        title = f"# task{max(numbers, default=0) + 1}-{moment.strftime(_STAMP)}"
        _replace(file, (logged + "\n" if logged else "") + block(title))


def _replace(file: Path, text: str) -> None:
    """Put the text in the file's place in one step; a draft left by a crash is written over."""
    draft = file.with_name(f".{file.name}.draft")
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        draft.replace(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
