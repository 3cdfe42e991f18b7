"""The store in Postgres, against a real server: the suite, and what is its own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.postgres import Server, running
from todowright import (
    Conflict,
    Plan,
    Receipt,
    Store,
    StoreError,
    Todo,
    TodoWrite,
    UnknownName,
    follow,
    open_store,
)
from todowright.cli import main
from todowright.stores import postgres_feed
from todowright.stores.postgres import PostgresStore
from todowright.stores.postgres_link import Address
from todowright.stores.postgres_prune import old_revisions, prune
from todowright.stores.postgres_sql import SAVE
from todowright.stores.room import Room
from todowright.testing import StoreSuite
from todowright.testing import request as requested


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


def plan(revision: int, *texts: str, agent: str = "main") -> Plan:
    todos = tuple(Todo(text, "pending", number=n) for n, text in enumerate(texts, 1))
    return Plan("s", agent, revision, todos, dialect="lean", updated_at=datetime.now(UTC))


def texts(entries: Sequence[tuple[int, Plan]]) -> list[str]:
    return [kept.todos[0].content for _, kept in entries]


class Slow:
    """A writer that has written its row and takes its time to commit."""

    def __init__(self, url: str, text: str, agent: str) -> None:
        store = PostgresStore(url)
        self._connection = store._mine.link.connected()
        self._connection.autocommit = False
        self._connection.execute(SAVE, store._row(plan(1, text, agent=agent)))

    def commit(self) -> None:
        self._connection.commit()
        self._connection.close()


def test_a_row_that_commits_late_is_not_missed(url: str) -> None:
    store = PostgresStore(url)
    slow = Slow(url, "late", "slow")
    store.save(plan(1, "early"))
    assert store.load("s", "main").revision == 1  # who asks for the plan has it at once
    assert texts(store.since(0)) == []
    assert not store.wait(0, 0.05)
    threading.Timer(0.2, slow.commit).start()
    assert store.wait(0, 30)
    got = texts(store.since(0))
    assert got == ["late", "early"]
    store.close()


def test_somebody_elses_long_transaction_holds_nothing_back(server: Server, url: str) -> None:
    server.execute("CREATE TABLE theirs (n integer)", url)
    store = PostgresStore(url)
    with psycopg.connect(url) as other:
        other.execute("INSERT INTO theirs VALUES (1)")  # it has a number now, and keeps it
        store.save(plan(1, "a"))
        assert store.wait(0, 0)
        assert texts(store.since(0)) == ["a"]
        slow = Slow(url, "late", "slow")
        store.save(plan(2, "b"))
        assert texts(store.since(0)) == ["a"]
        slow.commit()
        assert texts(store.since(0)) == ["a", "late", "b"]
    store.close()


DELAY = """
    CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(random() * 0.02); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER late AFTER INSERT ON todowright.revision
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION dawdle()"""


def test_a_follower_misses_none_where_each_commit_comes_late(server: Server, url: str) -> None:
    server.execute(DELAY, url)
    store = PostgresStore(url)
    StoreSuite().test_a_follower_gets_every_revision_of_many_writers_in_order(store)
    store.close()


def test_a_server_that_restarts_is_waited_for_and_nothing_is_lost() -> None:
    with running() as own:
        url = own.database()
        store = PostgresStore(url)
        done, got, failed = threading.Event(), list[int](), list[Exception]()

        def write(number: int) -> None:
            try:
                for revision in range(1, 61):
                    store.save(plan(revision, f"{number}", agent=f"w{number}"))
                    time.sleep(0.02)
            except Exception as failure:
                failed.append(failure)

        def read() -> None:
            for number, _ in follow(store, after=0, pause=0.2, until=done.is_set):
                got.append(number)

        reader = threading.Thread(target=read)
        writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in (reader, *writers):
            thread.start()
        time.sleep(0.5)
        own.stop("fast")
        own.start()
        time.sleep(0.3)
        own.kill()
        own.start()
        for thread in writers:
            thread.join(120)
        deadline = time.monotonic() + 30
        while len(got) < 240 and time.monotonic() < deadline:
            time.sleep(0.05)  # who is told to end does not look again
        done.set()
        reader.join(60)
        assert failed == []
        for number in range(4):
            kept = store.history("s", f"w{number}")
            assert [each.revision for each in kept] == list(range(1, 61))
        assert got == sorted(set(got))
        assert len(got) == 240
        store.close()


def test_a_disk_that_is_full_is_told_and_nothing_is_lost() -> None:
    with running() as own:
        store = PostgresStore(own.database())
        store.save(plan(1, "before"))
        own.stop()
        own.start(largest_file=20_000_000)
        told, revision = "", 1
        while not told:
            assert revision < 100
            try:
                store.save(plan(revision + 1, os.urandom(1_500_000).hex()))
                revision += 1
            except StoreError as error:
                told = str(error)
        assert "no room left on its disk: free some space and try again" in told
        assert store.load("s", "main").revision == revision
        own.stop()
        own.start()
        store.save(plan(revision + 1, "after"))
        assert [each.revision for each in store.history("s", "main")] == [*range(1, revision + 2)]
        store.close()


def test_connections_that_are_cut_are_made_anew(server: Server, url: str) -> None:
    store = PostgresStore(url)
    store.save(plan(1, "a"))
    waiter = ThreadPoolExecutor(1)
    heard = waiter.submit(store.wait, store.newest(), 30)
    time.sleep(0.2)
    for _ in range(3):
        server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'todowright' "
            "AND datname = current_database()",
            url,
        )
        revision = store.load("s", "main").revision
        store.save(plan(revision + 1, "b"))
    assert heard.result(60)
    assert store.load("s", "main").revision == 4
    waiter.shutdown()
    store.close()


class Swallower(threading.Thread):
    """Stands between client and server, and cuts the line when the answer to a commit comes back."""

    def __init__(self, server: Server, folder: Path) -> None:
        super().__init__(daemon=True)
        self._target = str(server.data / ".s.PGSQL.5432")
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(folder / ".s.PGSQL.5432"))
        self._socket.listen()
        self._lines: list[socket.socket] = []
        self.is_hungry = False
        self.swallowed = 0

    def run(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._target)
            self._lines += [client, server]
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                if self.is_hungry and b"INSERT 0 1" in data:
                    self.is_hungry = False
                    self.swallowed += 1
                    break
                other.sendall(data)
        for line in (one, other):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self.join(10)
        for line in (self._socket, *self._lines):
            line.close()


def test_a_save_whose_answer_is_lost_is_kept_once_and_acknowledged(
    server: Server, url: str, short_folder: Path
) -> None:
    between = Swallower(server, short_folder)
    between.start()
    store = PostgresStore(url.replace(str(server.data), str(short_folder)))
    store.save(plan(1, "a"))
    between.is_hungry = True
    mine = plan(2, "b")
    store.save(mine)
    assert between.swallowed == 1
    assert [kept.revision for kept in store.history("s", "main")] == [1, 2]
    assert store.load("s", "main") == mine
    between.is_hungry = True
    todo = TodoWrite("twostate", store=store, session="other")
    assert not todo({"todos": [{"content": "once"}]}, call_id="c1").is_error
    assert between.swallowed == 2
    assert todo.plan.revision == 1
    with pytest.raises(Conflict):
        store.save(plan(2, "c"))
    store.close()
    between.close()


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder for a socket, whose path must be short."""
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        yield Path(folder)


