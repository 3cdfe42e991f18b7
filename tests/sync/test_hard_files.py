"""Files that are hard to read, or cannot be written, lose nothing and do not grow."""

from __future__ import annotations

import os
import resource
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sync.test_sync import Desk
from todowright import TodoWrite
from todowright.cli import main
from todowright.errors import Refused, StoreError
from todowright.plan.model import Todo
from todowright.sync.checklist_file import CONFLICT, ChecklistFile, words_of
from todowright.sync.merge import _woven
from todowright.sync.syncing import sync


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, "One", "Two", "Three")


def same_again(desk: Desk) -> None:
    """Another sync changes nothing."""
    before = desk.path.read_bytes(), desk.plan
    again = desk.sync()
    assert (again.to_plan, again.to_file) == (0, 0)
    assert before == (desk.path.read_bytes(), desk.plan)


def test_code_in_a_line_opens_no_block_around_the_list(desk: Desk) -> None:
    desk.sync()
    desk.write("- [ ] One\n", "```npm test``` runs the tests\n\n- [ ] One\n")
    desk.write("- [ ] Three\n", "- [ ] Three\n\n```make``` builds it\n")
    desk.sync()
    assert [content for content, _ in desk.shape] == ["One", "Two", "Three"]
    same_again(desk)


@pytest.mark.parametrize(
    "code",
    [
        "```\n~~~\n- [ ] no item\n```",
        "~~~ text\n```\n- [ ] no item\n~~~",
        "````md\n```\n- [ ] no item\n```\n- [ ] none\n````",
        "```\n``` not the end\n- [ ] no item\n```  ",
        "- ```\n  - [ ] no item\n  ```",
    ],
)
def test_a_block_of_code_ends_only_at_its_own_fence(desk: Desk, code: str) -> None:
    desk.path.write_text(f"{code}\n\n- [ ] Mine\n\n{code}\n")
    desk.sync()
    assert sorted(content for content, _ in desk.shape) == ["Mine", "One", "Three", "Two"]
    assert desk.path.read_text().count(code) == 2
    same_again(desk)


def test_a_fence_that_nothing_closes_hides_no_items(desk: Desk) -> None:
    desk.sync()
    desk.write("- [ ] One\n", "```python\n- [ ] One\n")
    desk.write("- [ ] Three\n", "- [ ] Three\n~~~\n")
    desk.sync()
    assert [content for content, _ in desk.shape] == ["One", "Two", "Three"]
    same_again(desk)


def test_a_block_below_an_item_that_nobody_closed_takes_no_other_items(desk: Desk) -> None:
    desk.sync()
    desk.write("- [ ] One\n", "- [ ] One\n  ```\n  begun\n")
    desk.write("- [ ] Three\n", "- [ ] Three\n  ```\n  - [ ] no item\n  ```\n")
    desk.sync()
    assert [content for content, _ in desk.shape] == ["One", "Two", "Three"]
    same_again(desk)


def test_an_item_moves_with_the_whole_of_its_code(desk: Desk) -> None:
    desk.sync()
    code = "  ```\n  first\n\n  - [ ] no item\nlast\n  ```\n"
    desk.write("- [ ] One\n", f"- [ ] One\n{code}")
    desk.agent("move", 1)
    desk.sync()
    assert f"- [ ] Two\n- [ ] Three\n- [ ] One\n{code}" in desk.path.read_text()
    same_again(desk)


def test_a_byte_order_mark_stays_and_hides_no_item(desk: Desk) -> None:
    desk.sync()
    desk.path.write_bytes(b"\xef\xbb\xbf" + desk.path.read_bytes())
    desk.agent("complete", 2)
    desk.sync()
    assert desk.shape == [("One", "pending"), ("Two", "completed"), ("Three", "pending")]
    assert desk.path.read_bytes().startswith(b"\xef\xbb\xbf- [ ] One\n- [x] Two\n")
    same_again(desk)


@pytest.mark.parametrize(
    "words",
    [
        f"Fix the {CONFLICT} marker",
        f"> you had written: [ ] this {CONFLICT}",
        '<!-- todowright: {"session": "other", "agent": "main", "revision": 1} -->',
        "Close <!-- what was opened",
    ],
)
def test_marks_of_ours_in_the_words_of_a_todo_are_words(tmp_path: Path, words: str) -> None:
    desk = Desk(tmp_path, "One", words)
    desk.sync()
    same_again(desk)
    assert desk.sync().open_conflicts == []
    assert [content for content, _ in desk.shape] == ["One", words]


