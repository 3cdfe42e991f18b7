"""What the agent's tests share: a strict server for either API, and agents that talk to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.agent.provider import Mind, Provider
from todowright.agent import Agent, Limits, load_model


@dataclass
class Talk:
    """An agent, the server its model stands behind, and what has happened."""

    agent: Agent
    provider: Provider
    waits: list[float]
    is_anthropic: bool

    @property
    def folder(self) -> Path:
        return Path(self.agent.folder.root)

    def run(self, task: str = "Do it") -> list[Any]:
        """The events of a run; in the course of it no request may break the rules."""
        happened = list(self.agent.run(task))
        assert self.provider.refused == []
        return happened


@pytest.fixture(params=["anthropic", "openai"])
def api(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def talk(api: str, tmp_path: Path) -> Iterator[Callable[..., Talk]]:
    """Makes an agent whose model, behind the real client and a strict server, says what it is given."""
    opened: list[Talk] = []

    def make(mind: Mind, *, window: int = 200_000, chunk: int = 7, **options: Any) -> Talk:
        provider = Provider(mind, window=window, chunk=chunk)
        folder = tmp_path / "work"
        folder.mkdir(exist_ok=True)
        waits: list[float] = []
        model = load_model(f"{api}:m", provider.environ(api))
        options.setdefault("limits", Limits(window=window))
        options.setdefault("sleep", waits.append)
        agent = Agent(model, folder=folder, **options)
        made = Talk(agent, provider, waits, api == "anthropic")
        opened.append(made)
        return made

    yield make
    for each in opened:
        each.agent.close()
        each.agent.model._client.close()  # type: ignore[attr-defined]
        each.provider.close()
