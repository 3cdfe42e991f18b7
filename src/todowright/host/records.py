"""What hooks leave for the server: which conversation a host's process holds, and which agent makes a call.

Every record is a small file of its own in the user's folder of state, so many processes may write at once.
What cannot be read or written counts as absent: no host is to fail for it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from todowright.digests import sha256
from todowright.host.host_process import started
from todowright.names import check_session
from todowright.private_files import create_file, own_file, own_folder, place, state_folder

_DAY = 86_400.0
_KEPT = {"hosts": 30 * _DAY, "calls": 3_600.0, "names": 400 * _DAY, "held": 30 * _DAY}
"""Seconds that a record of each kind is kept."""
_MOST = 2_000
"""Records of a kind; the oldest go first."""
_SWEEP_EVERY = 60.0
_LARGEST, _LONGEST_PID = 16_000, 10

Check = Callable[[str], str]


class Note(NamedTuple):
    """What a hook tells: the host's own ids, never our names."""

    host: str
    session: str
    """The host's own id of the conversation."""
    agent: str = ""
    """The host's own id of the sub-agent; empty for the main one."""
    agent_type: str = ""
    folder: str = ""
    title: str = ""
    """The first words of the task."""
    at: float = 0.0
    started: str = ""
    """When the host's process started: a process id comes again."""


