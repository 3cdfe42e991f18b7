"""A server for the tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.serving import Served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for the tests of a file; each uses sessions of its own."""
    served = Served(tmp_path_factory.mktemp("served"))
    yield served
    assert "Traceback" not in served.stop()
