"""lean: the plan is sent once as plain strings, then only what changes, by number."""

from __future__ import annotations

from typing import Any

from todowright.dialects.dialect import Tool
from todowright.dialects.field import Field
from todowright.dialects.lean.replies import annotate, reply_to_done, reply_to_plan, reply_to_wish
from todowright.dialects.lean.verbs import (
    check_done,
    check_plan,
    check_wish,
    draft_done,
    draft_plan,
    draft_wish,
)
from todowright.dialects.lean.wishes import WISHES
from todowright.dialects.list_dialect import ListDialect
from todowright.dialects.verb_dialect import Verb, VerbDialect

__all__ = ["DIALECT"]

STRINGS = {"type": "array", "items": {"type": "string"}}
NUMBER = {"type": "integer"}
STRING = {"type": "string"}


def _schema(required: list[str], **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties}
    return schema | {"required": required} if required else schema


PLAN = Tool("plan", "Sets the steps, once, at the beginning.", _schema(["steps"], steps=STRINGS))
DONE = Tool(
    "done",
    "Finishes a step by its number; the next starts by itself.",
    _schema(["step"], step=NUMBER),
)
WISH = Tool(
    "wish",
    "For new wishes only.",
    _schema(["do"], do={"type": "string", "enum": list(WISHES)}, step=NUMBER, text=STRING),
)

DIALECT = VerbDialect(
    name="lean",
    statuses=("pending", "in_progress", "completed", "cancelled"),
    trim=True,
    repair=True,
    keep_unchanged=False,
    news=True,
    phrases={
        "type.list": "steps must be a list of texts, not {kind}",
        "type.item": "steps[{i}] must be a text, not {kind}",
        "missing.field": "steps[{i}] is empty: say what to do",
        "blank.field": "steps[{i}] is blank: say what to do",
        "not_json": "invalid JSON: send an object",
        "last_stands": "{got} plan calls in this turn: this one stands",
        "too_many.root": "{path} has {got} entries, at most {limit} are read: send fewer",
        "storm": "Same again: nothing changed. Go on with the work.",
    },
    verbs=(
        Verb(PLAN, check_plan, draft_plan, reply_to_plan, whole=True, texts=("steps",)),
        Verb(DONE, check_done, draft_done, reply_to_done),
        Verb(WISH, check_wish, draft_wish, reply_to_wish, texts=("text",)),
    ),
    items=ListDialect(
        name="lean",
        list_key="steps",
        fields=(Field("content"), Field("status", required=False)),
        extra_arguments="ignore",
        extra_fields="ignore",
    ),
    annotate=annotate,
    prompt_text=(
        "When a task takes several steps, first write the plan with plan, then work, and keep the plan up to date. "
        "When one step is enough, do it without a plan."
    ),
)
