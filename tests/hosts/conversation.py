"""What a host sent to a model, in the same words for all APIs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """A call that the model is to make; a tool of ours is named by its last word."""

    tool: str
    arguments: dict[str, Any] | Callable[[Conversation], dict[str, Any]]
    """Or what makes them of the conversation: the id of an agent that was started, say."""


Turn = str | list[Call]


@dataclass
class Conversation:
    """One request of a host."""

    tools: list[str]
    """The names of the tools that it offers."""
    said: list[tuple[str, str]]
    """Who said what: `system`, `user`, `model`, `tool`."""
    definitions: list[dict[str, Any]] = field(default_factory=list)
    """The tools as the host sent them."""
    model: str = ""
    script: str = ""
    spoken: int = 0
    last: str = ""
    results: list[str] = field(default_factory=list)
    """What tools have answered so far."""
    tokens: int = 100
    """How long the model says it is."""

    @property
    def text(self) -> str:
        return "\n".join(text for _, text in self.said)

    @property
    def sums_up(self) -> bool:
        """Whether the host wants a summary in place of an answer: it compacts the conversation."""
        asked = [text for who, text in self.said if who == "user"][-1:]
        words = "".join(asked).lower()
        return "summary" in words and any(
            each in words for each in ("conversation", "handoff", "checkpoint", "snapshot")
        )

    def arguments(self, call: Call) -> dict[str, Any]:
        return call.arguments(self) if callable(call.arguments) else call.arguments

    def full_name(self, tool: str) -> str:
        """The host's name of a tool; empty where it offers none of this name."""
        if tool in self.tools:
            return tool
        ours = [each for each in self.tools if "todowright" in each and each.endswith(f"_{tool}")]
        return ours[0] if ours else ""


def texts(content: Any) -> str:
    """All text in a message's content, whichever form it has."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(part for part in (texts(each) for each in content) if part)
    if isinstance(content, dict):
        for key in ("text", "content", "output"):
            if key in content:
                return texts(content[key])
    return ""
