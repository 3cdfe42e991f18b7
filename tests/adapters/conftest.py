"""The frameworks that are installed here: `make adapters` runs the situations in an environment for each."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

import pytest

from tests.adapters.driver import Driver


def pytest_configure(config: pytest.Config) -> None:
    """How the frameworks load each other, and what is deprecated of it, is their affair."""
    for kind in ("DeprecationWarning", "ImportWarning"):
        config.addinivalue_line("filterwarnings", f"ignore::{kind}")


@pytest.fixture(scope="session")
def driver() -> Driver:
    """The driver of the framework that this run is for."""
    name = os.environ.get("FRAMEWORK")
    assert name, "say which: FRAMEWORK=langchain"
    return import_module(f"tests.adapters.drivers.{name}").DRIVER  # type: ignore[no-any-return]


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/plans.db"
