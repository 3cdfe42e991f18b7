"""One call of another agent, made in a store by the one writer, so that its plan stands here as it does there."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Literal

from todowright.dialects.call import Draft, Reply
from todowright.dialects.dialect import Dialect
from todowright.dialects.list_dialect import ListDialect
from todowright.errors import Refused, TodowrightError, Unreadable, reason
from todowright.formats import Reading, read_plan
from todowright.formats.reading import ToolCall
from todowright.logs import log_exception
from todowright.names import check_agent, check_session
from todowright.plan.matching import load
from todowright.plan.model import AGENT, MAIN, STATUSES, Author, Plan
from todowright.stores.protocol import Store
from todowright.text import clip, harmless
from todowright.tool.receipts import Receipts
from todowright.tool.replies import Repeated
from todowright.tool.revise import Revised, writer_of
from todowright.tool.terms import Terms
from todowright.values import value

Outcome = Literal["changed", "same", "repeated", "looked", "failed", "unreadable"]
_LONGEST_LINE = 300


@value
class Mirrored:
    """What became of a call."""

    outcome: Outcome
    """`same`: the plan stood so already. `repeated`: a call with this id was made before. `looked`: it only looks at
    the plan. `failed`: its own agent refused it, or the store could not keep it."""
    line: str = ""
    """What was wrong, left out or mended, in one line; empty where nothing was."""
    plan: Plan | None = None
    """The plan that stands; None where nothing was looked up."""


def mirror(
    call: Reading | object,
    *,
    store: Store,
    session: str,
    agent: str = MAIN,
    time: datetime | None = None,
    call_id: str = "",
    tool: str | None = None,
    result: object = None,
    failed: bool = False,
    serves: int = 0,
    by: Author = AGENT,
    verified: bool = False,
) -> Mirrored:
    """Make a call of another agent in a store: a list replaces the one that stands, other calls edit it.

    `call` is what `read_plan` gave or takes. `time` is when the call was made, with a time zone; now, without it. A
    call with the same `call_id` (or the id that stands in the call) and the same arguments again changes nothing.
    `failed` says that its own agent refused the call, `verified` that what it completes was verified. It raises only where `session`, `agent` or `time` cannot be: whatever
    is wrong with the call or the store is told in the line.
    """
    check_session(session)
    check_agent(agent)
    if time is not None and time.tzinfo is None:
        raise ValueError("time needs a time zone: use datetime.fromtimestamp(seconds, UTC)")
    try:
        reading = call if isinstance(call, Reading) else read_plan(call, tool=tool, result=result)
    except Exception as error:
        if not isinstance(error, Unreadable):
            log_exception("a call of another agent could not be read")
        return Mirrored("unreadable", _line([reason(error)]))
    if failed:
        return Mirrored("failed", "the agent's own tool refused this call")
    if not reading.changes:
        return Mirrored("looked", _line(reading.notes))
    try:
        return _made(reading, store, (session, agent), time, call_id, serves, by, verified)
    except Exception as error:
        if not isinstance(error, (TodowrightError, OSError)):
            log_exception("a call of another agent could not be kept")
        return Mirrored("failed", _line([reason(error)]))


def _made(
    reading: Reading,
    store: Store,
    names: tuple[str, str],
    time: datetime | None,
    call_id: str,
    serves: int,
    by: Author,
    verified: bool,
) -> Mirrored:
    load()
    call = reading.call or ToolCall("", None)
    label, notes = call_id or call.id, list[str]()
    receipts = Receipts(store, names, label, call.tool, call.arguments) if label else None

    def draft_on(before: Plan) -> Draft:
        if receipts is not None:
            receipts.refuse_repeated()
        todos, left_out = reading.applied(before.todos, before.issued)
        notes[:] = left_out
        summary = before.summary if reading.summary is None else reading.summary
        same = todos == list(before.todos) and summary == before.summary
        return Draft(todos, summary, is_read=same, is_edit=True)

    dialect = dialect_of(reading.format)
    verify = (lambda _: True) if verified else None
    terms = Terms(dialect, None, verify, None if time is None else lambda: time, serves)
    reply = Reply("mirrored")
    try:
        revised: Revised = writer_of(store, *names).revise(
            terms, draft_on, by, None if receipts is None else lambda _: receipts.of(reply)
        )
    except Repeated:
        return Mirrored("repeated", "", store.load(*names))
    except Refused as refused:
        raise dialect.worded(refused) from None
    line = _line([*reading.notes, *notes])
    if revised.plan is revised.before:
        if receipts is not None:
            receipts.keep(reply)
        return Mirrored("same", line, revised.plan)
    return Mirrored("changed", line, revised.plan)


@cache
def dialect_of(name: str) -> Dialect:
    """The rules of a mirrored plan: it may be whatever its own agent made of it."""
    return ListDialect(
        name=name or "plain", statuses=STATUSES, max_in_progress=None, keep_unchanged=False
    )


def _line(notes: object) -> str:
    lines = notes if isinstance(notes, (list, tuple)) else ()
    return clip(harmless("; ".join(map(str, lines))), _LONGEST_LINE)
