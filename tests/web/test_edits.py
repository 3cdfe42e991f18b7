"""A person's edits follow the rules of the plan's dialect and of the program that runs it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.support import call
from tests.web.serving import Served
from todowright import TodoWrite
from todowright.plan.changes import Change
from todowright.plan.model import Todo
from todowright.stores.memory import MemoryStore
from todowright.web.app import build


class Board:
    """The application in this process, on a store of its own."""

    def __init__(self, http: TestClient, store: MemoryStore) -> None:
        self.http, self.store = http, store

    def plan(self, agent: str = "main") -> Any:
        return self.http.get(f"/api/sessions/default/plans/{agent}").json()

    def edit(self, *edits: dict[str, Any], agent: str = "main", name: str = "") -> Any:
        headers = {"if-match": f'"{self.plan(agent)["revision"]}"'}
        if name:
            headers["x-todowright-name"] = name
        path = f"/api/sessions/default/plans/{agent}"
        return self.http.patch(path, json={"edits": list(edits)}, headers=headers)


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    store = MemoryStore()
    with TestClient(build(store, keys=None, root=tmp_path), base_url="http://localhost") as http:
        yield Board(http, store)


def test_a_checklist_is_ticked_but_not_cancelled(board: Board) -> None:
    todo = TodoWrite("checklist", store=board.store)
    todo(call("checklist", "One", "Two"))

    refused = board.edit({"do": "cancel", "step": 2})

    assert "cancel" not in board.plan()["deeds"]
    assert (refused.status_code, refused.json()) == (
        422,
        {"error": "Item 1: invalid status 'cancelled'"},
    )
    assert board.edit({"do": "complete", "step": 1}).status_code == 200
    assert board.edit({"do": "remove", "step": 2}).status_code == 200
    assert [(step.content, step.status) for step in todo.plan.todos] == [("One", "completed")]
    assert todo.plan.by.kind == "person"


def test_twostate_knows_no_start(board: Board) -> None:
    todo = TodoWrite("twostate", store=board.store)
    todo(call("twostate", "One"))

    refused = board.edit({"do": "start", "step": 1})

    assert set(board.plan()["deeds"]) == {
        "complete",
        "reopen",
        "reword",
        "add",
        "move",
        "remove",
    }
    assert refused.status_code == 422
    assert refused.json()["error"].startswith("无效的任务状态: 'in_progress'")
    assert todo.plan.revision == 1


def test_a_full_checklist_takes_no_more(board: Board) -> None:
    todo = TodoWrite("checklist", store=board.store)
    todo(call("checklist", *[f"Step {n}" for n in range(20)]))
    refused = board.edit({"do": "add", "text": "One too many"})
    assert (refused.status_code, refused.json()) == (422, {"error": "Max 20 todos allowed"})


def test_finishing_an_envelope_plan_writes_its_log_below_the_root(
    board: Board, tmp_path: Path
) -> None:
    todo = TodoWrite("envelope", store=board.store, root=tmp_path)
    todo(call("envelope", "Only this"))
    del todo
    gc.collect()  # it was made in another process, say: the application's own root counts

    assert board.edit({"do": "complete", "step": 1}).json()["note"] == ""

    (log,) = (tmp_path / "memory" / "todos").iterdir()
    assert "Only this" in log.read_text("utf-8")


def test_a_log_that_cannot_be_written_is_told_with_the_plan(board: Board, tmp_path: Path) -> None:
    (tmp_path / "memory").write_text("in the way")
    TodoWrite("envelope", store=board.store, root=tmp_path)(call("envelope", "Only this"))
    answer = board.edit({"do": "complete", "step": 1})
    assert answer.status_code == 200
    assert answer.json()["note"].startswith("the completion log could not be written")


def test_the_program_beside_the_board_verifies_and_hears_it(board: Board) -> None:
    def verify(step: Todo) -> bool | str:
        return True if step.content == "Easy" else "the tests fail"

    heard: list[Change] = []
    todo = TodoWrite(store=board.store, verify=verify)
    todo({"steps": ["Hard", "Easy"]}, tool="plan")
    todo.on_change(heard.append)

    refused = board.edit({"do": "complete", "step": 1})
    assert (refused.status_code, refused.json()) == (
        422,
        {"error": "step 1 is not finished: the tests fail"},
    )
    assert heard == []
    assert board.edit({"do": "complete", "step": 2}).status_code == 200
    assert [change.plan.by.kind for change in heard] == ["person"]
    assert [step.content for step in heard[0].of("completed")] == ["Easy"]


def test_what_a_program_elsewhere_verifies_is_not_ticked_here(board: Board) -> None:
    todo = TodoWrite(store=board.store, verify=lambda step: True)
    todo({"steps": ["One", "Two"]}, tool="plan")
    assert board.store.load("default", "main").verified
    del todo
    gc.collect()

    refused = board.edit({"do": "complete", "step": 1})

    assert refused.status_code == 422
    assert "verified by the program that runs this plan" in refused.json()["error"]
    assert board.edit({"do": "reword", "step": 1, "text": "One, anew"}).status_code == 200
    again = board.edit({"do": "complete", "step": 1})  # a person's edit did not lift that
    assert again.status_code == 422


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("", ""),
        ("Ada", "Ada"),
        ("Zoë 写", "Zoë 写"),
        ("x" * 100, "x" * 60),
        ("a\tb\u202ec", "a b\ufffdc"),
    ],
)
def test_a_person_may_say_who_they_are(board: Board, given: str, kept: str) -> None:
    todo = TodoWrite(store=board.store)
    todo({"steps": ["One"]}, tool="plan")
    answer = board.edit({"do": "complete", "step": 1}, name=given.encode())  # type: ignore[arg-type]
    assert answer.json()["by"] == {"kind": "person", "name": kept}
    assert (todo.plan.by.kind, todo.plan.by.name) == ("person", kept)


@pytest.mark.parametrize(
    "edit",
    [
        {"do": "tick", "step": 1},
        {"do": "complete", "id": "t1"},
        {"do": "complete", "step": 9},
        {"do": "complete"},
        {"do": "add", "text": 3},
        {"do": "move", "step": 1, "after": 1.5},
        "complete",
    ],
)
def test_an_edit_that_makes_no_sense_is_refused_in_words(board: Board, edit: Any) -> None:
    TodoWrite(store=board.store)({"steps": ["One"]}, tool="plan")
    refused = board.edit(edit)
    assert refused.status_code == 422
    assert refused.json()["error"]
    assert board.plan()["revision"] == 1


def test_steps_are_moved_to_the_front_behind_another_and_to_the_end(board: Board) -> None:
    TodoWrite(store=board.store)({"steps": ["One", "Two", "Three"]}, tool="plan")

    def order(**where: Any) -> list[int]:
        plan = board.edit({"do": "move", **where}).json()
        return [step["number"] for step in plan["todos"]]

    assert order(step=3, after=0) == [3, 1, 2]
    assert order(step=3, after=1) == [1, 3, 2]
    assert order(step=1, after=None) == [3, 2, 1]
    added = board.edit({"do": "add", "text": "Zero", "after": 0}).json()["todos"]
    assert [step["number"] for step in added] == [4, 3, 2, 1]


def test_an_ended_sub_agent_works_no_more_and_nothing_is_done_to_it(board: Board) -> None:
    todo = TodoWrite(store=board.store)
    todo({"steps": ["One"]}, tool="plan")
    with todo.subagent() as child:
        child({"steps": ["Part"]}, tool="plan")
        agent = child.agent
        child({"step": 1}, tool="done")

    assert board.plan(agent)["ended"] == "finished, 1 of 1 done"
    assert (board.plan(agent)["deeds"], board.plan(agent)["serves"]) == ([], 1)
    refused = board.edit({"do": "add", "text": "More"}, agent=agent)
    assert (refused.status_code, "has ended" in refused.json()["error"]) == (422, True)
    (row,) = board.http.get("/api/sessions").json()["sessions"]
    assert [each["agent"] for each in row["agents"]] == ["main"]


def test_the_server_keeps_the_log_at_the_projects_root(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "src"
    folder.mkdir()
    served = Served(folder)
    try:
        todo = served.todo(dialect="envelope")
        todo(call("envelope", "Only this"))
        path, edits = "/api/sessions/default/plans/main", [{"do": "complete", "step": 1}]
        headers = {"if-match": '"1"'}
        assert served.http.patch(path, json={"edits": edits}, headers=headers).status_code == 200
    finally:
        served.stop()
    (log,) = (tmp_path / "memory" / "todos").iterdir()
    assert "Only this" in log.read_text("utf-8")