def problem(url: str) -> str:
    """What is said of a URL that cannot be used."""
    with pytest.raises((StoreError, UnknownName)) as caught:
        open_store(url).save(plan(1, "a"))
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 250
    assert "hunter2" not in text
    return text


def test_what_is_wrong_with_a_server_is_told_in_one_line_without_the_password(
    server: Server, url: str
) -> None:
    server.execute("CREATE ROLE guest LOGIN PASSWORD 'other'")
    rules = (server.data / "pg_hba.conf").read_text()
    (server.data / "pg_hba.conf").write_text(f"local all guest scram-sha-256\n{rules}")
    server.execute("SELECT pg_reload_conf()")
    time.sleep(0.5)
    guest = url.replace("postgres@", "guest:hunter2@")
    assert "check the user and the password (PGPASSWORD or ~/.pgpass)" in problem(guest)
    (server.data / "pg_hba.conf").write_text(rules)
    server.execute("SELECT pg_reload_conf()")
    time.sleep(0.5)
    name = url.partition("/plans")[2].partition("?")[0]
    assert "has no such database: create it first" in problem(url.replace(f"plans{name}", "nope"))
    assert "cannot be reached" in problem("postgresql://ada:hunter2@127.0.0.1:1/plans")
    assert "use postgresql://user@host" in problem("postgresql://ada:hunter2@[::1/plans?x=1")
    assert "tenant may have letters" in problem(f"{url}&tenant=a%20b")
    assert "did you mean" not in problem("postgresq://ada:hunter2@host/plans")
    server.execute("CREATE DATABASE empty")
    assert "have its owner run CREATE SCHEMA" in problem(server.url("empty", user="guest"))
    assert "hunter2" not in repr(PostgresStore(guest))


