"""`todowright history`.

What changed in a session, when, and by whom: one line for each revision, oldest first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from todowright.cli.place import add_place, chosen_store, kept_session
from todowright.text import clip, harmless, json_text

if TYPE_CHECKING:
    from todowright.plan.changes import Change
    from todowright.stores import Store

EXAMPLES = """examples:
  todowright history
  todowright history --last 5
  todowright history --agent reviewer
  todowright history --json                    a JSON object for each revision, one a line"""

_LONGEST = 60
_COLOURS = {
    "completed": "green",
    "started": "yellow",
    "dropped": "red",
    "cancelled": "bright_black",
    "removed": "bright_black",
}


def add_options(parser: Any) -> None:
    parser.add_argument("--last", type=int, metavar="N", help="only the last N revisions")
    parser.add_argument("--agent", metavar="NAME", help="only this agent's (default: all)")
    parser.add_argument("--json", action="store_true", help="as JSON lines")
    add_place(parser, agent=False)


def run(options: Any) -> int:
    store = chosen_store(options)
    session = kept_session(options, store)
    every = list(changes_of(store, session))
    changes = [each for each in every if options.agent in (None, each.plan.agent)]
    if options.last is not None:
        changes = changes[-options.last :] if options.last > 0 else []
    if options.json:
        for change in changes:
            _print_json(change)
    elif not every:
        print(f"No history: nobody has written a plan in session {session}.")
    elif not changes:
        print(f"None of the {len(every)} revisions of session {session} is meant by these options.")
    else:
        _print_lines(changes)
    return 0


def changes_of(store: Store, session: str) -> Iterator[Change]:
    """What each revision of a session did, in the order they were saved."""
    from todowright.plan.changes import Change
    from todowright.plan.model import Plan

    number, before = 0, dict[str, Plan]()
    while entries := store.since(number, session=session):
        for number, plan in entries:  # noqa: B007  the last number is where to go on
            known = before.get(plan.agent) or Plan(session, plan.agent)
            before[plan.agent] = plan
            yield Change(known, plan)


def _print_json(change: Change) -> None:
    items = [
        {
            "content": item.todo.content,
            "before": item.before.content if item.before else None,
            "kinds": item.kinds,
            "id": item.todo.id,
            "number": item.todo.number,
        }
        for item in change.items
    ]
    moment = change.plan.updated_at
    line = {
        "revision": change.plan.revision,
        "agent": change.plan.agent,
        "by": {"kind": change.plan.by.kind, "name": change.plan.by.name},
        "ended": change.plan.ended,
        "at": moment.isoformat() if moment else None,
        "items": items,
    }
    print(json_text(line))


def _print_lines(changes: list[Change]) -> None:
    from rich.text import Text

    from todowright.cli.box import console

    screen = console()
    several = len({change.plan.agent for change in changes}) > 1
    for change in changes:
        moment = change.plan.updated_at
        when = moment.astimezone().strftime("%Y-%m-%d %H:%M:%S") if moment else ""
        line = Text().append(f"{when}  r{change.plan.revision:<4} ", style="dim")
        if several:
            line.append(f"{harmless(change.plan.agent)}  ", style="cyan")
        if change.plan.by.kind != "agent":
            name = harmless(change.plan.by.name)
            told = f"by {name}, a {change.plan.by.kind}" if name else f"by a {change.plan.by.kind}"
            line.append(f"{told}  ", style="magenta")
        if change.plan.ended:
            line.append(f"ended: {harmless(change.plan.ended)}", style="dim")
            screen.print(line, soft_wrap=not screen.is_terminal)
            continue
        for index, item in enumerate(change.items):
            words = " and ".join(item.kinds)
            colour = next((_COLOURS[kind] for kind in item.kinds if kind in _COLOURS), "")
            line.append("; " if index else "").append(words, style=colour)
            if "reworded" in item.kinds and item.before is not None:
                line.append(f" {clip(harmless(item.before.content), _LONGEST)} to")
            line.append(f" {clip(harmless(item.todo.content), _LONGEST)}")
            if "changed" in item.kinds:
                line.append(clip(harmless(item.todo.aside), _LONGEST), style="dim")
        if not change.items:
            line.append("nothing changed", style="dim")
        screen.print(line, soft_wrap=not screen.is_terminal)
