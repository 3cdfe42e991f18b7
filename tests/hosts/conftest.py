"""A machine and a model of its own for each test of real hosts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.machine import NODE, Machine
from tests.hosts.model import Model
from tests.hosts.scripts import MORE, TEN, TWO


@pytest.fixture
def model() -> Iterator[Model]:
    with Model({"ten": TEN, "two": TWO, "more": MORE}) as model:
        yield model


@pytest.fixture
def machine(model: Model) -> Iterator[Machine]:
    """Not under /tmp: Codex trusts nothing there; and with a short path, for sockets."""
    assert (NODE / "node_modules").is_dir(), "the hosts are not installed: make hosts"
    folder = NODE / "machines" / Path(str(id(model))).name
    shutil.rmtree(folder, ignore_errors=True)
    machine = Machine(folder, model)
    yield machine
    machine.end()
    shutil.rmtree(folder, ignore_errors=True)
