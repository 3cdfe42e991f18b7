"""update_plan of Codex: its calls, its event `plan_update`, the message of its app server, and the item of `codex exec --json`."""

from todowright.formats.format import WITHOUT_CANCELLED, Holds, Payload
from todowright.formats.list_format import ListFormat
from todowright.plan.model import Plan


class _Message(ListFormat):
    """A list that is sent as a message, not by a call."""

    def write(self, plan: Plan) -> Payload:
        arguments, kept = self.arguments(plan)
        return {"method": self.tools[0], "params": arguments}, kept


class _Item(ListFormat):
    def write(self, plan: Plan) -> Payload:
        arguments, kept = self.arguments(plan)
        return {"type": "item.updated", "item": {"type": self.tools[0], **arguments}}, kept


FORMATS = (
    ListFormat(
        name="codex",
        agent="Codex CLI",
        description="`update_plan`, the whole list: step, status; and an explanation",
        tools=("update_plan", "plan_update"),
        holds=Holds(statuses=WITHOUT_CANCELLED, summary=True),
        list_key="plan",
        content="step",
        summary="explanation",
    ),
    _Message(
        name="codex-app-server",
        agent="Codex app server",
        description="the message `turn/plan/updated`: step, status spelled `inProgress`; and an explanation",
        tools=("turn/plan/updated",),
        holds=Holds(statuses=WITHOUT_CANCELLED, summary=True),
        list_key="plan",
        content="step",
        words={"pending": "pending", "in_progress": "inProgress", "completed": "completed"},
        summary="explanation",
    ),
    _Item(
        name="codex-exec",
        agent="codex exec --json",
        description="the item `todo_list`: text, and completed as true or false",
        tools=("todo_list",),
        holds=Holds(statuses=("pending", "completed")),
        list_key="items",
        content="text",
        status="completed",
        words={"pending": False, "completed": True},
    ),
)
