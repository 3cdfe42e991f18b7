"""`todowright export`.

Export a plan with its history: how long each task took, what was dropped, who did it. Or as another agent would send it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from todowright.cli.place import add_place, chosen_session, chosen_store
from todowright.text import harmless

if TYPE_CHECKING:
    from todowright.plan.lifelines import Lifeline
    from todowright.plan.model import Plan
    from todowright.stores import Store

EXAMPLES = """examples:
  todowright export > report.md
  todowright export --format json --output plan.json
  todowright export --session auth --output auth.md
  todowright export --as codex"""


def add_options(parser: Any) -> None:
    parser.add_argument(
        "--format", choices=["markdown", "json"], default="markdown", help="default: markdown"
    )
    parser.add_argument(
        "--as",
        dest="agents_format",
        metavar="FORMAT",
        help="the plan alone, as another agent would send it: claude, codex, opencode, …",
    )
    parser.add_argument("--output", metavar="FILE", help="write to a file, not to the terminal")
    add_place(parser, agent=False)


def run(options: Any) -> int:
    store, session = chosen_store(options), chosen_session(options)
    if options.agents_format is not None:
        text = _as_another_agent(store, session, options.agents_format)
    else:
        text = (_json if options.format == "json" else _markdown)(store, session)
    if options.output is None:
        print(text)
        return 0
    from todowright.project_files import named_file

    with open(named_file(options.output), "w", encoding="utf-8") as file:
        file.write(text + "\n")
    print(f"Wrote {harmless(options.output)}.")
    return 0


def _as_another_agent(store: Store, session: str, name: str) -> str:
    """The main agent's plan in another format; what that loses is told on the error stream."""
    import sys

    from todowright.formats import write_plan
    from todowright.text import json_text

    written = write_plan(store.load(session, "main"), name)
    for loss in written.losses:
        print(f"not kept: {loss}", file=sys.stderr)
    payload = written.payload
    return payload if isinstance(payload, str) else json_text(payload, indent=2)


def _json(store: Store, session: str) -> str:
    from todowright.plan.data import as_data
    from todowright.stores import revisions
    from todowright.text import json_text

    plans = store.plans(session)
    agents = [
        {
            "plan": as_data(plan),
            "lifelines": [_life_as_data(life) for life in _lifelines(store, plan)],
            "history": [as_data(kept) for kept in revisions(store, session, plan.agent)],
        }
        for plan in plans
    ]
    return json_text({"session": session, "agents": agents}, indent=2)


def _life_as_data(life: Lifeline) -> dict[str, Any]:
    return {
        "content": life.todo.content,
        "status": life.todo.status,
        "id": life.todo.id,
        "ended": life.ended.isoformat() if life.ended else None,
        "spans": [
            {
                "status": span.status,
                "since": span.since.isoformat(),
                "until": span.until.isoformat() if span.until else None,
            }
            for span in life.spans
        ],
    }


def _markdown(store: Store, session: str) -> str:
    from todowright.cli.formats import as_markdown
    from todowright.formats.markdown import escaped

    parts = []
    for plan in store.plans(session):
        parts.append(as_markdown(plan))
        if plan.agent != "main":
            parts.append(f"Agent: {escaped(plan.agent)}")
        parts.append(_table(_lifelines(store, plan), plan))
    return "\n\n".join(parts) or f"# Plan of {escaped(session)}\n\nNothing yet."


def _table(lives: tuple[Lifeline, ...], plan: Plan) -> str:
    from datetime import UTC, datetime

    from todowright.cli.ages import lasting
    from todowright.formats.markdown import escaped

    now = datetime.now(UTC) if plan.current or not plan.updated_at else plan.updated_at
    rows = ["| task | status | worked on for |", "|---|---|---|"]
    for life in lives:
        dropped = life.ended is not None and not life.todo.closed
        status = "dropped" if dropped else life.todo.status.replace("_", " ")
        worked = lasting(life.spent("in_progress", now))
        rows.append(f"| {escaped(life.todo.content)} | {status} | {worked} |")
    return "\n".join(rows)


def _lifelines(store: Store, plan: Plan) -> tuple[Lifeline, ...]:
    from todowright.plan.lifelines import lifelines
    from todowright.stores import revisions

    return lifelines(revisions(store, plan.session, plan.agent))
