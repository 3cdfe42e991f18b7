"""Who makes a call: which conversation of which host, and which agent in it. And what people see of that.

`identify` reads what a host sends, in the order in which it can be trusted. `Sessions` gives the session and
the agent their names: found again by a mark, readable by the project, the branch, the host and the task.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from todowright.digests import sha256
from todowright.host.hooks import HookEvent, own_tool
from todowright.host.records import Note, Records, call_key
from todowright.host.worktrees import git_folder, main_worktree
from todowright.names import LONGEST_NAME, MAIN, check_agent, slug

if TYPE_CHECKING:
    from todowright.stores.protocol import Store

HOSTS = ("claude", "codex", "opencode", "gemini", "qwen", "cursor", "zed")
"""Hosts that are known by the beginning of the name that their MCP client gives."""
INJECTED = ("_session", "_parent", "_agent")
"""Arguments that a host's plugin, or a sub-agent, adds to a call; no dialect sees them."""
TOOL_USE = "claudecode/toolUseId"
NAMELESS = ("qwen", "gemini")
"""Hosts whose calls carry no id that a hook knows, too: they are told by what is called."""
_ENVIRON = {"qwen": "QWEN_CODE_SESSION_ID"}
_ENVIRON_LAST = {"claude": "CLAUDE_CODE_SESSION_ID"}
"""Right at a new start and after `--resume`; wrong after `-c` and `/clear`."""
_LONGEST_PLACE, _LONGEST_WORDS, _MARK = 24, 36, 8


class Window(NamedTuple):
    """What is known of a connection, before any call."""

    folder: str
    host: str = ""
    """The kind of host: claude, codex, opencode, …"""
    pids: tuple[int, ...] = ()
    """The processes that may be the host, the likeliest first."""
    environ: Mapping[str, str] = {}
    mark: str = ""
    """What tells this connection from others, also when its server was started anew."""
    pid: int = 0
    """The process that the host started for this window; it holds what the window works on."""


class Caller(NamedTuple):
    """Who makes a call, in the host's own ids; no conversation where nothing tells it."""

    host: str
    conversation: str = ""
    agent: str = ""
    agent_type: str = ""
    title: str = ""
    sure: bool = True
    """Whether the host's word is to be trusted, also for a conversation that was resumed."""
    by_call: bool = False
    """Whether the call itself was named: then a sub-agent is told from the others."""
    folder: str = ""
    """Where the conversation is held, if a hook told it."""


def host_of(client: str) -> str:
    """The kind of host, by the name that its MCP client gives."""
    name = client.casefold()
    known = next((each for each in HOSTS if name.startswith(each)), "")
    return known or slug(client, _LONGEST_PLACE) or "mcp"


def identify(
    window: Window,
    records: Records,
    tool: str,
    arguments: dict[str, Any],
    meta: Mapping[str, Any],
) -> Caller:
    """Who makes this call. What a plugin put into the arguments is taken out of them."""
    given = {key: arguments.pop(key, None) for key in INJECTED}
    told = {key: value for key, value in given.items() if isinstance(value, str) and value}
    found = _by_call(window, records, tool, arguments, meta, told) or _by_process(window, records)
    if own := told.get("_agent"):
        found = found._replace(agent=own, agent_type="", by_call=True)
    return found


def _by_call(
    window: Window,
    records: Records,
    tool: str,
    arguments: Mapping[str, Any],
    meta: Mapping[str, Any],
    told: Mapping[str, str],
) -> Caller | None:
    """What the call itself tells, or a hook that named it."""
    thread, session, use = (_text(meta, key) for key in ("threadId", "sessionId", TOOL_USE))
    if thread:
        below = thread if session not in ("", thread) else ""
        return Caller(window.host, session or thread, below, by_call=True)
    if use and (note := records.of_call(use)):
        return _told_by(note)._replace(by_call=True)
    if own := told.get("_session"):
        parent = told.get("_parent", "")
        return Caller(window.host, parent or own, own if parent else "", by_call=True)
    if window.host in NAMELESS:
        for pid in window.pids[:2]:
            if note := records.of_call(call_key(pid, tool, arguments), once=True):
                return _told_by(note)._replace(by_call=True)
    return None


def _by_process(window: Window, records: Records) -> Caller:
    """What the connection tells: its environment where that is right, and what a hook noted of the host."""
    if own := window.environ.get(_ENVIRON.get(window.host, ""), ""):
        return Caller(window.host, own)
    if note := records.of_host(window.pids, window.host):
        return _told_by(note._replace(agent="", agent_type=""))
    own = window.environ.get(_ENVIRON_LAST.get(window.host, ""), "")
    return Caller(window.host, own, sure=False)


