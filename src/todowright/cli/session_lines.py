"""A session line by line, for the box that `watch` draws: agents by name, what is stuck, what was dropped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rich.text import Text

from todowright.cli.ages import lasting
from todowright.cli.box import MARKS, SPINNER, STYLES, Line
from todowright.cli.columns import cell_len, cut
from todowright.cli.states import clock, facts, short
from todowright.plan.attention import SessionView
from todowright.plan.model import MAIN, Todo
from todowright.plan.record import Dropped, PersonEdit, label
from todowright.plan.stuck import AgentView
from todowright.plan.tree import Tree, trees
from todowright.text import clip, harmless

KEPT_SHOWN = 60.0
"""Seconds for which it is told that an edit was kept."""
_LONGEST_ASIDE = 40
_CLOSED = (STYLES["completed"], STYLES["cancelled"])
_LOUD = ("bold bright_yellow", "yellow")
"""What must be seen, the worst first."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """One look at a session: at which moment, and with the spinner at which frame."""

    view: SessionView
    now: float
    frame: int | None = None
    heard: Mapping[str, int] = field(default_factory=dict)
    """For each agent, the last revision by others that it was told of."""

    def lines(self, agent: str) -> list[Line]:
        """The plan of an agent with those of its sub-agents; of the main one, all of the session."""
        alive = [each.record.plan for each in self.view.agents]
        roots = trees([each for each in alive if _is_below(each.agent, agent)])
        first = sorted(roots, key=lambda tree: (tree.plan.agent != agent, self._place(tree)))
        lines: list[Line] = []
        for tree in first:
            if tree.plan.agent == agent:
                lines += self._plan(tree)
            elif tree.plan.todos:
                lines += [self._head(tree, "", [each.plan.agent for each in roots])]
                lines += [_indented(line, 2) for line in self._plan(tree)]
        return lines

    def _of(self, tree: Tree) -> AgentView:
        return next(each for each in self.view.agents if each.record.plan is tree.plan)

    def _place(self, tree: Tree) -> int:
        return [each.agent for each in self.view.agents].index(tree.plan.agent)

    def _plan(self, tree: Tree) -> list[Line]:
        seen = self._of(tree)
        lines = [self._lost(seen, each) for each in _behind(seen, 0)]
        for todo in tree.plan.todos:
            lines.append(self._step(seen, todo))
            for child in sorted(tree.under(todo), key=self._place):
                lines += self._nested(child, tree)
            lines += [self._lost(seen, each) for each in _behind(seen, todo.number)]
        for child in sorted(tree.loose, key=self._place):
            lines += self._nested(child, tree)
        return lines

    def _nested(self, tree: Tree, parent: Tree) -> list[Line]:
        inner = self._plan(tree)
        names = [each.plan.agent for each in parent.children]
        head = self._head(tree, "└ ", names)
        return [_indented(head, 2), *(_indented(line, 4) for line in inner)] if inner else []

    def _head(self, tree: Tree, corner: str, names: Iterable[str]) -> Line:
        """An agent: its name, what it is like, how far it is."""
        seen = self._of(tree)
        name = label(seen.agent)
        if sum(label(each) == name for each in names) > 1:
            name = tree.label  # with what makes it unique
        told = f"{corner}{harmless(name)}"
        count = f"{seen.done}/{seen.total}"
        if seen.state != "stuck":
            return Line(told, "cyan", "", count)
        usual = f", usually {short(seen.usual)}" if seen.usual else ""
        return Line(
            f"{told}  ▲ stuck {_words(seen.silent)}{usual}", "bold bright_yellow", "", count
        )

    def _step(self, seen: AgentView, todo: Todo) -> Line:
        mark, text, style = MARKS[todo.status], todo.content, STYLES[todo.status]
        note = ""
        if todo.status == "in_progress":
            text = f"{todo.active_form or todo.content}..."
            began = seen.record.began.get(todo.number)
            note = short(self.now - began) if began else ""
            if seen.state == "stuck":
                mark, style = "▲", "bold bright_yellow"
            elif self.frame is not None:
                mark = SPINNER[self.frame % len(SPINNER)]
        receipt = next(
            (self._receipt(seen, edit) for edit in seen.record.edits if edit.number == todo.number),
            "",
        )
        aside = clip(harmless(todo.aside), _LONGEST_ASIDE)
        return Line(
            f"{mark} {harmless(text)}", style, aside, "  ".join(filter(None, (receipt, note)))
        )

    def _receipt(self, seen: AgentView, edit: PersonEdit) -> str:
        """What became of an edit: sent, heard, kept."""
        who = harmless(edit.by) or "you"
        if edit.state == "sent":
            heard = self.heard.get(seen.agent, 0) >= edit.revision
            return f"{who}: sent → heard" if heard else f"{who}: sent"
        if edit.state == "changed":
            return f"{who}: not kept"
        return f"{who}: sent → heard → kept" if self.now - edit.judged_at < KEPT_SHOWN else ""

    def _lost(self, seen: AgentView, drop: Dropped) -> Line:
        note = f"dropped at {clock(drop.at)} by {harmless(label(seen.agent))}"
        return Line(f"✗ {harmless(drop.content)}", "red", "", note)


def _is_below(name: str, agent: str) -> bool:
    return agent == MAIN or name == agent or name.startswith(f"{agent}/")


def _behind(seen: AgentView, number: int) -> list[Dropped]:
    """What was dropped behind a step, in its order; behind the first place, also what lost its step."""
    dropped = seen.record.dropped
    known = {todo.number for todo in seen.record.plan.todos} | {each.number for each in dropped}
    found = []
    for each in dropped:
        if each.after == number or (number == 0 and each.after not in known):
            found += [each, *_behind(seen, each.number)]
    return found


def _indented(line: Line, cells: int) -> Line:
    return line._replace(text=" " * cells + line.text)


def _words(seconds: float) -> str:
    from datetime import timedelta

    return lasting(timedelta(seconds=seconds))


def fitted(lines: Sequence[Line], rows: int, scrolled: int = 0) -> tuple[list[Line], int]:
    """So many of the lines, and how far they can be scrolled: done steps are folded first, what moves stays."""
    if len(lines) <= rows:
        return list(lines), 0
    folded = _folded(lines)
    if len(folded) <= rows:
        return folded, 0
    first = next(
        (n for style in _LOUD for n, line in enumerate(folded) if line.style == style),
        next((n for n, line in enumerate(folded) if line.style not in _CLOSED), 0),
    )
    last = max(0, len(folded) - rows + 1)
    start = max(0, min(first - 1, last))
    at = max(0, min(start + scrolled, last))
    shown = folded[at : at + max(rows - 1, 0)]
    return [*shown, Line(f"… {len(folded) - len(shown)} more", "dim")], at - start


def _folded(lines: Sequence[Line]) -> list[Line]:
    """The lines with closed steps that follow each other as one; the last of them stays."""
    kept: list[Line] = []
    run: list[Line] = []
    for line in [*lines, None]:
        if line is not None and line.style in _CLOSED:
            run.append(line)
            continue
        if len(run) > 2:
            indent = " " * (len(run[0].text) - len(run[0].text.lstrip()))
            run = [Line(f"{indent}… {len(run) - 1} done", "dim"), run[-1]]
        kept += run
        run = []
        if line is not None:
            kept.append(line)
    return kept


def headline(view: SessionView, project: str, width: int, now: float) -> Text:
    """The session's name at the left, how it goes at the right; where there is little room, less of it."""
    title = harmless(view.session) + (f" · {harmless(project)}" if project else "")
    number = max((each.record.number for each in view.agents if "/" not in each.agent), default=1)
    title += f" · plan {number}" if number > 1 else ""
    parts = facts(view, now)
    order = [part for part in parts if part[1] in ("bright_blue", "dim")]
    while order and _length(parts) + 2 + min(cell_len(title), 10) > width:
        parts.remove(order.pop(0))
    room = max(0, width - _length(parts) - 2)
    if cell_len(title) > room:
        title = harmless(view.session)
    shown = cut(title, room)
    text = Text(no_wrap=True, overflow="crop", end="\n").append(shown, style="bold")
    text.append(" " * max(0, width - cell_len(shown) - _length(parts)))
    for n, (part, style) in enumerate(parts):
        text.append(" · " if n else "", style="dim").append(part, style=style)
    text.truncate(max(width, 1))
    return text


def _length(parts: Sequence[tuple[str, str]]) -> int:
    return cell_len(" · ".join(part for part, _ in parts))
