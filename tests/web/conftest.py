from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.serving import Served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for the tests of a file; each uses sessions of its own."""
    served = Served(tmp_path_factory.mktemp("served"))
    yield served
    assert "Traceback" not in served.stop()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path