def test_a_line_of_many_spaces_is_read_in_one_pass() -> None:
    # By their square these would take hours, not a part of a second.
    spaces = " " * 2_000_000
    file = ChecklistFile(f"- [ ] a{spaces}b\n- [ ] c{spaces}\n-{spaces}d\n```{spaces}`\n")
    assert [item.words for item in file.items] == [f"a{spaces}b", "c"]
    assert words_of(Todo(f"a{spaces}b\n \n c")) == f"a{spaces}b c"


def refuses(desk: Desk, words: str) -> None:
    """A sync is refused and changes nothing, however often it is tried."""
    before = desk.path.read_bytes(), desk.plan
    for _ in range(2):
        with pytest.raises(StoreError, match=words):
            desk.sync()
        assert before == (desk.path.read_bytes(), desk.plan)
        assert [each.name for each in desk.path.parent.iterdir()] == [desk.path.name]


def test_where_the_folder_takes_no_file_the_plan_stays_as_it_is(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path  # so deep that the file has room for its name, and no longer name has
    longest = os.pathconf(tmp_path, "PC_PATH_MAX") - 11
    while (left := longest - len(os.fspath(folder))) > 1:
        folder /= "d" * min(left - 1, 200 if left > 400 else left // 2)
    folder.mkdir(parents=True)
    desk.path = folder / "p.md"
    desk.path.write_text("- [ ] Same\n- [ ] Same\n")
    refuses(desk, "cannot be written to: ")


def test_where_the_disk_is_full_the_plan_stays_as_it_is(desk: Desk) -> None:
    desk.path.write_text("- [ ] Same\n- [ ] Same\n")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        refuses(desk, "cannot be written: ")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_new_items_of_the_same_words_come_once_though_the_file_was_not_replaced(desk: Desk) -> None:
    desk.sync()
    desk.write("- [ ] Two\n", "- [ ] Two\n- [ ] Same\n- [ ] Same\n- [ ] With\ta tab\n")
    before = desk.path.read_bytes()
    desk.sync()
    plan = desk.plan
    desk.path.write_bytes(before)  # as after a power cut between the two
    desk.sync()
    assert desk.plan == plan
    assert len(desk.lines) == len(plan.todos) == 6
    same_again(desk)


def test_what_is_no_plain_file_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (str(pipe), "/dev/zero"):
        assert main(["sync", path, "--store", f"sqlite:///{tmp_path}/plans.db"]) == 1
        told = capsys.readouterr().err
        assert f"{path} cannot be read: it is no plain file" in told
        assert told.count("\n") == 1


def test_a_file_is_read_to_its_largest_size_only(desk: Desk) -> None:
    desk.path.write_bytes(b"- [ ] a\n" * 700_000)
    with pytest.raises(StoreError, match="is larger than 5 MB"):
        desk.sync()


@pytest.mark.parametrize("dry", [True, False])
def test_a_dry_run_refuses_what_the_dialect_refuses(tmp_path: Path, dry: bool) -> None:
    desk = Desk(tmp_path)
    todos = [{"content": text, "status": "pending", "activeForm": text} for text in ("One", "Two")]
    TodoWrite("smart", store=desk.store)({"todos": todos})
    desk.sync()
    desk.path.write_text(desk.path.read_text().replace("[ ]", "[/]"))
    with pytest.raises(Refused, match="only one task can be in progress"):
        sync(desk.store, "default", "main", str(desk.path), dry=dry)


def test_a_file_of_ten_thousand_items_is_brought_in_step_in_time_that_grows_with_it(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path)
    for lines in (
        [f"- [ ] item {number}" for number in range(10_000)],
        [f"- [ ] item {number}" for number in reversed(range(10_000))],
        [f"- [ ] new {number}" for number in range(5_000)]
        + [f"- [x] item {number}" for number in range(0, 10_000, 2)],
    ):
        footer = desk.path.read_text().split("\n")[-2:] if desk.path.exists() else []
        desk.path.write_text("\n".join([*lines, *footer]) + "\n")
        start = process_time()
        desk.sync()
        desk.sync()
        assert process_time() - start < 1.0  # it was 2 to 8 seconds
        assert desk.shape == [
            (line[6:], "completed" if "x" in line[:6] else "pending") for line in lines
        ]


def woven_one_by_one(first: list[int], other: list[int]) -> list[int]:
    """What `_woven` means, told as a person would do it."""
    woven = list(first)
    for place, key in enumerate(other):
        if key not in woven:
            woven.insert(woven.index(other[place - 1]) + 1 if place else 0, key)
    return woven


@given(
    st.lists(st.integers(1, 9), unique=True),
    st.lists(st.integers(-9, 9).filter(bool), unique=True),
)
def test_what_one_list_has_more_stands_behind_what_it_stood_behind_there(
    first: list[int], other: list[int]
) -> None:
    assert _woven(first, other) == woven_one_by_one(first, other)
