"""The same edits by a model, a program and a person: the same outcome, by the same rules, in every dialect."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.support import FIVE, call
from todowright import Author, Change, MemoryStore, Plan, Refused, Todo, TodoWrite, load_dialect
from todowright.plan.editing import read_edits
from todowright.tool.person import edit_plan

Rows = tuple[tuple[str, str], ...]
Who = Literal["agent", "program", "person"]
EVERYBODY: tuple[Who, ...] = ("agent", "program", "person")
BY = {
    "agent": Author("agent"),
    "program": Author("program", "nightly"),
    "person": Author("person", "Ada"),
}
DIALECTS = (*FIVE, "lean", "tasks")
WITHOUT_CANCELLED = ("smart", "shell", "checklist", "twostate")

READ, WRITE, RUN, NEW = "Read the code", "Write the fix", "Run the tests", "Tell the team"
UNDER_WAY: Rows = ((READ, "in_progress"), (WRITE, "pending"), (RUN, "pending"))
HALF_DONE: Rows = ((READ, "completed"), (WRITE, "in_progress"), (RUN, "pending"))
NEARLY_DONE: Rows = ((READ, "completed"), (WRITE, "completed"), (RUN, "in_progress"))
FULL, TOO_LONG = "as many as the dialect allows", "a letter more than the dialect allows"


@dataclass(frozen=True)
class Expected:
    """What becomes of an edit: rows, or the code of its refusal; neither where it cannot be said."""

    after: Rows | None = None
    code: str = ""
    revision: bool = True
    """Whether an accepted one makes a revision."""
    why: str = ""
    """For who differs from the others: why that is right."""


@dataclass(frozen=True)
class Case:
    """One edit, as each of the three says it."""

    edits: list[dict[str, Any]]
    """As a person sends them. A program says the same by the method of that name."""
    expected: Expected
    lean: tuple[str, dict[str, Any]] | Rows | None = None
    """As the model says it in lean: a tool and its arguments, or the whole plan with its statuses."""
    before: Rows = UNDER_WAY
    listed: Rows | None = None
    """As the model says it where it sends whole lists: by default, the rows that are expected."""
    replaced: bool = False
    """Whether a program sends that list, too, since the edit of a single step cannot say it."""
    refused: dict[str, str] = field(default_factory=dict)
    """The dialects that refuse what others accept, with the code."""
    differs: dict[str, Expected] = field(default_factory=dict)
    """Who legitimately differs: `a list`, `lean`, `tasks`, `program` or `person`; or one of them in one dialect: `lean program`."""


def kept(*rows: tuple[str, str]) -> Expected:
    return Expected(rows)


NO_TOOL = "no tool of the dialect says it"
TWO_ON = ((READ, "in_progress"), (WRITE, "in_progress"), (RUN, "pending"))
SAID = {"start": "in_progress", "complete": "completed", "reopen": "pending", "remove": "deleted"}


def task_call(case: Case) -> tuple[str, dict[str, Any]] | None:
    """The edit as a model says it in `tasks`; None where it cannot."""
    (edit, *more) = case.edits
    if more or edit.get("after") is not None:
        return None
    match edit["do"]:
        case "add":
            return "TaskCreate", {"subject": edit["text"]}
        case "reword":
            return "TaskUpdate", {"taskId": edit["step"], "subject": edit["text"]}
        case "block":
            return "TaskUpdate", {"taskId": edit["step"], "status": "blocked"}
        case do if do in SAID:
            return "TaskUpdate", {"taskId": edit["step"], "status": SAID[do]}
    return None


CASES: dict[str, Case] = {
    "add at the end": Case(
        [{"do": "add", "text": NEW}],
        kept(*UNDER_WAY, (NEW, "pending")),
        ("add", {"steps": [NEW]}),
    ),
    "add behind a step": Case(
        [{"do": "add", "text": NEW, "after": 1}],
        kept(UNDER_WAY[0], (NEW, "pending"), *UNDER_WAY[1:]),
        ("add", {"steps": [NEW], "after": 1}),
    ),
    "add as the first": Case(
        [{"do": "add", "text": NEW, "after": 0}],
        kept((NEW, "pending"), *UNDER_WAY),
        ("add", {"steps": [NEW], "before": 1}),
    ),
    "complete": Case(
        [{"do": "complete", "step": 2}],
        kept(UNDER_WAY[0], (WRITE, "completed"), UNDER_WAY[2]),
        ("done", {"step": 2}),
    ),
    "complete the one that is on": Case(
        [{"do": "complete", "step": 1}],
        kept((READ, "completed"), *UNDER_WAY[1:]),
        ("done", {"step": 1}),
        differs={
            "lean": Expected(
                ((READ, "completed"), (WRITE, "in_progress"), (RUN, "pending")),
                why="its tool says that the next step starts by itself",
            )
        },
    ),
    "reopen": Case(
        [{"do": "reopen", "step": 1}],
        kept((READ, "pending"), *HALF_DONE[1:]),
        ((READ, "pending"), *HALF_DONE[1:]),
        before=HALF_DONE,
    ),
    "start": Case(
        [{"do": "start", "step": 2}],
        kept((READ, "pending"), (WRITE, "in_progress"), (RUN, "pending")),
        ("plan", {"now": 2}),
        before=((READ, "pending"), (WRITE, "pending"), (RUN, "pending")),
        refused={"twostate": "status"},
    ),
    "start while another is on": Case(
        [{"do": "start", "step": 3}],
        kept((READ, "pending"), (WRITE, "pending"), (RUN, "in_progress")),
        ("plan", {"now": 3}),
        refused={"twostate": "status"},
        differs={
            "tasks": Expected(
                ((READ, "in_progress"), (WRITE, "pending"), (RUN, "in_progress")),
                why="many work on tasks: any number may be on",
            )
        },
    ),
    "cancel": Case(
        [{"do": "cancel", "step": 2}],
        kept(UNDER_WAY[0], (WRITE, "cancelled"), UNDER_WAY[2]),
        (UNDER_WAY[0], (WRITE, "cancelled"), UNDER_WAY[2]),
        refused=dict.fromkeys(WITHOUT_CANCELLED, "status"),
    ),
    "reword": Case(
        [{"do": "reword", "step": 2, "text": "Write the small fix"}],
        kept(UNDER_WAY[0], ("Write the small fix", "pending"), UNDER_WAY[2]),
        ("change", {"step": 2, "text": "Write the small fix"}),
    ),
    "move up": Case(
        [{"do": "move", "step": 3, "after": 1}],
        kept(UNDER_WAY[0], UNDER_WAY[2], UNDER_WAY[1]),
        (UNDER_WAY[0], UNDER_WAY[2], UNDER_WAY[1]),
    ),
    "move down": Case(
        [{"do": "move", "step": 1, "after": 2}],
        kept(UNDER_WAY[1], UNDER_WAY[0], UNDER_WAY[2]),
        (UNDER_WAY[1], UNDER_WAY[0], UNDER_WAY[2]),
    ),
    "move to the end": Case(
        [{"do": "move", "step": 1}],
        kept(UNDER_WAY[1], UNDER_WAY[2], UNDER_WAY[0]),
        (UNDER_WAY[1], UNDER_WAY[2], UNDER_WAY[0]),
    ),
    "remove an open step": Case(
        [{"do": "remove", "step": 3}],
        kept(*UNDER_WAY[:2]),
        ("drop", {"steps": [3]}),
    ),
    "remove a closed step": Case(
        [{"do": "remove", "step": 1}],
        kept(*HALF_DONE[1:]),
        ("drop", {"steps": [1]}),
        before=HALF_DONE,
    ),
    "complete the last open one": Case(
        [{"do": "complete", "step": 3}],
        kept(*NEARLY_DONE[:2], (RUN, "completed")),
        ("done", {"step": 3}),
        before=NEARLY_DONE,
    ),
    "remove the last open one": Case(
        [{"do": "remove", "step": 3}],
        kept(*NEARLY_DONE[:2]),
        ("drop", {"steps": [3]}),
        before=NEARLY_DONE,
    ),
    "add past the item limit": Case(
        [{"do": "add", "text": NEW}],
        Expected(code="too_many"),
        ("add", {"steps": [NEW]}),
        before=((FULL, "pending"),),
        listed=((FULL, "pending"), (NEW, "pending")),
    ),
    "reword past the length limit": Case(
        [{"do": "reword", "step": 2, "text": TOO_LONG}],
        Expected(code="too_long"),
        ("change", {"step": 2, "text": TOO_LONG}),
        listed=(UNDER_WAY[0], (TOO_LONG, "pending"), UNDER_WAY[2]),
    ),
    "blank text": Case(
        [{"do": "add", "text": " \t"}],
        Expected(code="blank"),
        ("add", {"steps": [" \t"]}),
        listed=(*UNDER_WAY, (" \t", "pending")),
    ),
    "an unknown step": Case(
        [{"do": "complete", "step": 9}],
        Expected(code="no_step"),
        ("done", {"step": 9}),
        differs={"a list": Expected(why="what a whole list does not know is a new step")},
    ),
    "two in progress": Case(
        [{"do": "start", "step": 1}, {"do": "start", "step": 2}],
        Expected(code="focus"),
        ((READ, "in_progress"), (WRITE, "in_progress"), (RUN, "pending")),
        listed=((READ, "in_progress"), (WRITE, "in_progress"), (RUN, "pending")),
        replaced=True,
        refused={"twostate": "status"},
        differs={
            "person": Expected(
                ((READ, "pending"), (WRITE, "in_progress"), (RUN, "pending")),
                why="starting a step puts back the one that was on: two cannot be asked for",
            ),
            **dict.fromkeys(
                ("lean", "lean program"), Expected(TWO_ON, why="it takes a list at its word")
            ),
            **dict.fromkeys(
                ("tasks program", "tasks person"),
                Expected(TWO_ON, why="many work on tasks: any number may be on"),
            ),
        },
    ),
    "a status that the dialect cannot spell": Case(
        [{"do": "block", "step": 2}],
        Expected(code="status"),
        (UNDER_WAY[0], (WRITE, "blocked"), UNDER_WAY[2]),
        listed=(UNDER_WAY[0], (WRITE, "blocked"), UNDER_WAY[2]),
        replaced=True,
        differs={
            "person": Expected(code="edit", why="it is no edit that anybody knows"),
            "tasks agent": Expected(code="choice", why="a task may be deleted by its status, too"),
        },
    ),
    "an edit that changes nothing": Case(
        [{"do": "move", "step": 3}],
        Expected(UNDER_WAY, revision=False),
        UNDER_WAY,
        differs={
            "a list": Expected(
                UNDER_WAY,
                why="the five documents take every accepted call as an update, the same list, too",
            )
        },
    ),
}


@dataclass
class Outcome:
    """What became of an edit, and what others saw of it."""

    plan: Plan
    before: Plan
    code: str
    asked: list[str]
    heard: list[Change]
    logged: int


class Desk:
    """A plan in a dialect, and the three who may change it."""

    def __init__(self, dialect: str, root: Path, rows: Rows) -> None:
        self.dialect = load_dialect(dialect)
        self.root = root
        self.verdict: bool | str = True
        self.asked: list[str] = []
        self.heard: list[Change] = []
        self.todo = TodoWrite(dialect, store=MemoryStore(), root=root, verify=self._verify)
        self.todo.on_change(self.heard.append)
        reply = self.model(self.spelt(rows))
        assert not reply, reply

    def _verify(self, todo: Todo) -> bool | str:
        self.asked.append(todo.content)
        return self.verdict

    def spelt(self, rows: Rows) -> Rows:
        """The rows of a plan that this dialect can have, and the placeholders in full."""
        found: list[tuple[str, str]] = []
        for text, status in rows:
            if text == FULL:
                found += [(f"Step {n}", status) for n in range(self.dialect.most_items)]
            elif status == "in_progress" and not self.dialect.spellings(status):
                found.append((text, "pending"))
            else:
                found.append((self.text(text), status))
        return tuple(found)

    def text(self, text: str) -> str:
        return "x" * (self.dialect.longest + 1) if text == TOO_LONG else text

    def sent(self, case: Case) -> Rows:
        """The whole list that says it; a status that the dialect refuses is sent as it is."""
        rows = case.listed or case.expected.after or ()
        return rows if self.dialect.name in case.refused else self.spelt(rows)

    def model(self, said: tuple[str, dict[str, Any]] | Rows) -> str:
        """Have the model say it; the answer is the code of the refusal."""
        tool: str | None = None
        match said:
            case (str(name), dict(given)):
                tool, arguments = name, given | {}
                for key in ("text", "subject"):
                    if key in arguments:
                        arguments[key] = self.text(arguments[key])
            case rows if self.dialect.name == "tasks":
                self.todo.replace(call_rows("tasks", rows), by=BY["agent"])
                return ""
            case rows if self.dialect.name == "lean":
                steps = [{"content": text, "status": status} for text, status in rows]
                tool, arguments = "plan", {"steps": steps}
            case rows:
                arguments = call(self.dialect, *rows)
        reply = self.todo(arguments, tool=tool)
        return reply.issues[0].code if reply.is_error else ""

    def said(self, case: Case) -> tuple[str, dict[str, Any]] | Rows | None:
        """The edit as the model says it."""
        if self.dialect.name == "tasks":
            return task_call(case)
        return case.lean if self.dialect.name == "lean" else self.sent(case)

    def program(self, case: Case) -> None:
        by = BY["program"]
        if case.replaced:
            self.todo.replace(call_rows(self.dialect.name, self.sent(case)), by=by)
            return
        (edit,) = case.edits
        given = {key: value for key, value in edit.items() if key in ("step", "after")}
        if "text" in edit:
            given["text"] = self.text(edit["text"])
        named = [given.pop(key) for key in ("step", "text") if key in given]
        getattr(self.todo, edit["do"])(*named, by=by, **given)

    def person(self, case: Case) -> None:
        edits = [
            {**edit, "text": self.text(edit["text"])} if "text" in edit else edit
            for edit in case.edits
        ]
        plan = self.todo.plan
        edit_plan(self.todo.store, plan, read_edits(edits), by=BY["person"], root=str(self.root))

    def do(self, case: Case, who: Who) -> Outcome:
        """Have one of the three make the edit."""
        before, heard, asked = self.todo.plan, len(self.heard), len(self.asked)
        logged, code = blocks(self.root), ""
        if who == "agent":
            said = self.said(case)
            assert said is not None
            code = self.model(said)
        else:
            try:
                self.program(case) if who == "program" else self.person(case)
            except Refused as refused:
                code = refused.issues[0].code
        plan = self.todo.plan
        logged = blocks(self.root) - logged
        return Outcome(plan, before, code, self.asked[asked:], self.heard[heard:], logged)

    def expected(self, case: Case, who: Who) -> Expected:
        """What is to become of the edit."""
        name, found = self.dialect.name, case.expected
        if code := case.refused.get(name):
            return Expected(code=code)
        if name == "tasks" and who == "agent" and task_call(case) is None:
            return Expected(why=NO_TOOL)
        kind = name if name in ("lean", "tasks") else "a list"
        found = case.differs.get("tasks", found) if name == "tasks" else found
        key = who if who != "agent" else kind
        return case.differs.get(f"{name} {who}") or case.differs.get(key, found)


def call_rows(dialect: str, rows: Rows) -> list[dict[str, str]]:
    """Rows as a program gives them."""
    if dialect in ("lean", "tasks"):
        key = "content" if dialect == "lean" else "subject"
        return [{key: text, "status": status} for text, status in rows]
    listed: list[dict[str, str]] = call(dialect, *rows)[load_dialect(dialect).list_key]
    return listed


def blocks(root: Path) -> int:
    """How many plans the completion log has."""
    files = (root / "memory" / "todos").glob("*.md")
    return sum(file.read_text("utf-8").count("# task") for file in files)


def rows_of(plan: Plan) -> Rows:
    return tuple((todo.content, todo.status) for todo in plan.todos)


def check_outcome(desk: Desk, made: Outcome, expected: Expected, who: Who) -> None:
    before, plan = made.before, made.plan
    if expected.after is None:
        assert made.code == expected.code
        assert plan is before
        assert made.heard == []
        return
    assert made.code == ""
    assert rows_of(plan) == desk.spelt(expected.after)
    made_one = int(expected.revision)
    assert plan.revision == before.revision + made_one
    history = desk.todo.store.history("default", "main")
    assert [each.revision for each in history] == list(range(1, plan.revision + 1))
    assert [(each.before, each.plan) for each in made.heard] == [(before, plan)] * made_one
    if not made_one:
        assert plan is before
        return
    assert history[-1].by == BY[who]
    assert plan.dialect == desk.dialect.name
    known = {todo.content: todo.number for todo in before.todos}
    for todo in plan.todos:
        fresh = todo.content == NEW
        assert todo.number > before.issued if fresh else True
        assert todo.number == known[todo.content] if todo.content in known else True
    numbers = [todo.number for todo in plan.todos]
    assert len(set(numbers)) == len(numbers)
    assert len({todo.id for todo in plan.todos}) == len(numbers)
    assert all(0 < number <= plan.issued for number in numbers)


def completions(before: Plan, plan: Plan) -> list[str]:
    """The steps that became completed."""
    was = {todo.number: todo.status for todo in before.todos}
    return [
        todo.content for todo in plan.todos if todo.status == "completed" != was.get(todo.number)
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", list(CASES))
def test_an_edit_is_the_same_whoever_makes_it(name: str, dialect: str, tmp_path: Path) -> None:
    case = CASES[name]
    for who in EVERYBODY:
        root = tmp_path / who
        root.mkdir()
        desk = Desk(dialect, root, case.before)
        expected = desk.expected(case, who)
        if expected.after is None and not expected.code:
            assert expected.why
            continue
        made = desk.do(case, who)
        check_outcome(desk, made, expected, who)
        assert made.asked == completions(made.before, made.plan)
        finishes = made.plan.finished and made.plan is not made.before
        assert made.logged == (finishes and dialect == "envelope")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "name", [name for name, case in CASES.items() if name.startswith("complete")]
)
def test_a_host_may_refuse_a_completion_whoever_asks_for_it(
    name: str, dialect: str, tmp_path: Path
) -> None:
    case = CASES[name]
    for who in EVERYBODY:
        desk = Desk(dialect, tmp_path, case.before)
        desk.verdict = "the tests fail"
        made = desk.do(case, who)
        assert made.code == "unverified"
        assert made.plan is made.before
        assert len(made.asked) == 1
        assert (made.heard, made.logged) == ([], 0)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_host_that_refuses_completions_is_not_in_the_way_of_anything_else(
    dialect: str, tmp_path: Path
) -> None:
    for name, case in CASES.items():
        if name.startswith("complete") or case.before[0][0] == FULL:
            continue
        for who in EVERYBODY:
            desk = Desk(dialect, tmp_path, case.before)
            desk.verdict, expected = False, desk.expected(case, who)
            if expected.after is not None:
                assert desk.do(case, who).code == ""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_number_is_never_given_twice_whoever_adds_and_removes(
    dialect: str, tmp_path: Path
) -> None:
    desk = Desk(dialect, tmp_path, UNDER_WAY)
    todo, given = desk.todo, {todo.number: todo.content for todo in desk.todo.plan.todos}

    def check() -> None:
        for each in todo.plan.todos:
            assert given.setdefault(each.number, each.content) == each.content

    for turn in range(9):
        text, who = f"Extra {turn}", EVERYBODY[turn % 3]
        rows = (*rows_of(todo.plan), (text, "pending"))
        said: Any = ("add", {"steps": [text]}) if dialect == "lean" else rows
        said = ("TaskCreate", {"subject": text}) if dialect == "tasks" else said
        if who == "agent":
            assert desk.model(said) == ""
        elif who == "program":
            todo.add(text)
        else:
            edit_plan(todo.store, todo.plan, read_edits([{"do": "add", "text": text}]))
        assert rows_of(todo.plan)[-1][0] == text
        check()
        if turn % 2:  # the newest goes: its number must not come back
            todo.remove(todo.plan.todos[-1].number)
    assert len(given) == 3 + 9
    assert sorted(given) == list(given)
    makers = [plan.by.kind for plan in todo.store.history("default", "main")]
    assert makers[0] == "agent"
    assert set(makers) == set(EVERYBODY)


def test_every_exception_in_the_table_says_why() -> None:
    for case in CASES.values():
        assert all(expected.why for expected in case.differs.values())
