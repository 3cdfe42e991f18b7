"""`todowright hook`.

What a coding agent's hooks run: it reads one event from standard input, and prints the answer. It gives the
plan back when a conversation starts again or was compacted, asks once about open steps before the agent
stops, lets our own tools be called, and writes down what the host's own plan tool was told, so that the
board shows it. `todowright install HOST` sets it up. It never fails a host: what goes wrong is written to
the file that TODOWRIGHT_HOOK_LOG names.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from todowright.host.hooks import HookEvent
    from todowright.host.records import Records

HOSTS = ("claude", "codex", "opencode", "gemini", "qwen")
EXAMPLES = """examples:
  todowright hook claude < event.json     answer one event of Claude Code
  todowright hook                         the same; the event tells which host it is from"""
LOG = "TODOWRIGHT_HOOK_LOG"
_LARGEST = 64_000_000
_FOLDERS = {"claude": "CLAUDE_PROJECT_DIR", "gemini": "GEMINI_PROJECT_DIR"}
"""Where hosts tell the project's folder: an agent may have gone into another one."""


def add_options(parser: Any) -> None:
    parser.add_argument(
        "host", metavar="HOST", nargs="?", choices=HOSTS, help=f"{', '.join(HOSTS)} (default: told by the event)"
    )  # fmt: skip


def run(options: Any) -> int:
    return quick([options.host] if options.host else [])


def quick(arguments: Sequence[str]) -> int:
    """Answer the event on standard input, without a parser of options: somebody waits for it."""
    try:
        text = _answer(arguments[0] if arguments else "", os.environ)
        if text:
            sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
            sys.stdout.buffer.flush()
    except Exception as error:
        _complain(error)
    return 0


def _answer(host: str, environ: Mapping[str, str]) -> str:
    import json

    from todowright.host.hooks import read_event

    data = json.loads(sys.stdin.buffer.read(_LARGEST))
    event = read_event(host or told_host(data), data)
    if event is None or not event.session:
        return ""
    folder = environ.get(_FOLDERS.get(event.host, ""), "") or event.folder or os.getcwd()
    return Hook(event._replace(folder=folder), environ).answer()


def told_host(data: object) -> str:
    """The host that an event is from: one folder of hooks is installed in several."""
    if not isinstance(data, Mapping):
        return "claude"
    if str(data.get("hook_event_name")).startswith(("Before", "After")):
        return "gemini"
    if "timestamp" in data:
        return "qwen"
    starts = data.get("hook_event_name") == "SessionStart" and "permission_mode" in data
    return "codex" if "turn_id" in data or starts else "claude"


class Hook:
    """One event, with the records that it leaves and the store of its folder."""

    def __init__(self, event: HookEvent, environ: Mapping[str, str]) -> None:
        self.event = event
        self.environ = environ

    def answer(self) -> str:
        """Note who the host is talking for, and say what stands."""
        from todowright.host.records import Records

        records = Records()
        former = self._note(records)
        if self.event.kind == "after_tool":
            return self._mirror(records)
        if self.event.kind in ("start", "compact", "stop", "agent_stop"):
            return self._respond(records, former)
        from todowright.host.hooks import answer

        return answer(self.event, None).text

    def _note(self, records: Records) -> str:
        """Leave a record for the server; the conversation that the host's process held before."""
        from todowright.host.hooks import own_tool
        from todowright.host.records import Note, call_key, host_pid

        event = self.event
        pid = host_pid(event.host, self.environ)
        note = Note(event.host, event.session, event.agent, event.agent_type, event.folder)
        tool = own_tool(event.tool)
        if event.kind == "before_tool" and tool:
            by_id = event.host == "claude" and event.call
            records.note_call(event.call if by_id else call_key(pid, tool, event.arguments), note)
        if event.kind not in ("start", "prompt"):
            return ""
        before = records.of_host([pid], event.host)
        records.note_host(pid, note._replace(agent="", agent_type="", title=event.prompt[:200]))
        return before.session if before else ""

    def _respond(self, records: Records, former: str) -> str:
        from todowright.cli.place import store_url
        from todowright.host.hooks import respond
        from todowright.host.identity import Sessions
        from todowright.plan.model import MAIN
        from todowright.stores import open_store

        url = store_url(self.environ, self.event.folder)
        if url.startswith("sqlite:///") and not os.path.exists(url.removeprefix("sqlite:///")):
            return ""
        store = open_store(url)
        sessions = Sessions(store, records)
        caller = self._caller()
        session, before = sessions.find(caller), None
        if former not in ("", self.event.session) and self.event.source == "clear":
            left = sessions.find(caller._replace(conversation=former))
            before = store.load(left, MAIN) if left else None
        agent = sessions.agent(caller, session) if session else MAIN
        return respond(self.event, store, session, agent, former=before)

    def _caller(self) -> Any:
        from todowright.host.identity import Caller

        event = self.event
        return Caller(event.host, event.session, event.agent, event.agent_type)

    def _mirror(self, records: Records) -> str:
        return ""


def _complain(error: Exception) -> None:
    """Write down what went wrong, where somebody asked for it."""
    path = os.environ.get(LOG)
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8", errors="replace") as file:
            file.write(f"{type(error).__name__}: {error}\n")
    except OSError:
        pass