def test_tenants_see_nothing_of_each_other(server: Server, url: str) -> None:
    server.execute("CREATE ROLE clerk LOGIN")
    server.execute(
        "GRANT USAGE ON SCHEMA todowright TO clerk;"
        "GRANT ALL ON ALL TABLES IN SCHEMA todowright TO clerk",
        url,
    )
    own = url.replace("postgres@", "clerk@")
    one, two = (PostgresStore(f"{own}&tenant={name}") for name in ("one", "two"))
    for number, store in enumerate((one, two), 1):
        for revision in range(1, number + 1):
            store.save(
                plan(revision, f"of {number}"), Receipt("s", "main", f"c{revision}", "d", "r")
            )
        store.mark_seen("s", "main", number)
    assert one.load("s", "main").revision == 1
    assert two.load("s", "main").revision == 2
    assert (one.seen("s", "main"), two.seen("s", "main")) == (1, 2)
    assert one.receipt("s", "main", "c2") is None
    assert set(texts(one.since(0))) == {"of 1"}
    assert not one.wait(one.newest(), 0)
    # A query that forgets to name the tenant sees its own rows only, and can write no others.
    for table, most in (("revision", 1), ("receipt", 1), ("seen", 1), ("tenant", 1)):
        rows = one._all(f"SELECT * FROM todowright.{table}", {}, lambda row: row)
        assert len(rows) == most
        assert (
            one._all(f"DELETE FROM todowright.{table} WHERE tenant = 'two' RETURNING 1", {}, len)
            == []
        )
    with pytest.raises(StoreError, match="row-level security"):
        one._all("UPDATE todowright.seen SET tenant = 'two' RETURNING 1", {}, len)
    one.forget("s", "main")
    assert two.load("s", "main").revision == 2
    one.close()
    two.close()


def test_each_tenant_has_a_store_of_its_own_and_the_same_one_again(url: str) -> None:
    one, again, two = (open_store(f"{url}&tenant={name}") for name in ("one", "one", "two"))
    assert one is again
    assert one is not two
    one.save(plan(1, "a"))
    assert two.load("s", "main").revision == 0
    for store in (one, two):
        store.close()


