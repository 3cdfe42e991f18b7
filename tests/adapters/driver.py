"""What a driver does: run a script inside a real framework, and tell what the model was sent.

A driver translates and judges nothing. The situations are plain functions in `situations.py`, the same for all:
there is nothing of them that a driver could override.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from todowright import session_name

Call = tuple[str, dict[str, Any]]
Turn = str | Sequence[Call]
"""What the scripted model answers: its words, or calls of tools."""
PAGE: list[Turn] = [
    [("plan", {"steps": ["Read", "Fix"]})],
    [("look", {})],
    [("done", {"finished": ["Read", "Fix"]})],
    "All is done.",
]
"""What the model answers to the code of a page."""


@dataclass
class Script:
    """A task, and what the model answers to each request."""

    turns: Sequence[Turn]
    task: str = "Do the work"
    thread: str = "thread 1/of user"
    child: Sequence[Turn] = ()
    """What the model of a sub-agent answers; the parent starts it with the tool `delegate`."""
    at_request: dict[int, Callable[[], object]] = field(default_factory=dict)
    """What happens elsewhere before a request is answered; the first is 0."""
    compact: bool = False
    """Let the framework make the context smaller, as soon as it can."""
    events: bool = True
    """Whether the program asks for the events of the plan, where it has to."""


@dataclass
class Request:
    """What the model was sent, in the framework's order."""

    texts: list[str]
    """The text of each message behind the system prompt; tool results are such texts, too."""
    tools: list[str]
    system: str = ""
    """The system prompt, wherever the framework has it."""

    @property
    def end(self) -> str:
        """The last text."""
        return self.texts[-1] if self.texts else ""

    @property
    def whole(self) -> str:
        return "\n".join(self.texts)


@dataclass
class Outcome:
    """What came of a run."""

    answer: str = ""
    requests: list[Request] = field(default_factory=list)
    child_requests: list[Request] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    """What the plan calls were answered, in the order in which the model reads it."""
    history: list[str] = field(default_factory=list)
    """The texts that the framework keeps for the next run."""
    events: list[dict[str, Any]] = field(default_factory=list)
    """The plan's events from the framework's own stream, as `plan_event` makes them."""


class Driver(ABC):
    """One framework. Each method is small; `make` and `run` are called from several threads."""

    name: str
    """Of the row in `todowright.adapters.frameworks`."""
    bare = False
    """Whether an agent goes without the tools that a framework itself brings."""

    def session(self, thread: str) -> str:
        """The name that a thread's session has in the store."""
        return session_name(thread)

    @abstractmethod
    def make(self, store: str, **settings: Any) -> Any:
        """The adapter's own object, as a program makes it. Settings: `remind_after`, `ask_again`, `dialect`."""

    @abstractmethod
    def run(self, plan: Any, script: Script) -> Outcome:
        """Run the script to its end, without an event loop of the caller's where the framework can.

        The agent has the plan's tools, a tool `look` that answers "seen", and with `script.child` a tool
        `delegate` that runs a sub-agent, which has a plan too.
        """

    @abstractmethod
    async def arun(self, plan: Any, script: Script) -> Outcome:
        """The same in an event loop."""

    def given_to_pages(self) -> dict[str, Any]:
        """What the code of the framework's page takes as given: a scripted `model` that plans two steps, and `tools`."""
        return {}
