"""`todowright hook`.

What a coding agent's hooks run: it reads one event from standard input, and prints the answer. It gives the
plan back when a conversation starts again or was compacted, asks once about open steps before the agent
stops, has a step verified before it is completed if `todowright gate` says by what, lets our own tools be
called, and writes down what the host's own plan tool was told, so that the
board shows it. `todowright install HOST` sets it up. It never fails a host: what goes wrong is written to
the file that TODOWRIGHT_HOOK_LOG names.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from todowright.cli.hook_gate import HookGate
    from todowright.host.hooks import HookEvent
    from todowright.host.identity import Sessions
    from todowright.host.records import Records
    from todowright.plan.model import Plan
    from todowright.stores.protocol import Store

HOSTS = ("claude", "codex", "opencode", "gemini", "qwen")
EXAMPLES = """examples:
  todowright hook claude < event.json     answer one event of Claude Code
  todowright hook                         the same; the event tells which host it is from"""
LOG = "TODOWRIGHT_HOOK_LOG"
LISTS = {
    "TodoWrite": "claude",
    "update_plan": "codex",
    "todo_write": "qwen",
    "todowrite": "opencode",
    "write_todos": "gemini",
}
"""The plan tools of hosts that take a whole list, and the file of the formats that read each."""
PLAN_TOOLS = {**LISTS, "TaskCreate": "claude_tasks", "TaskUpdate": "claude_tasks"}
"""The hosts' own plan tools, whose calls are mirrored, and the file of the formats that read each."""
_GEMINI_AGENT = "invoke_agent"
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
    """Answer the event on standard input, without a parser of options: somebody waits for it.

    It ends with 0 whatever it is given: a host takes a 2 as "block".
    """
    try:
        host = next((each for each in arguments if not each.startswith("-")), "")
        text = _answer(host, os.environ)
        if text:
            sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
            sys.stdout.buffer.flush()
    except Exception as error:
        _complain(f"{type(error).__name__}: {error}")
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
        if self.event.kind == "complete" or self.event.tool in LISTS:
            return self._gated(records)
        from todowright.host.hooks import answer

        return answer(self.event, None).text

    def _note(self, records: Records) -> str:
        """Leave a record for the server; the conversation that the host's process held before."""
        from todowright.host.identity import note_event

        pid = self._pid()
        event = self.event = self._within_agent(records, pid)
        before = records.of_host([pid], event.host) if event.source == "clear" else None
        if event.kind in ("start", "prompt", "before_tool"):
            note_event(records, pid, event, event.prompt)
        return before.session if before else ""

    def _within_agent(self, records: Records, pid: int) -> HookEvent:
        """The event with its sub-agent: Gemini CLI tells none, but when one begins and ends."""
        event, key = self.event, f"within {pid}"
        if event.host != "gemini":
            return event
        if event.tool == _GEMINI_AGENT and event.kind == "before_tool":
            from todowright.host.records import Note

            name = str(event.arguments.get("agent_name") or "agent")[:40]
            note = Note(event.host, event.session, f"{name}-{os.getpid()}", name)
            records.note_call(key, note)
        elif event.tool == _GEMINI_AGENT and event.kind == "after_tool":
            records.of_call(key, once=True)
        elif event.kind == "before_tool" and (note_of := records.of_call(key)):
            return event._replace(agent=note_of.agent, agent_type=note_of.agent_type)
        return event

    def _respond(self, records: Records, former: str) -> str:
        from todowright.host.hooks import respond
        from todowright.plan.model import MAIN

        opened = self._opened(records)
        if opened is None:
            return ""
        store, sessions = opened
        caller = self._caller()
        session, before = sessions.find(caller), None
        if former not in ("", self.event.session) and self.event.source == "clear":
            left = sessions.find(caller._replace(conversation=former))
            before = store.load(left, MAIN) if left else None
        agent = sessions.agent(caller, session) if session else MAIN
        return respond(self.event, store, session, agent, former=before)

    def _opened(self, records: Records) -> tuple[Store, Sessions] | None:
        """The store of the event's folder, and its sessions; None where nobody has planned yet."""
        from todowright.cli.place import store_url
        from todowright.host.identity import Sessions
        from todowright.stores import open_store

        url = store_url(self.environ, self.event.folder)
        if url.startswith("sqlite:///") and not os.path.exists(url.removeprefix("sqlite:///")):
            return None
        store = open_store(url)
        return store, Sessions(store, records)

    def _gated(self, records: Records) -> str:
        """Have what is to be completed verified; the store is looked at only if somebody wants that."""
        gate = self._gate(records)
        if gate is None:
            return ""
        wanted = gate.given or gate.trouble
        return gate.answer(self._plan(records) if wanted and self.event.tool else None)

    def _gate(self, records: Records) -> HookGate | None:
        """The gate, if this user ever named one: most never do, and need not wait for it."""
        from todowright.private_files import gate_file

        path = gate_file(self.environ)
        if path and not os.path.lexists(path):
            return None
        from todowright.cli.hook_gate import HookGate

        return HookGate(self.event, self.environ, records, LISTS.get(self.event.tool, ""))

    def _plan(self, records: Records) -> Plan | None:
        """The plan that the event is about; None where there is none, or it cannot be read."""
        from todowright.errors import TodowrightError

        try:
            opened = self._opened(records)
            if opened is None:
                return None
            store, sessions = opened
            session = sessions.find(self._caller())
            return store.load(session, sessions.agent(self._caller(), session)) if session else None
        except (TodowrightError, OSError):
            return None

    def _caller(self) -> Any:
        from todowright.host.identity import Caller

        event = self.event
        return Caller(event.host, event.session, event.agent, event.agent_type)

    def _mirror(self, records: Records) -> str:
        """Write down what the host's own plan tool was told; a call of any other tool is none of ours."""
        event = self.event
        if event.tool not in PLAN_TOOLS:
            return ""
        from todowright.cli.place import used_store_url
        from todowright.formats.detect import read_call
        from todowright.formats.reading import ToolCall
        from todowright.host.identity import Sessions
        from todowright.importers.mirror import mirror
        from todowright.stores import open_store

        store = open_store(used_store_url(self.environ, event.folder))
        sessions, caller = Sessions(store, records), self._caller()
        note = records.of_host([self._pid()], event.host)
        title = note.title if note and note.session == event.session else ""
        session = sessions.name(caller._replace(title=title), event.folder, _words(event.arguments))
        call = ToolCall(event.tool, dict(event.arguments), event.result)
        reading, agent = read_call(call, PLAN_TOOLS[event.tool]), sessions.agent(caller, session)
        gate = self._gate(records)
        done = mirror(
            reading,
            store=store,
            session=session,
            agent=agent,
            call_id=event.call,
            verified=gate is not None and gate.was_verified(reading, store.load(session, agent)),
        )
        if done.outcome in ("failed", "unreadable"):
            _complain(f"{event.tool}: {done.line}")
        return ""

    def _pid(self) -> int:
        from todowright.host.host_process import host_pid

        return host_pid(self.event.host, self.environ)


def _words(arguments: object) -> str:
    """The first words of a plan, for a session that nobody has named."""
    if isinstance(arguments, Mapping):
        told = [arguments.get(key) for key in ("subject", "content", "step", "description")]
        for each in (*told, *arguments.values()):
            if isinstance(each, str) and each:
                return each
            if isinstance(each, list) and each and (found := _words(each[0])):
                return found
    return ""


def _complain(line: str) -> None:
    """Write down what went wrong, where somebody asked for it."""
    path = os.environ.get(LOG)
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8", errors="replace") as file:
            file.write(f"{line}\n")
    except OSError:
        pass
