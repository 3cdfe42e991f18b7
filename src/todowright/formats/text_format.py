"""A format that sends a checklist as one text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from todowright.errors import Unreadable
from todowright.formats.format import Format, Payload
from todowright.formats.items import Notes, bounded, from_text
from todowright.formats.list_format import ListFormat
from todowright.formats.markdown import checklist_lines, is_heading, one_line, read_checklist
from todowright.formats.reading import NOTHING, Reading, ToolCall
from todowright.plan.model import Plan, Status
from todowright.text import kind


@dataclass(frozen=True, kw_only=True, eq=False)
class TextFormat(Format):
    """A format whose calls have a checklist in one text."""

    key: str
    """The argument with the text."""
    marks: Mapping[Status | str, str] = field(default_factory=dict)
    """What stands in the box, by the status; `blocked` for what waits."""
    dash: Status = "in_progress"
    """What `[-]` means."""
    free: bool = False
    """Whether the text may be anything: then one without items is kept as the summary."""

    def read(self, call: ToolCall) -> Reading:
        """The checklist of a call; a list in its place is read, too."""
        value = from_text(call.arguments) if isinstance(call.arguments, str) else call.arguments
        text = value.get(self.key) if isinstance(value, Mapping) else value
        if text is None and isinstance(value, Mapping) and not value:
            return NOTHING
        if isinstance(text, (list, dict)) or (
            isinstance(text, str) and from_text(text) is not text
        ):
            return ListFormat(name=self.name, agent="", description="").read(ToolCall("", text))
        if not isinstance(text, str):
            raise Unreadable(f"'{self.key}' must be a checklist in a text: it is {kind(text)}")
        notes = Notes()
        todos, heading = read_checklist(text, notes, dash=self.dash)
        if not todos and text.strip() and not is_heading(text):
            if not self.free:
                raise Unreadable(f"'{self.key}' holds no checklist")
            heading = bounded(text)
        return Reading("", "all", todos, (), heading or None, notes.lines)

    def write(self, plan: Plan) -> Payload:
        """The call with the checklist."""
        lines, kept = checklist_lines(plan, self.marks)
        heading = [f"# {one_line(plan.summary)}", ""] if plan.summary and self.holds.summary else []
        return self._wrapped("\n".join([*heading, *lines])), kept

    def _wrapped(self, text: str) -> object:
        return {"name": self.tools[0], "input": {self.key: text}}

    def likeness(self, call: ToolCall) -> int:
        """By the argument that it has its text in."""
        value = from_text(call.arguments) if isinstance(call.arguments, str) else call.arguments
        if not isinstance(value, Mapping) or not isinstance(text := value.get(self.key), str):
            return 0
        if from_text(text) is not text:
            return 1
        return 12 if len(value) == 1 or self.key != "content" else 0
