"""A call that came in: what it asks for, as a draft on whichever plan stands."""

from __future__ import annotations

import json
from time import perf_counter
from typing import TYPE_CHECKING

from todowright.dialects.call import Draft
from todowright.dialects.check import Checked, check
from todowright.dialects.dialect import Dialect
from todowright.dialects.extras import with_extras
from todowright.dialects.list_dialect import ListDialect
from todowright.errors import Issue, Refused
from todowright.plan.matching import carry
from todowright.plan.model import Plan
from todowright.text import kind, shown

if TYPE_CHECKING:  # loaded with what needs them
    from todowright.dialects.verb_dialect import Verb, VerbDialect
    from todowright.tool.news import News
    from todowright.tool.receipts import Receipts
    from todowright.tool.second_word import SecondWord


class Incoming:
    """One call from the moment it came in."""

    __slots__ = (
        "arguments",
        "asked",
        "before",
        "checked",
        "dialect",
        "has_news",
        "news",
        "news_lines",
        "note",
        "receipts",
        "saved",
        "second_word",
        "started",
        "tool",
        "unread",
        "verb",
    )
    dialect: Dialect
    """The dialect it was read by."""
    checked: Checked
    """The list that it asks for."""
    asked: object
    """The arguments of its verb."""
    second_word: SecondWord
    """Refuses once what would drop open todos."""

    def __init__(
        self, arguments: object, tool: str | None, unread: list[str], news: News | None
    ) -> None:
        self.started = perf_counter()
        self.arguments = arguments
        self.tool = tool
        self.unread = unread
        """What others did in the course of the turn: the model had not read it when it wrote the call."""
        self.news = news
        self.verb: Verb | None = None
        self.receipts: Receipts | None = None
        """For a call that has an id of its own."""
        self.before: Plan | None = None
        """The plan that stood when it was looked at last."""
        self.news_lines: tuple[str, ...] = ()
        """What others did, to be told with the reply."""
        self.has_news = False
        """Whether something of what others did is told by the reply, or by a refusal."""
        self.note = ""
        """What was mended of it."""
        self.saved = False
        """Whether its receipt is kept with a revision."""

    def read(self, dialect: Dialect, arguments: object) -> None:
        """Read the arguments by a dialect's rules; raises `Refused` where they break them."""
        self.dialect = dialect
        if not isinstance(dialect, ListDialect):
            if TYPE_CHECKING:
                assert isinstance(dialect, VerbDialect)
            given = arguments if type(arguments) is dict else _as_object(arguments)
            asked = dialect.read(self.tool, given)
            self.verb, self.asked = asked.verb, asked.arguments
            return
        if self.tool is not None and self.tool != dialect.tool_name:
            raise Refused(Issue("tool", value=shown(self.tool)))
        if dialect.json_text:
            arguments = from_json(arguments)
        elif isinstance(arguments, (str, bytes)):
            _parsed(arguments)  # only to say so where it is no JSON
        self.checked = check(dialect, arguments)

    def draft_on(self, before: Plan) -> Draft:
        """Draft what it asks for on the plan that stands, minding what others did to that."""
        self.before = before
        if self.receipts is not None:
            self.receipts.refuse_repeated()
        draft = self._drafted(before) if self.news is None else self._drafted_with_news(before)
        if draft.confirm:
            self.second_word.ask(before, draft.confirm, self.unread)
        return draft

    def _drafted_with_news(self, before: Plan) -> Draft:
        """Tell what others did; refuse a whole list that knows nothing of it."""
        assert self.news is not None
        if (summary := self.news.since_known(before)) is not None:
            self.has_news = True
            self.news_lines += (summary.brief,)
            self.unread.append(summary.whole)
        draft = self._drafted(before)
        whole = self.verb is None or self.verb.whole
        whole = whole and not (draft.is_read or draft.is_edit)
        if self.unread and whole and not _another_plan(before, draft):
            self.news_lines = ()
            told = ". ".join([*self.unread, *self._dropped(before, draft)])
            raise Refused(Issue("edited", value=told))
        return draft

    def _dropped(self, before: Plan, draft: Draft) -> list[str]:
        """What the call would drop, told with another refusal so that there is not a second one."""
        try:
            if draft.confirm:
                self.second_word.ask(before, draft.confirm, self.unread)
        except Refused as refused:
            return [f"It would drop {refused.issues[0].value}"]
        return []

    def _drafted(self, before: Plan) -> Draft:
        if self.verb is not None:
            if TYPE_CHECKING:
                assert isinstance(self.dialect, VerbDialect)
            return self.verb.draft(self.dialect, before, self.asked)
        todos = carry(before.todos, self.checked.items)
        if self.checked.extras is not None:
            todos = with_extras(todos, self.checked.extras)
        return Draft(todos, self.checked.summary, (), False, True)


def _another_plan(before: Plan, draft: Draft) -> bool:
    """Whether a finished plan is followed by one that has nothing of it: then nothing is written over."""
    done = {todo.content for todo in before.todos}
    return before.finished and done.isdisjoint(todo.content for todo in draft.todos)


def _as_object(arguments: object) -> dict[str, object]:
    """The arguments of a verb; a host may pass them on as the text they came in."""
    if isinstance(arguments, (str, bytes)):
        found = _parsed(arguments) if arguments.strip() else None
        arguments = found if found is None or isinstance(found, dict) else arguments
    if arguments is None:
        return {}
    if not isinstance(arguments, dict):
        raise Refused(Issue("type", kind=kind(arguments), expected="object"))
    return arguments


def from_json(arguments: object) -> object:
    """The arguments, parsed if they came as JSON text."""
    if not (arguments is None or isinstance(arguments, (str, bytes))):
        return arguments
    if not arguments or not arguments.strip():
        raise Refused(Issue("no_argument"))
    return _parsed(arguments)


def _parsed(text: str | bytes) -> object:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refused(Issue("not_json")) from None


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
