"""smart: strict items with an active form; programs may update some of them by id."""

from todowright.dialects.dialect import Dialect, Field
from todowright.plan.model import Call, Plan, Reply
from todowright.dialects.render import marked


def accept(dialect: Dialect, plan: Plan, call: Call) -> Reply:
    return Reply(
        "The todo list has been updated; go on with it.",
        display="\n".join(marked(dialect, plan)) or "No todos.",
        structured=lambda: dialect.arguments(plan),
    )


DIALECT = Dialect(
    name="smart",
    description="Keep a list of tasks that shows the user your plan and your progress.",
    fields=(Field("content"), Field("status"), Field("active_form", "activeForm")),
    order=("focus", "count", "items"),
    phrases={
        "focus": "only one task can be in progress at a time, {got} are: set the others to pending",
    },
    accept=accept,
)
