"""`todowright timeline`.

Who worked on what, and for how long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from todowright.cli.ages import lasting
from todowright.cli.place import add_place, chosen_store, kept_session
from todowright.text import harmless

if TYPE_CHECKING:
    from todowright.cli.lanes import Timeline
    from todowright.plan.lifelines import Lifeline

EXAMPLES = """examples:
  todowright timeline
  todowright timeline --svg timeline.svg       as a picture
  todowright timeline --session auth

  · waiting   █ in progress   ━ completed   ╌ cancelled   (empty: not in the list)"""

GLYPHS = {"pending": "·", "in_progress": "█", "completed": "━", "cancelled": "╌"}
STYLES = {
    "pending": "dim",
    "in_progress": "yellow",
    "completed": "green",
    "cancelled": "bright_black",
}


def add_options(parser: Any) -> None:
    parser.add_argument("--svg", metavar="FILE", help="draw it as a picture")
    add_place(parser, agent=False)


def run(options: Any) -> int:
    from datetime import UTC, datetime

    from todowright.cli.lanes import timeline_of

    store = chosen_store(options)
    session = kept_session(options, store)
    found = timeline_of(store, session, datetime.now(UTC))
    if found is None:
        print(f"No timeline: nobody has written a plan in session {session}.")
        return 0
    if options.svg:
        from todowright.cli.timeline_svg import drawn
        from todowright.project_files import named_file

        with open(named_file(options.svg), "w", encoding="utf-8") as file:
            file.write(drawn(found))
        print(f"Wrote {harmless(options.svg)}.")
    else:
        print_timeline(found)
    return 0


def print_timeline(found: Timeline) -> None:
    """The timeline as bars."""
    from rich.text import Text

    from todowright.cli.box import console
    from todowright.cli.columns import cell_len, filled

    screen = console()
    width = screen.width if screen.is_terminal else 100
    texts = [harmless(life.todo.content) for lives in found.agents.values() for life in lives]
    label = min(max(map(cell_len, texts)), max(6, width // 2 - 6))
    bar = max(4, width - label - 13)
    clock = "%H:%M:%S" if found.start.date() == found.end.date() else "%m-%d %H:%M"
    agents = {agent: lives for agent, lives in found.agents.items() if lives}
    for agent, lives in agents.items():
        if len(agents) > 1:
            screen.print(Text(harmless(agent), style="cyan"))
        for life in lives:
            name = harmless(life.todo.content)
            line = Text(no_wrap=True, overflow="crop").append(filled(name, label) + " ")
            line.append_text(_bar(found, life, bar))
            line.append(f" {lasting(life.spent('in_progress', found.end)):>10}")
            if life.ended is not None and not life.todo.closed:
                line.append(" dropped", style="red")
            screen.print(line, soft_wrap=True)
    start, end = f"{found.start.astimezone():{clock}}", f"{found.end.astimezone():{clock}}"
    between = max(1, bar - len(start) - len(end))
    axis = " " * max(0, min(label + 1, width - len(start) - len(end) - 1))
    axis += start + " " * between + end
    screen.print(Text(axis, style="dim"), soft_wrap=True)


def _bar(found: Timeline, life: Lifeline, width: int) -> Any:
    """The spans of a task, a glyph for each slice of time; work of any length is visible."""
    from rich.text import Text

    cells: list[str | None] = [None] * width
    for worked in (False, True):  # work is painted last, over what it shares a slice with
        for span in life.spans:
            if (span.status == "in_progress") is worked:
                start = int(found.share(span.since) * width)
                end = int(found.share(span.until or found.end) * width)
                for at in range(start, max(end, start + 1)):
                    cells[min(at, width - 1)] = span.status
    text = Text()
    for status in cells:
        text.append(GLYPHS[status] if status else " ", style=STYLES[status] if status else "")
    return text
