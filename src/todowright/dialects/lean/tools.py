"""The five tools of lean as a model is offered them: with steps by their words, or by their numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from todowright.dialects.dialect import Tool
from todowright.dialects.schema_parts import Schema, an_object
from todowright.dialects.verb_dialect import VerbDialect
from todowright.values import settings

STRING = {"type": "string"}
NUMBER = {"type": "integer"}
STRINGS = {"type": "array", "items": STRING}
NUMBERS = {"type": "array", "items": NUMBER}
WHERE = STRING | {"description": "end, or before: <a step>"}


def _schema(*required: str, **properties: Schema) -> Schema:
    return an_object(properties, required)


BY_WORDS = (
    Tool("plan", "Starts a new plan with these steps.", _schema(steps=STRINGS, now=STRING)),
    Tool(
        "done",
        "Only for finished steps, by their first words; the next starts by itself.",
        _schema("finished", finished=STRINGS),
    ),
    Tool("add", "Adds a new step.", _schema("step", "where", step=STRING, where=WHERE)),
    Tool("change", "Says a step in other words.", _schema(step=STRING, to=STRING)),
    Tool("drop", "Takes a step off.", _schema(step=STRING)),
)
"""What a small model reads right. Each word, each key and the order were tried on one (decision 100): with `steps`
in `done`, as in `plan`, it finished all of them at the first update, and with `done` at the end it planned anew.
"By their first words" lets a model that can be short be short (decision 150); a small one writes all of them."""
BY_NUMBER = (
    Tool("plan", "Sets the steps.", _schema(steps=STRINGS, now=NUMBER)),
    Tool("done", "Finishes steps; the next starts by itself.", _schema(finished=NUMBERS)),
    Tool("add", "Adds steps.", _schema(steps=STRINGS, before=NUMBER)),
    Tool("change", "Rewords a step.", _schema(step=NUMBER, to=STRING)),
    Tool("drop", "Drops steps.", _schema(steps=NUMBERS)),
)


@settings
class LeanDialect(VerbDialect):
    """lean; `replace(dialect, by="number")` is the one that teaches a model the steps' numbers."""

    by: Literal["words", "number"] = "words"
    """How steps are named in the definitions and replies. Both are taken, whichever is taught."""

    def __post_init__(self) -> None:
        """Offer the tools that go with the way steps are named."""
        if self.by not in ("words", "number"):
            raise self._wrong("by must be 'words' or 'number'")
        tools = {tool.name: tool for tool in (BY_WORDS if self.by == "words" else BY_NUMBER)}
        verbs = tuple(
            replace(verb, tool=tools.get(verb.tool.name, verb.tool)) for verb in self.verbs
        )
        object.__setattr__(self, "verbs", verbs)
        super().__post_init__()
