"""The log of finished plans: one Markdown file a session, a block for each completion.

A block is whole or absent, whatever happens: the file is written anew beside the old one and put in
its place in one step. A lock on the project's folder keeps writers in step; it leaves no file.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from todowright.errors import StoreError, reason
from todowright.plan.model import Plan
from todowright.stores.protocol import Store, revisions

try:
    import fcntl
except ImportError:  # Windows: writers of one process are still in step, by the tool's own lock
    fcntl = None  # type: ignore[assignment]

PATIENCE = 10.0
"""Seconds to wait for other writers before a log is given up."""
_STAMP = "%Y%m%d-%H%M%S"
_TITLE = re.compile(r"^# task(\d+)-\d{8}-\d{6}$", re.MULTILINE)
_NAME = re.compile(r"todoList-\d{8}-\d{6}\.md")


class CompletionLog:
    """The completion logs of a dialect in one folder of a project."""

    def __init__(self, root: str, folder: str, block: Callable[[Plan, str], str]) -> None:
        self._root = Path(root)
        self._folder = self._root / folder
        self._block = block
        self._unwritten = ""
        """The name of a log that could not be begun: another session may have it now."""
        self._numbers: dict[str, int] = {}
        """The last number that was given in each file."""

    def entry(self, before: Plan, plan: Plan, store: Store, *, whole: bool) -> Entry | None:
        """Begin an entry for a revision that is a completion; None for any other.

        Its log is the one that the plans of its session know in the store. Other writers wait until it is
        closed, so that the name that is chosen here is still free when it is written.
        """
        if not is_completion(before, plan, whole=whole):
            return None
        assert plan.updated_at is not None
        entry = Entry(self, plan, plan.updated_at.astimezone(), store)
        try:
            entry.held.enter_context(self.locked())
            logs = [plan.log, *(other.log for other in store.plans(plan.session))]
            known = [name for name in logs if name != self._unwritten]
            entry.is_new = not any(known)
            entry.plan = replace(plan, log=self.name(known, entry.moment))
        except OSError as error:
            entry.failure = reason(error)
        except BaseException:
            entry.close()
            raise
        return entry

    def write(self, entry: Entry) -> None:
        """Append the entry's block; its failure is told, not raised: the plan is kept, and that counts."""
        try:
            self._append(entry)
            self._unwritten = ""
        except Exception as error:
            entry.failure = reason(error)
            self._unwritten = entry.plan.log if entry.is_new else ""

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
            if _NAME.fullmatch(known):  # from a database: anything else could be a path
                return known
        while (name := f"todoList-{moment.strftime(_STAMP)}.md") and (self._folder / name).exists():
            moment += timedelta(seconds=1)
        return name

    def _append(self, entry: Entry) -> None:
        """Add a block under the next title; the file is unchanged if that fails."""
        file = self._folder / entry.plan.log
        for each in (file, *file.parents):  # a repository may hold one that leads elsewhere
            if each == self._root:
                break
            if each.is_symlink():
                raise StoreError(f"{each.name} is a symbolic link")
        self._folder.mkdir(parents=True, exist_ok=True)
        logged = file.read_text("utf-8") if file.exists() else ""
        numbers = [int(number) for number in _TITLE.findall(logged)]
        if not numbers and not entry.is_new:  # somebody deleted it: the count goes on
            numbers = [self._numbers.get(entry.plan.log, 0), entry.completions() - 1]
        number = max(numbers, default=0) + 1
        title = f"# task{number}-{entry.moment.strftime(_STAMP)}"
        _replace(file, (logged + "\n" if logged else "") + self._block(entry.plan, title))
        self._numbers[entry.plan.log] = number


@dataclass(slots=True)
class Entry:
    """One finished plan on its way into a log."""

    log: CompletionLog
    plan: Plan
    """The plan, with the name of its log."""
    moment: datetime
    store: Store
    failure: str = ""
    """Why it could not be written, if it could not."""
    is_new: bool = False
    """Whether it is the first of its file."""
    held: ExitStack = field(default_factory=ExitStack)
    """What keeps other writers out."""

    def write(self) -> None:
        """Write it, once its plan is saved."""
        if not self.failure:
            self.log.write(self)

    def close(self) -> None:
        """Let other writers go on."""
        self.held.close()

    def completions(self) -> int:
        """How many completions the history of the session has, with this one."""
        count = 0
        for plan in self.store.plans(self.plan.session):
            before = Plan()
            for after in revisions(self.store, plan.session, plan.agent):
                ours = "/" not in after.agent and after.dialect in ("", self.plan.dialect)
                whole = after.by.kind == "agent"
                count += ours and is_completion(before, after, whole=whole)
                before = after
        return count


def is_completion(before: Plan, after: Plan, *, whole: bool) -> bool:
    """Whether a revision is to be logged: it leaves a finished list, and finished something.

    A model's call, which sends the whole list, always does, as document 002 has it. An edit of a plan
    that was finished already does not, unless it brings in what is closed.
    """
    if not after.finished:
        return False
    if whole or not before.finished:
        return True
    closed = {todo.number for todo in before.todos if todo.closed}
    return any(todo.number not in closed for todo in after.todos)


def _replace(file: Path, text: str) -> None:
    """Put the text in the file's place in one step; a draft left by a crash is written over."""
    draft = file.with_name(f".{file.name}.draft")
    try:
        draft.unlink(missing_ok=True)  # the link, where it is one
        with draft.open("x", encoding="utf-8", newline="\n") as out:  # a new file, never another's
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        draft.replace(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
