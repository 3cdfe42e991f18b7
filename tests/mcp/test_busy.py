"""A call that takes long holds up nobody else: the server answers others meanwhile."""

from __future__ import annotations

import threading
from typing import Any

import anyio
import pytest

from tests.mcp.test_server import ERAS, run, text
from tests.requirements import requirement
from todowright import MemoryStore
from todowright.mcp.server import PlanServer


class Slow(MemoryStore):
    """A store whose first save lasts until it is told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.go_on = threading.Event(), threading.Event()

    def save(self, *given: Any, **more: Any) -> Any:
        if not self.reached.is_set():
            self.reached.set()
            assert self.go_on.wait(60)
        return super().save(*given, **more)


@requirement("A2")
@pytest.mark.parametrize("era", ERAS)
def test_while_one_call_is_under_way_the_server_answers_others(era: str) -> None:
    store = Slow()
    said: list[str] = []

    async def work(client: Any) -> None:
        async def slow() -> None:
            said.append(text(await client.call_tool("plan", {"steps": ["One", "Two"]})))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(slow)
            while not store.reached.is_set():
                await anyio.sleep(0.01)
            assert len((await client.list_tools()).tools) == 5
            await client.list_resources()
            assert said == []
            store.go_on.set()
        assert said == ["OK."]

    run(PlanServer(store, session="s").server, era, work)
