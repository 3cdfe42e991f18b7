"""Who needs a person now, by the rules that the board and the terminal share."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from todowright.plan.attention import SessionView, in_order, session_view
from todowright.plan.model import AGENT, MAIN, PERSON, Author, Plan, Status, Todo
from todowright.plan.record import AgentRecord, label
from todowright.plan.stuck import patience

START = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
LETTERS: dict[str, Status] = {
    "p": "pending", "n": "in_progress", "d": "completed", "c": "cancelled",
}  # fmt: skip


def told(
    agent: str, *moves: tuple[float, str], serves: int = 0, dialect: str = "smart"
) -> AgentRecord:
    """An agent that wrote these steps at these minutes: "1d 2n 3p"; `*` in front: a person did."""
    record: AgentRecord | None = None
    for revision, (minute, steps) in enumerate(moves, 1):
        by: Author = PERSON if steps.startswith("*") else AGENT
        todos = tuple(_todo(each) for each in steps.lstrip("*").split())
        at = START + timedelta(minutes=minute)
        plan = Plan("s", agent, revision, todos, "", at, 99, by=by, dialect=dialect, serves=serves)
        if record is None:
            record = AgentRecord(plan)
        else:
            record.take(plan)
    assert record is not None
    return record


def _todo(text: str) -> Todo:
    """`2n` is step 2, in progress; `2n=Other` has words of its own."""
    mark, _, words = text.partition("=")
    number = int(mark[:-1])
    return Todo(
        words.replace("_", " ") or f"Step {number}", LETTERS[mark[-1]], "", f"t{number}", number
    )


def seen(
    minute: float, *records: AgentRecord, usual: float | None = None, midnight: float = 0
) -> SessionView:
    now = (START + timedelta(minutes=minute)).timestamp()
    return session_view("s", records, lambda _: usual, now, midnight)


@pytest.mark.parametrize(
    ("usual", "minutes"), [(None, 10), (60, 10), (240, 12), (1200, 60), (9000, 60)]
)
def test_patience_is_three_times_the_usual_but_ten_minutes_at_least_and_an_hour_at_most(
    usual: float | None, minutes: float
) -> None:
    assert patience(usual) == minutes * 60


def test_an_agent_that_is_silent_on_its_step_is_stuck_and_says_on_what_and_since_when() -> None:
    record = told(MAIN, (0, "1n 2p"), (4, "1d 2n"))
    assert seen(14, record).state == "working"
    view = seen(37, record, usual=240)
    assert (view.state, view.otherwise) == ("needs_you", "working")
    [need] = view.needs
    assert (need.kind, need.agent, need.text) == ("stuck", "main", "Step 2")
    assert view.agents[0].silent == 33 * 60
    assert view.agents[0].steps == "ds"
    assert view.now is not None
    assert view.now.on_since == (START + timedelta(minutes=4)).timestamp()


def test_an_edit_of_a_person_does_not_make_a_stuck_agent_move() -> None:
    record = told(MAIN, (0, "1n 2p"), (20, "*1n 2p=Other"))
    assert seen(21, record).agents[0].state == "stuck"


def test_who_waits_for_a_sub_agent_that_moves_is_not_stuck() -> None:
    parent = told(MAIN, (0, "1n 2p"))
    child = told("main/tests-0a1b2c3d", (1, "1n 2p"), (28, "1d 2n"), serves=1)
    assert [each.state for each in seen(30, parent, child).agents] == ["working", "working"]
    assert [each.state for each in seen(60, parent, child).agents] == ["stuck", "stuck"]


def test_the_row_of_a_stuck_session_shows_the_stuck_agents_step_and_not_a_healthy_ones() -> None:
    stuck = told("main/slow", (0, "7n"))
    quick = told("main/quick", (0, "1n 2p"), (29, "1d 2n"))
    view = seen(30, quick, stuck)
    assert view.now is not None
    assert view.now.agent == "main/slow"
    assert [each.agent for each in view.agents] == ["main/slow", "main/quick"]


def test_what_is_silent_for_long_is_abandoned_and_after_a_week_it_is_of_earlier() -> None:
    paused, gone = told(MAIN, (0, "1d 2p")), told(MAIN, (0, "1n"))
    assert seen(59, paused).state == "working"
    assert seen(61, paused).state == "abandoned"
    assert seen(5 * 60, gone).state == "needs_you"
    assert seen(7 * 60, gone).state == "abandoned"
    assert seen(8 * 24 * 60, gone).state == "earlier"


def test_a_finished_session_is_done_today_until_midnight() -> None:
    record = told(MAIN, (0, "1n"), (5, "1d"))
    assert seen(30, record).state == "done_today"
    assert seen(30, record, midnight=START.timestamp() + 600).state == "earlier"


def test_a_session_that_never_had_a_step_is_not_done_today_but_one_that_was_cleared_is() -> None:
    empty = AgentRecord(Plan("s", MAIN, 1, (), "", START, 0, dialect="lean"))
    assert seen(1, empty).state == "earlier"
    cleared = told(MAIN, (0, "1n"), (1, "1d"), (2, ""))
    assert seen(3, cleared).state == "done_today"


def test_an_open_step_that_vanished_is_dropped_and_a_finished_one_is_not() -> None:
    record = told(MAIN, (0, "1n 2p 3p"), (2, "1d 2n 3p"), (3, "2n"))
    view = seen(4, record)
    assert [(each.kind, each.text) for each in view.needs] == [("dropped", "Step 3")]
    assert record.dropped[0].after == 2
    again = told(MAIN, (0, "1n 2p 3p"), (2, "1d 2n"), (3, "2n 9p=New"), (4, "2n 7p=Step_3"))
    assert [each.content for each in again.dropped] == ["New"]


def test_a_step_that_its_agent_takes_off_by_a_tool_for_that_needs_nobody() -> None:
    moves = (0, "1n 2p 3p"), (2, "2n 3p"), (3, "2n")
    assert seen(4, told(MAIN, *moves, dialect="lean")).state == "working"
    assert seen(4, told(MAIN, *moves)).state == "needs_you"
    rewritten = told(MAIN, (0, "1n 2p 3p"), (2, "1d 2n 4p"), dialect="lean")
    assert [each.content for each in rewritten.dropped] == ["Step 3"]


def test_a_list_that_replaces_a_finished_one_is_the_next_plan_and_drops_nothing() -> None:
    record = told(MAIN, (0, "1n 2p"), (2, "1d 2n"), (3, "1d 2d"), (9, "3n 4p"))
    assert (record.number, record.dropped) == (2, [])
    assert seen(10, record).began == (START + timedelta(minutes=9)).timestamp()


@pytest.mark.parametrize(
    ("person", "agent", "state"),
    [
        ("*1n 2p=Mine", "1d 2n=Mine", "kept"),
        ("*1n 2p=Mine", "1d 2n", "changed"),
        ("*1d 2p", "1d 2n", "kept"),
        ("*1d 2p", "1n 2p", "changed"),
        ("*1n 2p 3p=New", "1n 2p", "changed"),
        ("*1n", "1n 2p", "changed"),
        ("*1n", "1d", "kept"),
    ],
)
def test_an_edit_is_kept_if_the_agents_next_list_still_has_it(
    person: str, agent: str, state: str
) -> None:
    record = told(MAIN, (0, "1n 2p"), (1, person))
    assert {each.state for each in record.edits} == {"sent"}
    record = told(MAIN, (0, "1n 2p"), (1, person), (2, agent))
    assert {each.state for each in record.edits} == {state}
    assert ("not_kept" in {each.kind for each in seen(3, record).needs}) == (state == "changed")


def test_a_step_that_is_given_to_a_person_waits_for_one() -> None:
    todo = Todo("Approve it", "in_progress", "", "t1", 1, (("owner", "user"),))
    record = AgentRecord(Plan("s", MAIN, 1, (todo,), "", START, 1, dialect="tasks"))
    assert [each.kind for each in seen(1, record).needs] == ["waiting"]


def test_the_order_of_a_group_does_not_depend_on_who_moved_last() -> None:
    def view(name: str, minute: float, *moves: tuple[float, str]) -> SessionView:
        now = (START + timedelta(minutes=minute)).timestamp()
        return session_view(name, [told(MAIN, *moves)], lambda _: None, now, 0)

    old = view("old", 30, (0, "1n 2p"), (29, "1d 2n"))
    new = view("new", 30, (10, "1n 2p"), (25, "1d 2n"))
    stuck = view("stuck", 30, (5, "1n"))
    longer = view("longer", 30, (0, "1n"))
    drops = view("drops", 30, (0, "1n 2p"), (25, "1n"))
    groups = in_order([old, drops, stuck, new, longer])
    assert [each.session for each in groups["working"]] == ["new", "old"]
    assert [each.session for each in groups["needs_you"]] == ["longer", "stuck", "drops"]
    looked = in_order([drops], {"drops": START.timestamp() + 1_600})
    assert [each.session for each in looked["working"]] == ["drops"]


def test_the_name_of_an_agent_is_without_its_parents_and_its_suffix() -> None:
    assert label("main/test-writer-0a1b2c3d") == "test-writer"
    assert label("main") == "main"
