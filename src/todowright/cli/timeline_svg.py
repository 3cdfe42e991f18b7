"""A timeline as a picture that stands alone: no script, no font or style from elsewhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from todowright.cli.ages import lasting
from todowright.text import clip, harmless

if TYPE_CHECKING:
    from todowright.cli.lanes import Timeline
    from todowright.plan.lifelines import Lifeline

WIDTH, LABEL, RIGHT, ROW, TOP = 960, 280, 90, 26, 56
STYLE = """
  svg { font: 13px system-ui, sans-serif; }
  .paper { fill: #ffffff; } .text { fill: #1f2328; } .faint { fill: #59636e; font-size: 11px; }
  .lane { fill: #f1f3f5; } .pending { fill: #d0d7de; } .in_progress { fill: #e0a100; }
  .completed { fill: #a6d8b0; } .cancelled { fill: #c9b8d8; }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117; } .text { fill: #e6edf3; } .faint { fill: #9198a1; }
    .lane { fill: #161b22; } .pending { fill: #30363d; } .in_progress { fill: #d29922; }
    .completed { fill: #1f5a32; } .cancelled { fill: #4a3b5c; }
  }"""


def drawn(found: Timeline) -> str:
    """The timeline as an SVG document."""
    rows: list[str] = []
    y = TOP
    for agent, lives in found.agents.items():
        if len(found.agents) > 1:
            rows.append(f'<text class="faint" x="16" y="{y + 17}">{_safe(agent, 60)}</text>')
            y += ROW
        for life in lives:
            rows += _row(found, life, y)
            y += ROW
    end = found.end.astimezone()
    start = found.start.astimezone()
    clock = "%H:%M:%S" if start.date() == end.date() else "%Y-%m-%d %H:%M"
    height = y + 34
    view = f'viewBox="0 0 {WIDTH} {height}" role="img"'
    label = f'aria-label="Timeline of {_safe(found.session, 100)}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {view} {label}>',
            f"<style>{STYLE}\n</style>",
            f'<rect class="paper" width="{WIDTH}" height="{height}" rx="6"/>',
            f'<text class="text" x="16" y="32" font-weight="600">{_safe(found.session, 60)}</text>',
            *rows,
            f'<text class="faint" x="{LABEL}" y="{y + 20}">{start:{clock}}</text>',
            f'<text class="faint" x="{WIDTH - RIGHT}" y="{y + 20}" text-anchor="end">{end:{clock}}</text>',
            "</svg>\n",
        ]
    )


def _row(found: Timeline, life: Lifeline, y: int) -> list[str]:
    room = WIDTH - LABEL - RIGHT
    worked = lasting(life.spent("in_progress", found.end))
    parts = [
        f'<text class="text" x="16" y="{y + 17}">{_label(life.todo.content)}</text>',
        f'<rect class="lane" x="{LABEL}" y="{y + 4}" width="{room}" height="18" rx="3"/>',
    ]
    for span in life.spans:
        left = found.share(span.since) * room
        width = max(2.0, found.share(span.until or found.end) * room - left)
        length = lasting((span.until or found.end) - span.since)
        parts.append(
            f'<rect class="{span.status}" x="{LABEL + min(left, room - 2):.1f}" y="{y + 4}" '
            f'width="{width:.1f}" height="18" rx="3"><title>{_safe(life.todo.content, 200)}: '
            f"{span.status.replace('_', ' ')} for {length}</title></rect>"
        )
    ended = " (dropped)" if life.ended and not life.todo.closed else ""
    parts.append(
        f'<text class="faint" x="{WIDTH - RIGHT + 10}" y="{y + 17}">{worked}{ended}</text>'
    )
    return parts


def _label(text: str) -> str:
    """As much of a text as fits left of the bars: a wide letter counts twice."""
    fits, room = "", 38
    for char in harmless(text):
        room -= 2 if char > "\u2e7f" else 1
        if room < 0:
            return escape(fits[:-1] + "…")
        fits += char
    return escape(fits)


def _safe(text: str, most: int) -> str:
    return escape(clip(harmless(text), most))
