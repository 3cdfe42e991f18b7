"""Names of sessions and agents: anything people would write, nothing that looks like a path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from todowright.text import a_kind, shown

if TYPE_CHECKING:
    from todowright.errors import BadName

MAIN = "main"
"""The agent that speaks for its session; all others are sub-agents."""
LONGEST_NAME = 100
_MOST_BYTES = 200
"""Of a name of a file, without its ending: systems take 255."""
DIALECTS = ("lean", "smart", "shell", "envelope", "checklist", "twostate")
"""The dialects of a todo list that come with todowright."""
ALL_DIALECTS = (*DIALECTS, "tasks")
"""And the one of tasks."""


def session_name(text: str) -> str:
    """A session name for any text, a thread id or a title say: the same text, the same name.

    A text that may be a name is its own. Any other keeps what can be read of it, and a mark that tells
    it from texts that look alike.
    """
    if _sound(text):
        return text
    if not isinstance(text, str):
        raise TypeError(f"session_name takes a str, not {a_kind(text)}: give it str(…) of that")
    from hashlib import sha256

    mark = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    kept = "".join(char if char.isprintable() and char not in "/\\" else " " for char in text[:200])
    words = "-".join(kept.split()).lstrip(".-")[:60].rstrip("-")
    return f"{words or 'session'}-{mark}"


def slug(text: str, most: int) -> str:
    """The first words of a text as part of a name: without spaces, slashes and quotes."""
    kinds = (char if char.isalnum() or char in "_." else " " for char in text[:400])
    words = [word.strip(".") for word in "".join(kinds).split() if word.strip(".")]
    kept = ""
    for word in words:
        longer = f"{kept}-{word}" if kept else word[:most]
        if len(longer) > most:
            break
        kept = longer
    return kept


def file_name(session: str) -> str:
    """A session's name for a file: itself, or as much of it as systems take in a name, and a mark."""
    encoded = session.encode("utf-8", "surrogatepass")
    if len(encoded) <= _MOST_BYTES:
        return session
    from hashlib import sha256

    start = encoded[: _MOST_BYTES - 20].decode("utf-8", "ignore")
    return f"{start}-{sha256(encoded).hexdigest()[:16]}"


def check_session(name: str) -> str:
    """The name, if a session may have it; raises `BadName` if not."""
    if not _sound(name):
        raise _bad("session", name)
    return name


def check_agent(name: str) -> str:
    """The name, if an agent may have it: sub-agents stand behind a slash."""
    parts = name.split("/") if isinstance(name, str) else [name]  # type: ignore[redundant-expr]
    if not all(_sound(part) for part in parts):
        raise _bad("agent", name)
    return name


def _sound(name: object) -> bool:
    return (
        isinstance(name, str)
        and 0 < len(name) <= LONGEST_NAME
        and name.isprintable()
        and name.strip() == name
        and name[0] not in ".-"
        and "/" not in name
        and "\\" not in name
    )


def _bad(what: str, name: object) -> BadName:
    from todowright.errors import BadName  # not light, and most names are good

    if not isinstance(name, str):
        return BadName(f"the name of {_a(what)} is a str, not {a_kind(name)}: give it as text")
    return BadName(
        f"'{shown(name)}' cannot be the name of {_a(what)}: use 1 to "
        f"{LONGEST_NAME} printable characters, no slashes, not starting with a dot or a dash"
    )


def _a(what: str) -> str:
    return f"an {what}" if what == "agent" else f"a {what}"
