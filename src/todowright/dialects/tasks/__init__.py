"""tasks: single tasks with owners and dependencies, created and changed one by one, by many agents."""

from __future__ import annotations

from todowright.dialects.dialect import Tool
from todowright.dialects.field import Field
from todowright.dialects.list_dialect import ListDialect
from todowright.dialects.schema_parts import Schema, an_object
from todowright.dialects.tasks.model import EXTRAS
from todowright.dialects.tasks.replies import (
    reply_to_create,
    reply_to_get,
    reply_to_list,
    reply_to_update,
)
from todowright.dialects.tasks.rules import settled
from todowright.dialects.tasks.verbs import (
    STATUSES,
    check_call,
    check_create,
    draft_create,
    draft_get,
    draft_list,
    draft_update,
)
from todowright.dialects.verb_dialect import Verb, VerbDialect

__all__ = ["DIALECT"]

STRING = {"type": "string"}
STRINGS = {"type": "array", "items": STRING}
OBJECT = {"type": "object"}


def _schema(*required: str, **properties: Schema) -> Schema:
    return an_object(properties, required)


CREATE = Tool(
    "TaskCreate",
    "Creates a task.",
    _schema(
        "subject",
        "description",
        subject=STRING,
        description=STRING,
        activeForm=STRING,
        metadata=OBJECT,
    ),
)
UPDATE = Tool(
    "TaskUpdate",
    "Changes a task. Set in_progress when you start, completed when it is done.",
    _schema(
        "taskId",
        taskId=STRING,
        status={"type": "string", "enum": list(STATUSES)},
        subject=STRING,
        description=STRING,
        activeForm=STRING,
        owner=STRING,
        addBlocks=STRINGS,
        addBlockedBy=STRINGS,
        metadata=OBJECT,
    ),
)
GET = Tool("TaskGet", "Reads a task.", _schema("taskId", taskId=STRING), read_only=True)
LIST = Tool("TaskList", "Lists all tasks.", _schema(), read_only=True)

DIALECT = VerbDialect(
    name="tasks",
    statuses=("pending", "in_progress", "completed", "cancelled"),
    max_in_progress=None,
    extras=EXTRAS,
    trim=True,
    keep_unchanged=False,
    news=False,
    settle=settled,
    phrases={
        "no_step": "Task {field} not found: the tasks are {got}",
        "not_json": "invalid JSON: send an object",
    },
    verbs=(
        Verb(CREATE, check_create, draft_create, reply_to_create, texts=("subject",)),
        Verb(UPDATE, check_call, draft_update, reply_to_update, texts=("subject",)),
        Verb(GET, check_call, draft_get, reply_to_get),
        Verb(LIST, check_call, draft_list, reply_to_list),
    ),
    items=ListDialect(
        name="tasks",
        list_key="tasks",
        fields=(Field("content", "subject"), Field("status", required=False)),
        extra_arguments="ignore",
        extra_fields="ignore",
    ),
    prompt_text=(
        "When work takes several steps, create a task for each with TaskCreate, and keep them up to date with TaskUpdate: "
        "in_progress when you start one, completed when it is done."
    ),
)
