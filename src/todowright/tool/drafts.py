"""What a call asks for: a draft on the plan that stands, or a refusal."""

from __future__ import annotations

import json
from collections.abc import Callable

from todowright.dialects.check import Draft, check
from todowright.plan.context import neutral, number_of
from todowright.dialects.dialect import Dialect
from todowright.errors import Refused
from todowright.tool.revise import Ledger
from todowright.plan.model import Issue, Plan
from todowright.text import clip, kind, shown


class Drafts:
    """Drafts what the calls of one tool ask for, and minds what its model knows of the plan."""

    def __init__(self, ledger: Ledger, *, hears: bool) -> None:
        self._ledger = ledger
        self.hears = hears
        self.numbered_from: int | None = None
        """Which plan's numbers the last reply spoke of."""
        self._news: list[str] = []
        """What others did that the model had not read when it wrote the calls of this turn."""
        self._turns = False
        """Whether somebody says when a turn begins; else every call is one."""

    def of(
        self, dialect: Dialect, arguments: object, tool: str | None, heard: list[str]
    ) -> Callable[[Plan], Draft]:
        """What makes a draft of a call on the plan that stands; `heard` is filled with what others did."""
        if not dialect.verbs:
            draft = check(dialect, arguments)
            if isinstance(draft, tuple):
                raise Refused("", draft)

            def whole_list(before: Plan) -> Draft:
                self._hear(before, heard, whole=True)
                return draft

            return whole_list if self.hears else lambda _: draft
        return self._by_verb(dialect, arguments, tool, heard)

    def _by_verb(
        self, dialect: Dialect, arguments: object, tool: str | None, heard: list[str]
    ) -> Callable[[Plan], Draft]:
        verb = dialect.verb(tool, arguments)
        if verb is None and tool is None:  # the keys of several
            raise Refused("", (Issue("unknown", value=f"beside '{dialect.list_key}'"),))
        if verb is None:
            raise Refused("", (Issue("tool", value=shown(tool)),))
        if not isinstance(arguments, dict) and arguments is not None:
            raise Refused("", (Issue("type", kind=kind(arguments), expected="object"),))
        given = arguments or {}

        def draft_on(before: Plan) -> Draft:
            whole = verb is dialect.verbs[0]
            if not whole:
                self._mind_numbers(before)
            reads = given.keys() <= {verb.key} and not given.get(verb.key)
            self._hear(before, heard, whole=whole and not reads)
            return verb.apply(dialect, before, given)

        return draft_on

    def _mind_numbers(self, before: Plan) -> None:
        """Refuse, once, a call that speaks of another plan's numbers than those that stand."""
        known, self.numbered_from = self.numbered_from, before.numbered_from
        if known is not None and known != before.numbered_from:
            from todowright.dialects.lean.steps import a_few

            numbers = [(number_of(before, todo), todo.content) for todo in before.todos]
            names = [
                f"{number} {clip(neutral(text), 40)}" for number, text in numbers if number > 0
            ]
            raise Refused("", (Issue("replaced", value=a_few(names)),))

    def _hear(self, before: Plan, heard: list[str], *, whole: bool) -> None:
        """Note what others did; refuse a whole list that was written without knowing of it."""
        if not self.hears:
            return
        told = self._noted(before)
        if whole and self._news:
            heard.clear()
            raise Refused("", (Issue("edited", value=". ".join(self._news)),))
        if told:
            heard.append(told)

    def _noted(self, now: Plan) -> str:
        """What others did since the model was last told, in one line; all of it is kept for this turn."""
        known = self._ledger.unheard(now)
        if known is None:
            return ""
        from todowright.tool.news import edits

        told = edits(known, now)
        if told:
            self._news.append(edits(known, now, whole=True))
        return told

    def overheard(self) -> str:
        """What others did since the model was last told, in one line."""
        with self._ledger.held() as now:
            return self._noted(now)

    def next_turn(self, *, begins: bool) -> None:
        """The model has read what it was told; `begins` if what follows is one turn until the next word."""
        self._turns = begins
        self._news.clear()

    def answered(self) -> None:
        """A call was answered: where nobody counts turns, the model reads it before its next call."""
        if not self._turns:
            self._news.clear()


def as_object(text: str | bytes) -> object:
    """The arguments that a host passed on as the text they came in; the text, if it is no object."""
    if not text.strip():
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, dict) else text


def decoded(arguments: object) -> tuple[object, Issue | None]:
    """The arguments, parsed if they came as JSON text."""
    if not (arguments is None or isinstance(arguments, (str, bytes))):
        return arguments, None
    if not arguments or not arguments.strip():
        return None, Issue("no_argument")
    try:
        return json.loads(arguments, parse_constant=_no_constant), None
    except (ValueError, RecursionError):
        return None, Issue("not_json")


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
