"""Whatever comes in by a command line or a file: a clear line or two, and nothing else happens."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.bounds import bounded
from tests.damage import HOSTILE, damaged
from todowright import TodoWrite
from todowright.cli import main, parser
from todowright.cli.todowrite import main as todowrite

DANGEROUS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
GO_ON = ("--watch", "--follow")
"""Options of commands that go on until somebody ends them."""
RUN = (
    "show", "history", "timeline", "sessions", "clear", "export", "tasks", "check", "prune",
    "fleet", "dialects", "backup", "restore", "token",
)  # fmt: skip
"""Commands that end by themselves and touch nothing but the store and what is named."""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a plan in it, from which every command is run."""
    for name in ("TODOWRIGHT_STORE", "TODOWRIGHT_SESSION", "TODOWRIGHT_WEBHOOK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    write_plan(folder / ".todowright" / "plans.db")
    return folder


def write_plan(path: Path) -> None:
    todo = TodoWrite("lean", store=f"sqlite:///{path}")
    todo({"steps": ["Read the code", "重构认证模块", "Ship it 🚀"]}, tool="plan")
    todo({"finished": ["Read the code"]}, tool="done")
    todo.store.close()


def revisions_in(path: Path) -> list[object]:
    with closing(sqlite3.connect(path)) as file:
        return file.execute("SELECT number, session, agent, revision FROM revision").fetchall()


def told(run: Callable[[], int]) -> tuple[int, str, str]:
    """What a command said, and its exit code; whatever else it does, or too much of it, fails the test."""
    out, err = io.StringIO(), io.StringIO()
    with bounded(), redirect_stdout(out), redirect_stderr(err):
        try:
            code = run()
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, out.getvalue(), err.getvalue()


def judged(code: int, out: str, err: str) -> None:
    """An exit code that the docs name, harmless words, and no more than a few lines of them where it went wrong."""
    assert code in (0, 1, 2), (code, err)
    assert "Traceback" not in out + err
    assert not DANGEROUS.search(out + err), DANGEROUS.search(out + err)
    if code == 1:
        lines = err.splitlines()
        listed = [
            line for line in lines if line.startswith("- ")
        ]  # as the document wants each fault
        assert len(lines) - len(listed) <= 3, err
        assert len(listed) <= 100, err


def words_for(command: str) -> st.SearchStrategy[list[str]]:
    """Options of a command and hostile words, in any order."""
    known = [
        option
        for action in parser(command)._commands()[command]._actions
        for option in action.option_strings
        if option not in ("-h", "--help", *GO_ON)
    ]
    word = st.sampled_from(HOSTILE) | st.text(max_size=12).filter(lambda text: "/" not in text)
    option = st.sampled_from(known) if known else word
    joined = st.builds(lambda name, value: f"{name}={value}", option, word)
    ends = (option | joined | word).filter(
        lambda text: not any(len(text) > 2 and each.startswith(text) for each in GO_ON)
    )
    return st.lists(ends, max_size=6)


def one_command(data: st.DataObject) -> tuple[str, list[str]]:
    command = data.draw(st.sampled_from(RUN))
    return command, data.draw(words_for(command))


def command_line(data: st.DataObject, shop: Path) -> None:
    command, words = one_command(data)
    file = shop / ".todowright" / "plans.db"
    if not file.exists():  # an example before this one put it away, as it was told
        write_plan(file)
    before = revisions_in(file)
    code, out, err = told(lambda: main([command, *words]))
    judged(code, out, err)
    if code == 2:
        assert revisions_in(file) == before


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_command_line_raises_or_speaks_to_the_terminal(shop: Path, data: st.DataObject) -> None:
    command_line(data, shop)


@pytest.mark.slow
@pytest.mark.soak
@settings(max_examples=600, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_command_line_raises_in_hundreds_of_them(shop: Path, data: st.DataObject) -> None:
    command_line(data, shop)


def todowrite_line(words: list[str], shop: Path) -> None:
    plan = TodoWrite("shell", store=f"sqlite:///{shop}/.todowright/plans.db", environ={}).plan
    code, out, err = told(lambda: todowrite(words))
    judged(code, out, err)
    after = TodoWrite("shell", store=f"sqlite:///{shop}/.todowright/plans.db", environ={}).plan
    assert (after == plan) or (code == 0 and after.revision == plan.revision + 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from(["pending", "in_progress", "completed", *HOSTILE]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["todos", "content", "status", "activeForm", "id"]) | st.text(max_size=5),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        JSON.map(json.dumps) | st.sampled_from(HOSTILE[1:]) | st.text(max_size=9),
        min_size=1,
        max_size=3,
    )
)
def test_no_argument_of_todowrite_raises_and_what_is_refused_changes_nothing(
    shop: Path, words: list[str]
) -> None:
    todowrite_line(words, shop)


READERS = (
    ["show"], ["show", "--format", "json"], ["history"], ["timeline"], ["sessions"], ["export"], ["check"],
    ["fleet", "--all"], ["notify", "--once"], ["prune", "--older-than", "1d"], ["backup", "copy.db"], ["clear"],
)  # fmt: skip


def look_at_damage(shop: Path, seed: int) -> None:
    chance = random.Random(seed)
    folder = shop / ".todowright"
    whole = folder / "plans.db"
    place = shop / f"damaged-{seed}"
    place.mkdir()
    (place / "plans.db").write_bytes(damaged(whole.read_bytes(), chance))
    url = f"sqlite:///{place}/plans.db"
    for command in chance.sample(READERS, 3):
        judged(*told(lambda words=command: main([*words, "--store", url])))  # type: ignore[misc]
    TodoWrite("lean", store=f"sqlite:///{whole}").store.close()
    shutil.rmtree(place)
    (shop / "copy.db").unlink(missing_ok=True)


@pytest.mark.parametrize("seeds", [range(5), pytest.param(range(100, 500), marks=[pytest.mark.slow, pytest.mark.soak])], ids=["few", "many"])  # fmt: skip
def test_a_damaged_store_is_told_in_a_few_lines_by_every_command(shop: Path, seeds: range) -> None:
    for seed in seeds:
        look_at_damage(shop, seed)


COLUMNS = (
    "todos", "summary", "updated_at", "issued", "numbered_from", "log", "made_by", "made_by_name", "dialect",
    "serves", "ended", "verified", "extras", "base", "session", "agent", "revision",
)  # fmt: skip
VALUES: tuple[object, ...] = (
    "[" * 100_000, '[["a","pending","","",{}]]', '[[null,"pending","","",1]]', b"\xff\xfe", "x\x1b[2J", 7, -1, 1e300, 2**62,
    None, "", "[", "{}", "null", "[[1]]", '[["a","x","","",1]]', "9999-99-99T00:00:00+00:00", '{"0": {"a": 1}}',
    '[["a","pending","","t1",1.5]]', '{"9": {"a": "b"}}', '{"todos": [[0, 99]]}', '{"todos": [["a", {}, [], 1, "x"]]}',
)  # fmt: skip
"""What somebody may write into a column of a file that they hand over."""


def look_at_value(shop: Path, column: str, value: object, commands: list[list[str]]) -> None:
    crafted = shop / "crafted.db"
    shutil.copy(shop / ".todowright" / "plans.db", crafted)
    with closing(sqlite3.connect(crafted)) as file:
        try:
            file.execute(f"UPDATE revision SET {column} = ? WHERE revision = 2", (value,))
        except sqlite3.IntegrityError:  # the file itself does not want it
            return
        file.commit()
    for command in commands:
        judged(*told(lambda words=command: main([*words, "--store", f"sqlite:///{crafted}"])))  # type: ignore[misc]
    for path in shop.glob("c*.db*"):
        path.unlink()


def test_a_store_with_anything_in_its_columns_is_told_in_a_few_lines(shop: Path) -> None:
    chance = random.Random(11)
    for column in COLUMNS:
        for value in {*VALUES[:3]} if column in ("todos", "extras") else [chance.choice(VALUES)]:
            look_at_value(shop, column, value, [["show"], ["sessions"]])


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("column", COLUMNS)
def test_a_store_with_anything_in_a_column_is_told_by_every_command(
    shop: Path, column: str
) -> None:
    for value in VALUES:
        look_at_value(shop, column, value, [list(each) for each in READERS])


SMALL_FILES = {
    "notify": (["notify", "--once"], "todowright/notify/*.json"),
    "tokens": (["token", "list"], "todowright/tokens.json"),
}


@pytest.mark.parametrize("name", SMALL_FILES)
def test_a_small_file_of_ours_with_anything_in_it_is_told_or_counts_as_empty(
    shop: Path, tmp_path: Path, name: str
) -> None:
    command, pattern = SMALL_FILES[name]
    if name == "tokens":
        assert told(lambda: main(["token", "new", "one"]))[0] == 0
    assert told(lambda: main(command))[0] == 0
    (file,) = (tmp_path / "data").glob(pattern)
    chance = random.Random(7)
    contents = [
        b"", b"{", b"[]", b"null", b'{"a": "b"}', b'{"a": NaN}', b"[" * 100_000, b"\xff\xfe\x00", b"9" * 5_000,
        *(damaged(file.read_bytes() * 40, chance) for _ in range(20)),
    ]  # fmt: skip
    for content in contents:
        file.write_bytes(content)
        judged(*told(lambda: main(command)))
