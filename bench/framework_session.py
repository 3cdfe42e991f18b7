"""One session through a framework: nine plan calls by a scripted model, what they cost, and who plays it."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from bench.tokens import STEPS, compact, states, tokens

MEMORY, SQLITE = "memory", "SQLite"
STEADY = (1, 9)
"""A request's cost is taken between these two requests: what begins and ends a run is not in it."""
Offered = tuple[str, str, Any]
"""A tool's name, description and schema."""


@dataclass
class Session:
    """One session: what the model was offered, what it wrote, and the texts of each request."""

    definitions: str
    prompt: str
    written: list[str]
    requests: list[list[str]]
    request_us: float = 0.0
    """CPU of a request with its calls."""
    session_us: float = 0.0
    """CPU of all: to make the agent, to begin, to end."""

    @property
    def fresh(self) -> int:
        """What no prompt cache can have, each text once."""
        before: list[str] = []
        total = tokens(self.definitions) + tokens(self.prompt) + sum(map(tokens, self.written))
        for texts in self.requests:
            same = 0
            while same < min(len(before), len(texts)) and before[same] == texts[same]:
                same += 1
            total += sum(map(tokens, texts[same:]))
            before = texts
        return total

    @property
    def sent(self) -> int:
        """All that all requests hold."""
        fixed = tokens(self.definitions) + tokens(self.prompt)
        return sum(
            fixed + sum(map(tokens, texts)) + sum(map(tokens, self.written[:number]))
            for number, texts in enumerate(self.requests)
        )


def clock() -> float:
    """CPU seconds of this process and of those it has started: a framework may be a program of its own."""
    spent = time.process_time() + sum(
        os.times()[2:4]
    )  # of those that have ended, and of those that run
    with suppress(OSError):
        for children in Path("/proc/self/task").glob("*/children"):
            for child in children.read_text().split():
                spent += _of(int(child))
    return spent


def _of(process: int) -> float:
    """CPU seconds of a process that runs: its own clock, as Linux has it, which counts threads that have ended, too."""
    return time.clock_gettime(~process << 3 | 2)


@dataclass
class Hooks:
    """What a scripted model does at the first and at the last request that is measured."""

    at: dict[int, float] = field(default_factory=dict)

    def as_dict(self) -> dict[int, Callable[[], object]]:
        return {number: partial(self._note, number) for number in STEADY}

    def _note(self, number: int) -> None:
        self.at.setdefault(number, clock())


Run = Callable[[str, list[Any], dict[int, Callable[[], object]]], list[list[str]]]
"""Runs an agent on a thread, with these turns of its model and these hooks; gives the texts of each request."""


@dataclass
class Player:
    """One tool in a framework."""

    title: str
    kept: str
    """Where its list is when the model is answered."""
    turns: list[Any]
    run: Run
    offered: Callable[[], Sequence[Offered]]
    prompt: Callable[[], str] = lambda: ""

    def play(self, thread: str) -> Session:
        """Play the session once."""
        hooks = Hooks()
        gc.collect()
        begun = clock()
        requests = self.run(thread, self.turns, hooks.as_dict())
        whole = clock() - begun
        first, last = (hooks.at[number] for number in STEADY)
        return Session(
            compact(
                [
                    {"name": name, "description": told, "input_schema": schema}
                    for name, told, schema in self.offered()
                ]
            ),
            self.prompt(),
            [compact(args) for turn in self.turns if not isinstance(turn, str) for _, args in turn],
            requests,
            (last - first) / (STEADY[1] - STEADY[0]) * 1e6,
            whole * 1e6,
        )


def lean_turns() -> list[Any]:
    turns: list[Any] = [[("plan", {"steps": [text for text, _ in STEPS]})]]
    turns += [[("done", {"finished": [text]})] for text, _ in STEPS]
    return [*turns, "Done."]


def list_turns(name: str = "write_todos", key: str = "todos") -> list[Any]:
    """The whole list in each call."""
    turns: list[Any] = [
        [(name, {key: [{"content": text, "status": status} for text, status, _ in state]})]
        for state in states(9)
    ]
    return [*turns, "Done."]
