"""checklist: lenient about types, answers with the rendered list."""

from todowright.dialects.call import Call, Reply
from todowright.dialects.field import Field
from todowright.dialects.list_dialect import ListDialect
from todowright.dialects.render import checklist
from todowright.plan.model import Plan


def accept(dialect: ListDialect, plan: Plan, call: Call) -> Reply:
    text, display = checklist(dialect, plan)
    return Reply(text, display, lambda: dialect.arguments(plan))


DIALECT = ListDialect(
    name="checklist",
    description="Update the task list. Use to plan and track progress.",
    list_key="items",
    fields=(
        Field("content", description="Task description"),
        Field("status"),
        Field("active_form", "activeForm", "Present tense action, e.g. 'Reading files'"),
    ),
    default_status="pending",
    extra_arguments="ignore",
    extra_fields="ignore",
    lenient=True,
    max_items=20,
    order=("items", "count", "focus"),
    publish_limits=False,
    phrases={
        "type": "Item {i}: {field} must be {expected}, not {kind}",
        "type.root": "the arguments must be an object with the key {list}, not {kind}",
        "type.list": "{list} must be a list, not {kind}",
        "type.item": "Item {i}: must be an object, not {kind}",
        "missing": "Item {i}: {field} required",
        "missing.list": "{list} required",
        "other_key": "{list} required: the list came as {got}",
        "blank": "Item {i}: {field} required",
        "too_long": "Item {i}: {field} has {got} characters, max {limit}",
        "too_long.list": "{list} has {got} characters, max {limit}",
        "unicode": "Item {i}: {field} is not valid Unicode",
        "status": "Item {i}: invalid status '{got}'",
        "too_many": "Max {limit} todos allowed",
        "focus": "Only one task can be in_progress at a time",
    },
    reminders="rounds",
    accept=accept,
)
