"""A plan as text for files and pipes: checklist, recap, Markdown and JSON."""

from __future__ import annotations

from todowright.dialects.render import PLAIN, checklist, recap
from todowright.plan.data import as_data
from todowright.plan.model import Plan
from todowright.text import harmless, json_text


def as_markdown(plan: Plan) -> str:
    """A task list that GitHub and editors show as one."""
    from todowright.formats.markdown import escaped, rich_lines

    done, total = plan.progress
    head = f"# {escaped(plan.summary or f'Plan of {plan.session}')}"
    return "\n".join([head, "", *rich_lines(plan, asides=True), "", f"{done} of {total} done"])


def formatted(plan: Plan, style: str) -> str:
    """The plan in one of the styles that need no terminal."""
    match style:
        case "checklist":
            return checklist(PLAIN, plan)[1]
        case "recap":
            return harmless(recap(plan))
        case "markdown":
            return as_markdown(plan)
        case _:
            return json_text(as_data(plan), indent=2)