def test_many_who_open_a_new_database_at_once_all_find_it_ready(server: Server) -> None:
    server.execute("CREATE DATABASE fresh")
    stores = [PostgresStore(server.url("fresh")) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(
            pool.map(
                lambda pair: pair[1].save(plan(1, "a", agent=f"a{pair[0]}")), enumerate(stores)
            )
        )
    assert len(stores[0].plans("s")) == 8
    for store in stores:
        store.close()


def test_a_migration_that_breaks_half_way_leaves_nothing_behind(server: Server) -> None:
    server.execute("CREATE DATABASE half")
    url = server.url("half")
    server.execute("CREATE SCHEMA todowright; CREATE TABLE todowright.seen (n integer)", url)
    store = PostgresStore(url)
    with pytest.raises(StoreError, match="already exists"):
        store.newest()
    made = server.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'todowright'", url)
    assert made == [("seen",)]
    server.execute("DROP TABLE todowright.seen", url)
    store.save(plan(1, "a"))
    assert store.load("s", "main").revision == 1
    store.close()


def test_tables_of_a_newer_release_are_used_if_it_allows_that(server: Server, url: str) -> None:
    server.execute(
        "ALTER TABLE todowright.revision ADD COLUMN colour text NOT NULL DEFAULT '';"
        "UPDATE todowright.about SET version = 7, oldest = 1",
        url,
    )
    store = PostgresStore(url)
    store.save(plan(1, "a"))
    assert store.load("s", "main").revision == 1
    store.close()
    server.execute("UPDATE todowright.about SET oldest = 7", url)
    with pytest.raises(
        StoreError, match=r"made by a newer todowright \(schema 7, .*: upgrade todowright"
    ):
        PostgresStore(url).newest()


def test_a_postgres_database_of_the_first_schema_gets_its_tables(server: Server, url: str) -> None:
    server.execute(
        "DROP TABLE todowright.usage, todowright.usage_request;"
        "UPDATE todowright.about SET version = 1",
        url,
    )
    store = open_store(url)
    store.save(plan(1, "x", agent="a"))
    store.count_requests([requested("one")])
    assert server.execute("SELECT version, oldest FROM todowright.about", url) == [(2, 1)]
    assert [each.requests for each in store.usage("s")] == [1]
    store.close()


def test_tenants_of_a_database_count_apart(url: str) -> None:
    mine, theirs = open_store(url), open_store(f"{url}{'&' if '?' in url else '?'}tenant=theirs")
    for store in (mine, theirs):
        store.save(plan(1, "x", agent="a"))
        store.count_requests([requested("one")])
        assert [each.requests for each in store.usage("s")] == [1]
    mine.forget("s", "a")
    assert (list(mine.usage("s")), len(theirs.usage("s"))) == ([], 1)
    for store in (mine, theirs):
        store.close()


def test_numbers_go_on_behind_a_dump_that_is_restored_elsewhere(url: str, server: Server) -> None:
    store = PostgresStore(url)
    for revision in range(1, 200):
        store.save(plan(revision, f"x{revision}"))
    newest = store.newest()
    dumps = {"restored": server.programs("pg_dump", url)}
    store.forget("s", "main")
    dumps["emptied"] = server.programs("pg_dump", url)
    store.close()
    with running() as other:
        for name, dump in dumps.items():
            other.execute(f"CREATE DATABASE {name}")
            other.programs("psql", "-q", "-v", "ON_ERROR_STOP=1", other.url(name), stdin=dump)
            moved = PostgresStore(other.url(name))
            assert moved.newest() == newest
            moved.save(replace(plan(1, "after"), revision=moved.load("s", "main").revision + 1))
            assert texts(moved.since(newest)) == ["after"]
            assert moved.newest() > newest
            moved.close()


def test_the_newest_number_does_not_fall_when_something_is_forgotten(url: str) -> None:
    store = PostgresStore(url)
    store.save(plan(1, "a"))
    newest = store.newest()
    store.forget("s", "main")
    assert store.newest() == newest
    assert list(store.since(0)) == []
    store.close()


def test_the_clock_is_the_servers(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = PostgresStore(url)
    here = time.time()
    monkeypatch.setattr(time, "time", lambda: here - 3600)
    assert abs(store.now() - here) < 60
    store.close()


def test_connections_go_to_those_who_wait_in_the_order_they_came() -> None:
    room, came = Room(1), list[int]()
    assert room.enter(0)
    assert not room.enter(0.01)
    threads = []
    for number in range(8):

        def work(number: int = number) -> None:
            assert room.enter(30)
            came.append(number)
            room.leave()

        threads.append(threading.Thread(target=work))
        threads[-1].start()
        while len(room._waiting) <= number:
            time.sleep(0.001)
    room.leave()
    for thread in threads:
        thread.join()
    assert came == list(range(8))
    assert room.enter(0)


def test_a_forked_child_uses_connections_of_its_own(url: str) -> None:
    store = PostgresStore(url)
    store.save(plan(1, "a"))
    child = os.fork()
    if not child:
        code = 1
        with suppress(BaseException):
            store.save(plan(2, "b"))
            code = 0
        os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    store.save(plan(3, "c"))
    assert [kept.revision for kept in store.history("s", "main")] == [1, 2, 3]
    store.close()


def test_a_listener_that_stops_listening_is_cut_off_and_comes_back(
    server: Server, url: str
) -> None:
    """The server would have to keep every notice for it."""
    store = PostgresStore(url)
    assert not store.wait(0, 0.05)
    idle = "SELECT setting FROM pg_settings WHERE name = 'idle_session_timeout'"
    listener = store._mine.bell._connection
    assert listener is not None
    assert listener.execute(idle).fetchall() == [("60000",)]
    listener.execute("SET idle_session_timeout = '100ms'")
    time.sleep(0.5)
    threading.Timer(0.2, store.save, [plan(1, "a")]).start()
    assert store.wait(0, 30)
    store.close()


def test_a_store_that_needs_its_extra_says_so() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from todowright import open_store\n"
        "try: open_store('postgresql://x/y')\n"
        "except Exception as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "a store on Postgres needs psycopg: pip install 'todowright[postgres]'\n"
    assert done.stderr == ""


def test_what_is_forgotten_beside_a_late_commit_hides_nothing_from_a_follower(url: str) -> None:
    store = PostgresStore(url)
    store.save(plan(1, "first"))
    slow = Slow(url, "late", "slow")
    store.save(plan(1, "gone", agent="short"))
    store.forget("s", "short")
    newest = store.newest()
    assert not store.wait(newest, 0.05)
    slow.commit()
    assert store.wait(newest, 30)
    assert texts(store.since(newest)) == ["late"]
    store.close()


def test_an_end_beside_a_late_commit_tells_a_follower_nothing_twice(url: str) -> None:
    store = PostgresStore(url)
    store.save(plan(1, "first"))
    store.save(plan(1, "short", agent="short"))
    newest = store.newest()
    slow = Slow(url, "late", "slow")
    store.end(replace(plan(2, agent="short"), ended="finished"))
    assert store.newest() == newest
    slow.commit()
    assert [kept.agent for _, kept in store.since(newest)] == ["slow", "short"]
    store.close()


def test_a_save_is_acknowledged_though_nobody_can_be_told(server: Server, url: str) -> None:
    server.execute("REVOKE EXECUTE ON FUNCTION pg_notify FROM PUBLIC; CREATE ROLE quiet LOGIN", url)
    server.execute(
        "GRANT USAGE ON SCHEMA todowright TO quiet;"
        "GRANT ALL ON ALL TABLES IN SCHEMA todowright TO quiet",
        url,
    )
    store = PostgresStore(url.replace("postgres@", "quiet@"))
    store.save(plan(1, "a"))
    assert store.wait(0, 30)
    assert store.load("s", "main").revision == 1
    store.close()


def test_one_notice_for_many_savers_comes_behind_the_last_of_them(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_feed, "LOOK", 60.0)  # only a notice ends a wait
    store, listener = PostgresStore(url), PostgresStore(url)
    store.save(Plan("s", "main", 1))
    newest = listener.newest()
    with ThreadPoolExecutor(8) as pool:
        heard = pool.submit(listener.wait, newest, 20)
        time.sleep(0.5)  # it has looked, and waits for a notice
        with store._mine.bell._ringing:  # as while another saver's notice is on its way
            savers = [pool.submit(store.save, Plan("s", f"a{n}", 1)) for n in range(6)]
            wait(savers, timeout=20, return_when=FIRST_COMPLETED)
            done, waiting = wait(savers, timeout=0.5)
            assert (len(done), len(waiting)) == (5, 1)
            assert not heard.done()
        assert heard.result()
        assert [each.result() for each in savers] == [None] * 6
        assert len(listener.since(newest)) == 6
    store.close()
    listener.close()


def test_tables_that_somebody_dropped_are_made_anew(server: Server, url: str) -> None:
    store = PostgresStore(url)
    store.save(plan(1, "a"))
    server.execute("DROP SCHEMA todowright CASCADE", url)
    assert store.load("s", "main").revision == 0
    store.save(plan(1, "b"))
    assert store.load("s", "main").revision == 1
    store.close()


@pytest.mark.parametrize(
    ("given", "settings"),
    [
        ("postgresql:///plans", {"dbname": "plans"}),
        ("postgresql://?service=x", {"service": "x"}),
        ("postgresql:///plans?tenant=a&host=/tmp/x+y", {"dbname": "plans", "host": "/tmp/x+y"}),
        ("postgresql://u:p%40q@a:1,b:2/plans", {"password": "p@q", "host": "a,b", "port": "1,2"}),
    ],
)
def test_an_address_is_what_libpq_takes_it_for(given: str, settings: dict[str, str]) -> None:
    address = Address(given)
    assert settings.items() <= address.settings.items()
    assert "p@q" not in str(address)


def test_a_password_that_is_not_written_as_a_url_has_it_is_refused_and_not_repeated() -> None:
    for url in ("postgresql://u:SEC/RET@127.0.0.1/db", "postgresql://u:p@SECRET:x@h/db"):
        with pytest.raises(UnknownName, match="as %2F and %40") as caught:
            Address(url)
        assert "SEC" not in str(caught.value)


@pytest.mark.parametrize("command", ["fleet", "show", "tasks"])
def test_no_command_prints_the_password_of_its_store(
    command: str, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = url.replace("postgres@", "postgres:SECRET@")
    main([command, "--store", given])
    told = "".join(capsys.readouterr())
    assert "SECRET" not in told


def test_the_plans_of_a_session_are_read_at_one_moment(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, asked = PostgresStore(url), list[object]()
    for agent in ("main", "main/b", "main/a"):
        store.save(plan(1, "first", agent=agent))
        store.save(plan(2, "second", agent=agent))
    execute = psycopg.Connection.execute

    def counted(self: Any, query: Any, *given: Any, **options: Any) -> Any:
        asked.append(query)
        return execute(self, query, *given, **options)

    monkeypatch.setattr(psycopg.Connection, "execute", counted)
    found = store.plans("s")
    assert [(each.agent, each.revision) for each in found] == [
        ("main", 2), ("main/b", 2), ("main/a", 2)
    ]  # fmt: skip
    assert len(asked) == 1
    store.close()


def aged(store: Store, count: int, agent: str) -> list[Plan]:
    """So many revisions, one a day; the last one of now."""
    now = datetime.now(UTC)
    plans = [
        replace(plan(n, f"{agent} {n}", agent=agent), updated_at=now - timedelta(days=count - n))
        for n in range(1, count + 1)
    ]
    for each in plans:
        store.save(each)
    return plans


def test_old_revisions_are_pruned_and_nothing_of_others_is(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, other = PostgresStore(url), PostgresStore(f"{url}&tenant=other")
    plans, few, theirs = aged(store, 9, "a\\b"), aged(store, 2, "few"), aged(other, 9, "a\\b")
    newest, archive = store.newest(), tmp_path / "old.json"
    options = ["prune", "--store", url, "--older-than", "5d", "--keep-last", "3"]
    assert main([*options, "--dry-run"]) == 0
    assert "4 revisions of 1 plan would go." in capsys.readouterr().out
    assert list(store.history("s", "a\\b")) == plans
    assert main([*options, "--archive", str(archive)]) == 0
    assert "Deleted 4 revisions of 1 plan" in capsys.readouterr().out
    assert [each["revision"] for each in json.loads(archive.read_text())] == [1, 2, 3, 4]
    assert list(store.history("s", "a\\b")) == plans[4:]
    assert list(store.history("s", "few")) == few
    assert main(["prune", "--store", url, "--keep-last", "1"]) == 0
    assert [kept for _, kept in store.since(0)] == [plans[-1], few[-1]]
    assert store.newest() == newest
    store.save(plan(10, "on top", agent="a\\b"))
    assert list(other.history("s", "a\\b")) == theirs
    store.close()
    other.close()


def test_a_plan_that_was_begun_anew_since_the_look_is_not_pruned_away(url: str) -> None:
    store = PostgresStore(url)
    aged(store, 20, "a")
    old = old_revisions(store, older_than=None, keep_last=1)
    store.forget("s", "a")
    anew = aged(store, 5, "a")
    prune(store, old)
    assert list(store.history("s", "a")) == anew[4:]
    store.close()
