"""What the board calls a session whose name says badly what it is about: names of coding agents and of imports, UUIDs."""

from __future__ import annotations

import re

from todowright.host.identity import HOSTS
from todowright.plan.attention import SessionView

_UUID = re.compile(r"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}")
_MADE = (
    re.compile(rf".+-(?P<host>{'|'.join(HOSTS)})-(?P<words>.+)-[0-9a-f]{{8}}"),
    re.compile(r"(?P<words>.+)-(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{12}(?P<host>)"),
)
"""A name that a host's conversation or an import was given: its words, and a mark that nobody reads."""
_TITLE = 48
"""How many characters of a plan stand for a session that has no name of its own."""


def title_of(view: SessionView, project: str) -> str:
    """What a session is about whose name is a UUID, or was made of project, branch, host and task; else empty."""
    name = view.session.rpartition("~")[2]
    is_uuid = bool(_UUID.fullmatch(name[-36:].lower()))
    made = None if is_uuid else next(filter(None, (each.fullmatch(name) for each in _MADE)), None)
    if made is not None:
        words = made["words"].removeprefix(f"{project}-").replace("-", " ")
        return f"{words} ({made['host']})" if made["host"] else words
    if not is_uuid:
        return ""
    plans = [each.record.plan for each in sorted(view.agents, key=lambda each: each.agent)]
    words = next((each.summary or each.todos[0].content for each in plans if each.todos), "")
    if len(words) > _TITLE:
        words = words[:_TITLE].rpartition(" ")[0] or words[:_TITLE]
        words = f"{words} …"
    return ": ".join(each for each in (project, words) if each)
