"""What a model is answered, in its dialect's words; briefly, where it makes the same call again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from todowright.dialects import render
from todowright.dialects.call import Call, Reply
from todowright.dialects.dialect import Dialect
from todowright.errors import Issue
from todowright.logs import log_exception
from todowright.text import a_kind

if TYPE_CHECKING:
    from todowright.dialects.verb_dialect import Verb, VerbDialect

MOST_REPEATS = 2
"""From the third time on, the reply to the same call that changes nothing is cut short."""


def annotated(dialect: Dialect, reply: Reply, notes: Sequence[str]) -> Reply:
    """The reply with notes behind it."""
    for note in notes:
        try:
            noted = (dialect.annotate or render.annotate)(dialect, reply, note)
            noted = as_reply(dialect, "annotate", noted, reply)
            if reply.is_error and not noted.is_error:  # a note does not make a success of a refusal
                noted = replace(noted, is_error=True, issues=reply.issues)
            reply = noted
        except Exception:  # a dialect's own words failed: ours will do
            log_exception("a dialect could not word a note")
            reply = render.annotate(dialect, reply, note)
    return reply


def as_reply(dialect: Dialect, name: str, given: object, like: Reply) -> Reply:
    """What a dialect's own function gave in place of a `Reply`: a text will do, and the fault is logged."""
    if isinstance(given, Reply):
        return given
    try:
        raise TypeError(f"dialect {dialect.name}: {name} gave {a_kind(given)}: return a Reply")
    except TypeError:
        if not isinstance(given, str):
            raise
        log_exception("a dialect could not word its reply")
    return replace(like, text=given, display=given)


def rejected(dialect: Dialect, issues: tuple[Issue, ...], call: Call) -> Reply:
    """The dialect's words for what is wrong with a call."""
    reply = (dialect.reject or render.reject)(dialect, issues, call)
    if reply.__class__ is Reply:
        return reply
    return as_reply(dialect, "reject", reply, Reply("", is_error=True, issues=issues))


class Repeated(Exception):
    """A call that was answered before."""

    def __init__(self, reply: Reply) -> None:
        super().__init__("the same call again")
        self.reply = reply


class Replies:
    """Words the replies of one tool, and remembers the last call that changed nothing."""

    def __init__(self) -> None:
        self._last: tuple[str, str] | None = None
        """That call, and what it was answered; None after any other one."""
        self._repeats = 0

    def accepted(
        self, dialect: Dialect, verb: Verb | None, call: Call, notes: Sequence[str]
    ) -> Reply:
        """The reply to a call that was kept, or asked for the plan."""
        try:
            if verb is not None:
                if TYPE_CHECKING:
                    assert isinstance(dialect, VerbDialect)
                reply = verb.reply(dialect, call)
            else:
                reply = (dialect.accept or render.accept)(dialect, call.plan, call)
            if reply.__class__ is not Reply:
                reply = as_reply(dialect, "accept" if verb is None else "reply", reply, Reply(""))
            reply = annotated(dialect, reply, notes) if notes else reply
        except Exception:  # a dialect's own words failed; the plan is kept all the same
            log_exception("a dialect could not word its reply")
            return Reply("The list was updated.", display="The list was updated.")
        if call.plan is call.before and not call.reads:
            return self._cut_short(dialect, verb.tool.name if verb else None, call, reply)
        self._last = None
        return reply

    def rejected(
        self, dialect: Dialect, tool: str | None, issues: tuple[Issue, ...], call: Call
    ) -> Reply:
        """The reply to a call that breaks the rules."""
        return self._cut_short(dialect, tool, call, rejected(dialect, issues, call))

    def _cut_short(self, dialect: Dialect, tool: str | None, call: Call, reply: Reply) -> Reply:
        """The reply to a call that changed nothing; short, once the same call got it twice."""
        storm = dialect.phrases.get("storm")
        if storm is None:
            return reply
        from todowright.tool.fingerprint import fingerprint

        this = fingerprint(tool, call.arguments), reply.text
        self._repeats = self._repeats + 1 if this == self._last else 0
        self._last = this
        return reply if self._repeats < MOST_REPEATS else replace(reply, text=storm)
