"""The store in Postgres, against a real server: the suite, and what is its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.postgres import Server, running
from todowright import Store, open_store
from todowright.stores.postgres import PostgresStore
from todowright.testing import StoreSuite


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.fixture
def url(server: Server) -> str:
    return server.database()


class TestPostgres(StoreSuite):
    @pytest.fixture
    def store(self, url: str) -> Store:
        return open_store(url)

    @pytest.fixture
    def reopen(self, url: str) -> Callable[[], Store]:
        return lambda: PostgresStore(url)
