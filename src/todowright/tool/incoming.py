"""A call that came in: what it asks for, as a draft on whichever plan stands."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

from todowright.dialects.call import Draft
from todowright.dialects.check import check
from todowright.dialects.dialect import Dialect
from todowright.dialects.list_dialect import ListDialect
from todowright.dialects.verb_dialect import Verb, VerbDialect
from todowright.errors import Issue, Refused
from todowright.plan.matching import carry
from todowright.plan.model import Plan
from todowright.text import kind, shown
from todowright.tool.news import News
from todowright.tool.receipts import Receipts


@dataclass(slots=True, eq=False)
class Request:
    """What a sound call asks for."""

    draft_on: Callable[[Plan], Draft]
    whole: bool
    """Whether it sends a whole list, which must know what others did to the plan that stands."""
    verb: Verb | None = None


@dataclass(slots=True, eq=False)
class Incoming:
    """One call from the moment it came in."""

    arguments: object
    tool: str | None
    unread: list[str]
    """What others did in the course of the turn, that the model had not read when it wrote the call."""
    news: News | None = None
    receipts: Receipts | None = None
    """For a call that has an id of its own."""
    started: float = field(default_factory=perf_counter)
    before: Plan | None = None
    """The plan that stood when it was looked at last."""
    heard: list[str] = field(default_factory=list)
    """What others did, to be told with the reply."""
    noted: bool = False
    """Whether something of what others did is told by the reply, or by a refusal."""

    def draft_with(self, request: Request) -> Callable[[Plan], Draft]:
        """What drafts the request on the plan that stands, minding what others did to it."""

        def draft_on(before: Plan) -> Draft:
            self.before = before
            if self.receipts is not None:
                self.receipts.refuse_repeated()
            if self.news is None:
                return request.draft_on(before)
            if (told := self.news.of(before)) is not None:
                self.noted = True
                self.heard.append(told.brief)
                self.unread.append(told.whole)
            draft = request.draft_on(before)
            if self.unread and request.whole and not draft.reads:
                self.heard.clear()
                raise Refused(Issue("edited", value=". ".join(self.unread)))
            return draft

        return draft_on


def read(dialect: Dialect, arguments: object, tool: str | None) -> Request:
    """Read a call by its dialect's rules; raises `Refused` where it breaks them."""
    if isinstance(dialect, VerbDialect):
        return _read_verb(dialect, arguments, tool)
    assert isinstance(dialect, ListDialect)
    if tool is not None and tool != dialect.tool_name:
        raise Refused(Issue("tool", value=shown(tool)))
    checked = check(dialect, from_json(arguments) if dialect.json_text else arguments)
    labels = dialect.labels == "kept"

    def draft_on(before: Plan) -> Draft:
        todos = carry(before.todos, checked.todos, labels=labels)
        return Draft(todos, checked.summary, checked=True)

    return Request(draft_on, whole=True)


def _read_verb(dialect: VerbDialect, arguments: object, tool: str | None) -> Request:
    verb = dialect.verb(tool)
    if verb is None:
        raise Refused(Issue("tool", value=shown(tool)))
    if isinstance(arguments, (str, bytes)):
        arguments = _as_object(arguments)
    if not isinstance(arguments, dict) and arguments is not None:
        raise Refused(Issue("type", kind=kind(arguments), expected="object"))
    asked = verb.check(dialect, arguments or {})
    return Request(lambda before: verb.draft(dialect, before, asked), verb.whole, verb)


def _as_object(text: str | bytes) -> object:
    """The arguments that a host passed on as the text they came in; the text, if it is no object."""
    if not text.strip():
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, dict) else text


def from_json(arguments: object) -> object:
    """The arguments, parsed if they came as JSON text."""
    if not (arguments is None or isinstance(arguments, (str, bytes))):
        return arguments
    if not arguments or not arguments.strip():
        raise Refused(Issue("no_argument"))
    try:
        return json.loads(arguments, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refused(Issue("not_json")) from None


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