def _told_by(note: Note) -> Caller:
    return Caller(
        note.host, note.session, note.agent, note.agent_type, note.title, folder=note.folder
    )


def note_event(records: Records, pid: int, event: HookEvent, title: str = "") -> None:
    """Leave what a hook's event tells of its conversation, and of the call that it announces."""
    if not event.session or event.kind == "end":
        return
    note = Note(event.host, event.session, folder=event.folder, title=title[:200])
    if pid:
        records.note_host(pid, note)
    tool = own_tool(event.tool) if event.kind == "before_tool" else ""
    if tool:
        note = note._replace(agent=event.agent, agent_type=event.agent_type)
        if event.host in NAMELESS:
            records.note_call(call_key(pid, tool, event.arguments), note)
        elif event.call:
            records.note_call(event.call, note)


# Names.


def mark_of(host: str, conversation: str) -> str:
    """What a conversation's session ends with, whatever else it is called."""
    return sha256(f"{host}\n{conversation}".encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]


def session_title(folder: str, host: str, words: str) -> str:
    """What a person recognises a session by: project, branch, host, the first words of the task."""
    branch = slug(project_and_branch(folder)[1], _LONGEST_PLACE)
    parts = [project_slug(folder), branch, slug(host, _LONGEST_PLACE)]
    parts.append(slug(words, min(_LONGEST_WORDS, LONGEST_NAME - _MARK - 4 - len("-".join(parts)))))
    return "-".join(part for part in parts if part)


def project_slug(folder: str) -> str:
    """The project of a folder as the names of its sessions begin."""
    return slug(project_and_branch(folder)[0], _LONGEST_PLACE) or "folder"


class Sessions:
    """The names of sessions and agents in one store."""

    def __init__(self, store: Store, records: Records) -> None:
        self.store = store
        self.records = records

    def find(self, caller: Caller) -> str:
        """The session of a conversation, or nothing where it has none yet."""
        mark = mark_of(caller.host, caller.conversation)
        known = self.store.sessions()
        kept = self.records.kept_name(self._key(mark))
        if kept in known:
            return kept
        return next((each for each in reversed(known) if each.endswith(f"-{mark}")), "")

    def name(self, caller: Caller, folder: str, words: str = "") -> str:
        """The session of a conversation: the one that it has, else a new name."""
        if found := self.find(caller):
            return found
        mark, words = mark_of(caller.host, caller.conversation), caller.title or words
        proposed = f"{session_title(folder, caller.host, words)}-{mark}"
        if not words:
            return proposed  # nothing is written yet: the task may still give it its words
        return self.records.name(self._key(mark), proposed)

    def is_own(self, session: str) -> bool:
        """Whether this user's records know a session: a store may have come with a repository."""
        mark = session.rpartition("-")[2]
        return self.records.knows(session) or self.records.kept_name(self._key(mark)) == session

    def take_up(self, caller: Caller, session: str) -> None:
        """Let a conversation go on in another's session."""
        self.records.rename(self._key(mark_of(caller.host, caller.conversation)), session)

    def agent(self, caller: Caller, session: str) -> str:
        """The agent's name: `main`, or one of its own below it."""
        if not caller.agent:
            return MAIN
        mark = mark_of(caller.host, caller.agent)
        proposed = f"{MAIN}/{slug(caller.agent_type, _LONGEST_WORDS) or 'agent'}-{mark}"
        if _readable(caller.agent):
            proposed = f"{MAIN}/{slug(caller.agent, _LONGEST_WORDS)}"
        key = f"agent {self._key(session)} {caller.agent}"
        return self.records.name(key, proposed, check_agent)

    def _key(self, mark: str) -> str:
        return f"{getattr(self.store, 'path', '')} {mark}"


def project_and_branch(folder: str) -> tuple[str, str]:
    """The name of the project around a folder, and the branch that is checked out there; read, not asked of git."""
    at = os.path.abspath(folder)
    while not os.path.exists(os.path.join(at, ".git")):
        above = os.path.dirname(at)
        if above == at:
            return os.path.basename(os.path.abspath(folder)), ""
        at = above
    own = git_folder(at)
    try:
        with open(os.path.join(own, "HEAD"), encoding="utf-8") as file:
            head = file.read(1000).strip()
    except (OSError, ValueError):
        head = ""
    return os.path.basename(main_worktree(at)), head.partition("refs/heads/")[2]


def _readable(agent: str) -> bool:
    """Whether a person, or a model, chose this name; ids have digits and are long."""
    return slug(agent, _LONGEST_PLACE) == agent and not any(char.isdigit() for char in agent)


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""