class Records:
    """The records of one user, in one folder."""

    def __init__(self, folder: str | None = None) -> None:
        self.folder = folder or state_folder(os.environ)

    # A host's process.

    def note_host(self, pid: int, note: Note) -> None:
        """Note which conversation a host's process holds; its first title stays."""
        before = self._read("hosts", _host_key(pid))
        if before is not None and before.session == note.session and before.title:
            note = note._replace(title=before.title)
        note = note._replace(started=started(pid))
        fresh = before is not None and time.time() - before.at < _DAY
        if not (fresh and before is not None and before._replace(at=note.at) == note):
            self._write("hosts", _host_key(pid), note)

    def of_host(self, pids: Sequence[int], host: str = "") -> Note | None:
        """What was noted of the first of these processes that has a note of this kind of host."""
        for pid in pids:
            found = self._read("hosts", _host_key(pid))
            if found is not None and found.started == started(pid) and host in ("", found.host):
                return found
        return None

    # One call.

    def note_call(self, call: str, note: Note) -> None:
        """Note who makes a call; it is known by the host's own id, or by `call_key`."""
        self._write("calls", call, note)

    def of_call(self, call: str, *, once: bool = False) -> Note | None:
        """Who makes a call; `once` where the key may come again and mean another call."""
        found = self._read("calls", call)
        if found is not None and once:
            self._remove("calls", call)
        return found

    # Names of sessions and agents.

    def name(self, key: str, proposed: str, check: Check = check_session) -> str:
        """The name that is kept under a key: the first that was proposed."""
        if kept := self.kept_name(key, check):
            return kept
        try:
            self._place("names", key, {"session": proposed, "host": ""})
        except FileExistsError:
            if kept := self.kept_name(key, check):
                return kept
            self.rename(key, proposed)  # what is there is no name
        except OSError:
            pass
        return proposed

    def kept_name(self, key: str, check: Check = check_session) -> str:
        """The name under a key, or nothing."""
        found = self._read("names", key)
        try:
            return check(found.session) if found else ""
        except ValueError:  # `BadName`, whose module is not light
            return ""

    def rename(self, key: str, name: str) -> None:
        """Let a key mean another name from now on."""
        self._write("names", key, Note("", name))

    # Who holds a session that nothing but its folder tells.

    def hold(self, name: str, pid: int, conversation: str = "") -> bool:
        """Take a session for a conversation of a process, as long as that lives; whether no other has it."""
        if not self.is_free(name, pid, conversation):
            return False
        note = Note("", name, agent=str(pid), title=conversation, started=started(pid))
        before = self._read("held", name)
        if before is not None and before._replace(at=note.at) != note:
            self._remove("held", name)
        try:
            self._place("held", name, note._asdict())
        except FileExistsError:
            if self._read("held", name) is None:  # what is there tells nothing
                self._write("held", name, note)
            return self.is_free(name, pid, conversation)
        except OSError:
            pass
        return True

    def is_free(self, name: str, pid: int, conversation: str = "") -> bool:
        """Whether no conversation of a living process, but this one, holds a session."""
        held = self._read("held", name)
        if held is None or not held.agent.isdecimal() or len(held.agent) > _LONGEST_PID:
            return True
        if held.agent == str(pid):
            return held.title == conversation or held.started != started(pid)
        return not held.started or held.started != started(int(held.agent))

    def knows(self, name: str) -> bool:
        """Whether a conversation of this user ever held a session."""
        return self._read("held", name) is not None

    # Files.

    def _path(self, kind: str, key: str) -> str:
        folder = own_folder(os.path.join(own_folder(self.folder), kind))
        return os.path.join(folder, sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32])

    def _read(self, kind: str, key: str) -> Note | None:
        try:
            with open(self._path(kind, key), encoding="utf-8", opener=own_file) as file:
                return _note(json.loads(file.read(_LARGEST)))
        except (OSError, ValueError, RecursionError):
            return None

    def _write(self, kind: str, key: str, note: Note) -> None:
        try:
            target = self._path(kind, key)
            draft = self._draft(target, note._asdict())
            os.replace(draft, target)
            self._sweep(kind)
        except OSError:
            pass

    def _place(self, kind: str, key: str, values: dict[str, Any]) -> None:
        """Write a record where none is."""
        target = self._path(kind, key)
        draft = self._draft(target, values)
        try:
            place(draft, target)
        finally:
            if os.path.lexists(draft):
                os.unlink(draft)
        self._sweep(kind)

    def _draft(self, target: str, values: dict[str, Any]) -> str:
        draft = f"{target}.{os.getpid()}-{os.urandom(4).hex()}"
        values = {key: value for key, value in values.items() if value} | {"at": time.time()}
        with open(create_file(draft), "w", encoding="utf-8") as file:
            file.write(json.dumps(values))
        return draft

    def _remove(self, kind: str, key: str) -> None:
        with suppress(OSError):
            os.unlink(self._path(kind, key))

    def _sweep(self, kind: str) -> None:
        """Now and then, delete what is too old or too much."""
        mark, now = os.path.join(self.folder, f"{kind}.swept"), time.time()
        try:
            if now - os.stat(mark).st_mtime < _SWEEP_EVERY:
                return
            os.utime(mark)
        except FileNotFoundError:
            os.close(os.open(mark, os.O_CREAT | os.O_WRONLY, 0o600))
        with os.scandir(os.path.join(self.folder, kind)) as entries:
            ages = sorted((now - each.stat().st_mtime, each.path) for each in entries)
        kept = [path for age, path in ages if age < _KEPT[kind]][:_MOST]
        for path in {path for _, path in ages} - set(kept):
            with suppress(OSError):  # another process was faster
                os.unlink(path)


def call_key(pid: int, tool: str, arguments: Mapping[str, Any]) -> str:
    """A key for a call of a host that sends no id of its own: what is called, and with what."""
    return f"{pid} {tool} {json.dumps(arguments, sort_keys=True, default=str)}"


def _host_key(pid: int) -> str:
    return f"{os.uname().nodename if hasattr(os, 'uname') else ''} {pid}"


def _note(data: object) -> Note | None:
    """A record as it was written; None where it is none."""
    if not isinstance(data, dict) or not isinstance(data.get("session"), str):
        return None
    texts = {key: data.get(key) for key in Note._fields if key != "at"}
    sound = {key: value if isinstance(value, str) else "" for key, value in texts.items()}
    at = data.get("at")
    return Note(**sound, at=at if isinstance(at, float) else 0.0)
