"""smart: strict items with an active form; programs may update some of them by id."""

from todowright.dialects.call import Call, Reply
from todowright.dialects.field import Field
from todowright.dialects.list_dialect import ListDialect
from todowright.dialects.render import marked
from todowright.plan.model import Plan


def accept(dialect: ListDialect, plan: Plan, call: Call) -> Reply:
    return Reply(
        "The todo list has been updated; go on with it.",
        "\n".join(marked(dialect, plan)) or "No todos.",
        lambda: dialect.arguments(plan),
    )


DIALECT = ListDialect(
    name="smart",
    description="Keep a list of tasks that shows the user your plan and your progress.",
    fields=(Field("content"), Field("status"), Field("active_form", "activeForm")),
    order=("focus", "count", "items"),
    phrases={
        "focus": "only one task can be in progress at a time, {got} are: set the others to pending",
    },
    accept=accept,
    prompt_text=(
        "When a task takes several steps, first write the plan with TodoWrite, then work, and keep the plan up to date. "
        "When one step is enough, do it without a plan."
    ),
)
