"""What others did to an agent's plan, told to the agent once."""

from __future__ import annotations

from dataclasses import dataclass

from todowright.plan.changes import Kind, compare
from todowright.plan.model import Author, Plan
from todowright.stores.protocol import Store
from todowright.text import as_sent, brief, clip, harmless, json_as_sent, sound

_WORDS: dict[Kind, str] = {
    "created": "added",
    "started": "started",
    "paused": "put back",
    "completed": "ticked off",
    "cancelled": "cancelled",
    "reopened": "reopened",
    "reworded": "reworded",
    "changed": "changed",
    "moved": "moved",
    "dropped": "removed",
    "removed": "removed",
}
_WHO = {
    "person": "On the board, the user",
    "program": "The host program",
    "agent": "Another agent",
}
_IN_FILE = "you in "
"""How the name of a person begins who wrote in a file."""
_MOST, _LONGEST_FILE = 4, 80
_AT_ONCE, _PAGE, _FARTHEST = 4, 50, 1_000
"""How many revisions are read at first, at once, and at most, to find the last one that the agent knew."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What others did, in a few words and in full."""

    brief: str
    whole: str


def author_in(file: str) -> Author:
    """A person who changes a plan by writing in a file."""
    return Author("person", f"{_IN_FILE}{sound(clip(harmless(file), _LONGEST_FILE))}")


def _file_of(author: Author) -> str:
    """The file that a person wrote in; empty for the board."""
    is_in_file = author.kind == "person" and author.name.startswith(_IN_FILE)
    return author.name.removeprefix(_IN_FILE) if is_in_file else ""


class News:
    """Minds which revision of its plan an agent knows, and tells what others have done since.

    What it was told is noted in the store, so that another object, or another process, does not tell it again.
    """

    def __init__(self, store: Store, names: tuple[str, str]) -> None:
        self._store = store
        self._names = names
        self._known: Plan | None = None
        """The revision that the agent was told of, or made itself, by this object; None before it asked."""

    def knows(self, plan: Plan) -> None:
        """The agent made this revision itself."""
        self._known = plan

    def since_known(self, now: Plan) -> Summary | None:
        """What others did between the revision that the agent knows and this one; it knows this one now."""
        if self.is_known(now):
            return None
        known, self._known = self._known or self._last_known(now), now
        if known is None or _alike(known, now):
            return None
        who = self._who(known, now)
        brief = summary_of(known, now, who)
        return Summary(brief, summary_of(known, now, who, whole=True)) if brief else None

    def is_known(self, now: Plan) -> bool:
        """Whether this is the revision that the agent knows."""
        return self._known is not None and _alike(self._known, now)

    def forget(self, known: Plan | None) -> None:
        """Go back to what the agent knew: it could not be told."""
        self._known = known

    @property
    def known(self) -> Plan | None:
        """The revision that the agent knows, as far as this object can tell."""
        return self._known

    def mark_read(self) -> None:
        """Note that the agent has read what it was told."""
        if self._known is not None and self._known.by.kind != "agent":
            self._store.mark_seen(*self._names, self._known.revision)

    def _who(self, known: Plan, now: Plan) -> str:
        """Who made the revisions since the one that the agent knows, in words for the agent."""
        count = now.revision - known.revision
        if count == 1:
            return _name(now.by)
        authors = {now.by}
        if 1 < count <= _PAGE:
            past = self._store.history(*self._names, before=now.revision + 1, limit=count)
            authors = {plan.by for plan in past}
        if len(authors) == 1 and count > 0:
            return _name(now.by)
        people = [author for author in authors if author.kind == "person"]
        if not people:
            return "Others"
        where = "on the board" if any(not _file_of(author) for author in people) else "in a file"
        return f"Others, the user {where} among them,"

    def _last_known(self, now: Plan) -> Plan | None:
        """The last revision that the agent made, or was told of, before this object was there."""
        if now.by.kind == "agent":
            return now
        noted, at, size = self._store.seen(*self._names), now.revision + 1, _AT_ONCE
        while at > 1 and now.revision - at < _FARTHEST:
            page = self._store.history(*self._names, before=at, limit=size)
            for plan in reversed(page):
                if plan.by.kind == "agent" or plan.revision <= noted:
                    return plan
            if not page:
                break
            at, size = page[0].revision, min(2 * size, _PAGE)
        # What a program set up for its agent is no news; what a person did is, from the beginning.
        return Plan(*self._names) if now.by.kind == "person" else None


def _alike(one: Plan, other: Plan) -> bool:
    """Whether two plans of an agent are the same revision; a store may make each anew."""
    if one is other:
        return True
    return one.revision == other.revision and one.updated_at == other.updated_at


def summary_of(known: Plan, now: Plan, who: str, *, whole: bool = False) -> str:
    """What changed between two revisions, in one line; in a few words, unless the `whole` of it is wanted.

    The words of others are quoted: a model is to read them as what stands in a step, not as what we say.
    """
    lines = []
    most, longest = (len(known.todos) + len(now.todos), 100_000) if whole else (_MOST, 60)
    for change in compare(known, now):
        words = " and ".join(dict.fromkeys(_WORDS[kind] for kind in change.kinds))
        name = f"{change.todo.number}. " if change.todo.number else ""
        text = change.todo.content + change.todo.aside * ("changed" in change.kinds)
        lines.append(f"{words} {name}{json_as_sent(brief(text, longest))}")
    if not lines:
        return ""
    more = f"; and {len(lines) - most} more" if len(lines) > most else ""
    return f"{who} changed your plan: {'; '.join(lines[:most])}{more}"


def _name(author: Author) -> str:
    """Who made a revision, in words for the agent."""
    who = _WHO[author.kind]
    if file := _file_of(author):
        return f"In {json_as_sent(as_sent(file))}, the user"
    return f"{who} ({json_as_sent(as_sent(author.name))})" if author.name else who
