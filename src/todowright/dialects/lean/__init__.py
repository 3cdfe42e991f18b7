"""lean: the plan is sent once as plain strings, then only what changes; steps are named by their words."""

from __future__ import annotations

from dataclasses import replace

from todowright.dialects.field import Field
from todowright.dialects.lean.reading import (
    check_add,
    check_change,
    check_done,
    check_drop,
    check_plan,
)
from todowright.dialects.lean.replies import annotate, reply_to_edit, reply_to_plan
from todowright.dialects.lean.tools import BY_WORDS, LeanDialect
from todowright.dialects.lean.verbs import (
    draft_add,
    draft_change,
    draft_done,
    draft_drop,
    draft_plan,
)
from todowright.dialects.list_dialect import ListDialect
from todowright.dialects.verb_dialect import Verb

__all__ = ["BY_NUMBER", "DIALECT"]

PLAN, DONE, ADD, CHANGE, DROP = BY_WORDS
DIALECT = LeanDialect(
    name="lean",
    statuses=("pending", "in_progress", "completed", "cancelled"),
    max_in_progress=None,
    switches=True,
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
        "storm": "Same again: nothing changed. Go on, or call plan without steps to read the plan.",
    },
    verbs=(
        Verb(PLAN, check_plan, draft_plan, reply_to_plan, whole=True, texts=("steps",)),
        Verb(DONE, check_done, draft_done, reply_to_edit),
        Verb(ADD, check_add, draft_add, reply_to_edit, texts=("step",)),
        Verb(CHANGE, check_change, draft_change, reply_to_edit, texts=("to",)),
        Verb(DROP, check_drop, draft_drop, reply_to_edit),
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
BY_NUMBER = replace(DIALECT, by="number")
"""For models that mind numbers: an update costs fewer tokens."""
