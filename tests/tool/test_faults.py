"""Faults of the release before, each with the test that would have found it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import FIVE, call, edit, statuses, texts
from todowright import (
    Change,
    MemoryStore,
    Plan,
    Receipt,
    Refused,
    Reply,
    Store,
    Todo,
    TodoWrite,
    follow,
    load_dialect,
    open_store,
    session_name,
)
from todowright.dialects.render import marked
from todowright.names import LONGEST_NAME, check_session
from todowright.plan.tree import Tree, trees
from todowright.stores.encoding import plan_of
from todowright.stores.protocol import KEPT_RECEIPTS
from todowright.testing import another, at_once

DIALECTS = (*FIVE, "lean")


def said(dialect: str, *items: tuple[str, str] | str) -> dict[str, Any]:
    """A whole list in any dialect's own spelling; in lean, the plan with its statuses."""
    if dialect != "lean":
        return call(dialect, *items)
    rows = [(item, "pending") if isinstance(item, str) else item for item in items]
    return {"steps": [{"content": text, "status": status} for text, status in rows]}


def scripted(script: str, *arguments: object, seconds: float = 120) -> str:
    """What a script prints in a process of its own, which has imported nothing of ours yet."""
    command = [sys.executable, "-W", "ignore", "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# A program's ids and our numbers


def test_steps_that_a_program_saved_without_numbers_get_them_with_the_next_revision() -> None:
    store = MemoryStore()
    store.save(Plan(revision=1, todos=(Todo("x"), Todo("y")), dialect="lean"))
    todo = TodoWrite(store=store)
    todo({"finished": ["x"]}, tool="done")
    assert [(each.id, each.number) for each in todo.plan.todos] == [("t1", 1), ("t2", 2)]
    assert todo.plan.issued == 2


def test_a_programs_id_that_looks_like_a_number_is_never_taken_for_one() -> None:
    todo = TodoWrite("lean")
    todo.update([{"id": "t007", "content": "Bond"}])
    for count in range(2, 9):
        todo.add(f"Step {count}")
    todo({"step": 7}, tool="done")
    assert [each.content for each in todo.plan.todos if each.status == "completed"] == ["Step 7"]
    todo.complete("t007")
    assert [each.content for each in todo.plan.todos if each.closed] == ["Bond", "Step 7"]


@given(
    st.lists(
        st.sampled_from(["", "", "t1", "t2", "t3", "t5", "t8", "t007", "t0", "7", "x", "T4", "t٣"]),
        min_size=1,
        max_size=12,
    )
)
def test_numbers_and_labels_never_clash_whatever_ids_a_program_has(ids: list[str]) -> None:
    todo = TodoWrite("lean", store=MemoryStore())
    given_out: dict[int, str] = {}
    for count, name in enumerate(ids):
        known = {each.id for each in todo.plan.todos}
        if name and name not in known:
            now: list[Todo | dict[str, str]] = list(todo.plan.todos)
            todo.replace([*now, {"id": name, "content": f"Step {count}"}])
        else:
            todo.add(f"Step {count}")
        plan = todo.plan
        assert texts(plan) == [f"Step {n}" for n in range(count + 1)]
        for each in plan.todos:
            assert given_out.setdefault(each.number, each.content) == each.content
        assert len({each.number for each in plan.todos}) == len(plan.todos)
        assert len({each.id for each in plan.todos}) == len(plan.todos)
    for each in todo.plan.todos:
        todo({"step": each.number}, tool="done")
        (found,) = (now for now in todo.plan.todos if now.number == each.number)
        assert (found.content, found.status) == (each.content, "completed")


# A person's edits obey what a model's calls obey


@pytest.mark.parametrize("elsewhere", [False, True], ids=["beside the tool", "in another process"])
def test_a_person_cannot_make_a_checklist_longer_than_it_may_be(elsewhere: bool) -> None:
    todo = TodoWrite("checklist")
    todo(call("checklist", "A"))
    store = another(todo.store) if elsewhere else todo.store
    with pytest.raises(Refused, match="Max 20 todos allowed"):
        edit(store, todo.plan, [{"do": "add", "text": f"Step {n}"} for n in range(30)])
    edit(store, todo.plan, [{"do": "add", "text": f"Step {n}"} for n in range(19)])
    with pytest.raises(Refused):
        edit(store, todo.plan, [{"do": "add", "text": "One more"}])
    assert not todo(todo.dialect.arguments(todo.plan)).is_error


@pytest.mark.parametrize("elsewhere", [False, True], ids=["beside the tool", "in another process"])
@pytest.mark.parametrize(
    ("dialect", "do"), [("twostate", "start"), ("twostate", "cancel"), ("shell", "cancel")]
)
def test_a_person_cannot_give_a_status_that_the_dialect_does_not_have(
    dialect: str, do: str, elsewhere: bool
) -> None:
    todo = TodoWrite(dialect)
    todo(call(dialect, "A", "B"))
    store = another(todo.store) if elsewhere else todo.store
    with pytest.raises(Refused) as refused:
        edit(store, todo.plan, [{"do": do, "step": 1}])
    assert refused.value.issues[0].code == "status"
    assert statuses(todo.plan) == ["pending", "pending"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_any_status_that_an_earlier_release_let_in_is_shown_and_may_stay(dialect: str) -> None:
    store = MemoryStore()
    rows: list[Any] = [("A", "cancelled"), ("B", "in_progress"), ("C", "completed")]
    todos = tuple(Todo(text, status, text, f"t{n}", n) for n, (text, status) in enumerate(rows, 1))
    store.save(Plan(revision=1, todos=todos, issued=3, dialect=dialect))
    todo = TodoWrite(dialect, store=store, with_news=False)
    assert len(marked(load_dialect(dialect), todo.plan)) == 3
    assert "B" in todo.tail()
    assert texts(edit(store, todo.plan, [{"do": "add", "text": "D"}])) == ["A", "B", "C", "D"]
    assert texts(todo.add("E")) == ["A", "B", "C", "D", "E"]
    assert not todo(said(dialect, "A", "B", "D", "E")).is_error


def test_what_a_person_completes_is_verified_logged_and_announced(tmp_path: Path) -> None:
    verdicts: dict[str, bool | str] = {"A": "not yet", "B": True}
    heard: list[Change] = []
    todo = TodoWrite("envelope", root=tmp_path, verify=lambda step: verdicts[step.content])
    todo(call("envelope", "A", "B"))
    todo.on_change(heard.append)
    with pytest.raises(Refused, match="not yet"):
        edit(todo.store, todo.plan, [{"do": "complete", "step": 1}])
    edit(todo.store, todo.plan, [{"do": "complete", "step": 2}])
    verdicts["A"] = True
    edit(todo.store, todo.plan, [{"do": "complete", "step": 1}])
    assert [change.plan.revision for change in heard] == [2, 3]
    (log,) = (tmp_path / "memory" / "todos").glob("*.md")
    assert log.read_text("utf-8").count("# task") == 1
    assert todo.plan.log == log.name


def test_who_has_no_tool_cannot_complete_what_the_program_verifies(tmp_path: Path) -> None:
    todo = TodoWrite("lean", verify=lambda step: True)
    todo({"steps": ["A", "B"]}, tool="plan")
    with pytest.raises(Refused) as refused:
        edit(another(todo.store), todo.plan, [{"do": "complete", "step": 1}])
    assert refused.value.issues[0].code == "unverifiable"
    edit(another(todo.store), todo.plan, [{"do": "add", "text": "C"}])
    with pytest.raises(Refused):  # an edit of somebody else does not lift it
        edit(another(todo.store), todo.plan, [{"do": "complete", "step": 1}])


def test_a_limit_of_the_environment_holds_for_a_person_too() -> None:
    todo = TodoWrite("shell", environ={"TODO_MAX_ITEMS": "2"})
    todo(call("shell", "A", "B"))
    with pytest.raises(Refused):
        todo.add("C")
    with pytest.raises(Refused):
        edit(todo.store, todo.plan, [{"do": "add", "text": "C"}])


def test_a_plan_that_a_person_begins_has_the_rules_of_the_tool_that_is_there(
    tmp_path: Path,
) -> None:
    todo = TodoWrite("envelope", root=tmp_path)
    edit(todo.store, todo.plan, [{"do": "add", "text": "A"}])
    with pytest.raises(Refused):
        edit(todo.store, todo.plan, [{"do": "add", "text": "x" * 61}])
    edit(todo.store, todo.plan, [{"do": "complete", "step": 1}])
    assert todo.plan.dialect == "envelope"
    assert todo.plan.log


@pytest.mark.parametrize("dialect", [*FIVE, "lean", "tasks"])
@pytest.mark.parametrize(
    "wrong", [{"do": "add", "text": " "}, {"do": "add"}, {"do": "complete"}], ids=str
)
def test_a_person_is_not_told_of_an_item_that_there_is_not(
    dialect: str, wrong: dict[str, Any]
) -> None:
    todo = TodoWrite(dialect, environ={})
    with pytest.raises(Refused) as refused:
        edit(todo.store, todo.plan, [wrong])
    assert wrong["do"] != "add" or "text" in str(refused.value)
    assert "None" not in str(refused.value)


def test_a_step_that_is_reworded_to_what_it_says_stays_as_it_is() -> None:
    todo = TodoWrite("smart")
    todo(call("smart", "A"))
    before = todo.plan
    assert todo.reword(1, "A") is before


# A person's step is not written over


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    opened = open_store("memory:" if request.param == "memory" else f"sqlite:///{tmp_path}/p.db")
    yield opened
    opened.close()


def add(store: Store, text: str) -> None:
    edit(store, store.load("default", "main"), [{"do": "add", "text": text}])


@pytest.mark.parametrize("fresh", [False, True], ids=["one object", "an object for each request"])
def test_a_whole_list_that_knows_nothing_of_a_persons_step_is_refused_once(
    store: Store, fresh: bool
) -> None:
    tools = [TodoWrite("lean", store=store)]

    def ask(steps: list[str]) -> Reply:
        if fresh:
            tools[:] = [TodoWrite("lean", store=store)]
        return tools[0]({"steps": steps}, tool="plan")

    ask(["A", "B"])
    for count in range(3):
        add(store, f"USER {count}")
        refused = ask(["A", f"B{count}"])
        assert refused.is_error
        assert [issue.code for issue in refused.issues] == ["edited"]
        assert f"USER {count}" in refused.text
        assert texts(store.load("default", "main"))[-1] == f"USER {count}"
        accepted = ask(["A", f"B{count}"])
        assert not accepted.is_error
        assert f"USER {count}" in accepted.text  # and what became of the step is told


def test_who_was_told_by_a_note_is_not_refused_by_another_object(store: Store) -> None:
    TodoWrite("lean", store=store)({"steps": ["A", "B"]}, tool="plan")
    add(store, "USER")
    told = TodoWrite("lean", store=store)({}, tool="plan").text
    assert 'added 3. "USER"' in told
    again = TodoWrite("lean", store=store)({"steps": ["A", "B", "USER", "C"]}, tool="plan")
    assert not again.is_error
    assert "changed your plan" not in again.text
    assert texts(store.load("default", "main")) == ["A", "B", "USER", "C"]


@pytest.mark.parametrize("fresh", [False, True], ids=["one object", "an object for each request"])
def test_a_plan_that_a_person_began_is_not_written_over_unseen(store: Store, fresh: bool) -> None:
    todo = TodoWrite("smart", store=store, with_news=True)
    add(store, "USER")
    todo = TodoWrite("smart", store=store, with_news=True) if fresh else todo
    assert todo(call("smart", "A")).is_error
    assert not todo(call("smart", "A")).is_error


# Nothing is imported while a revision is made

IMPORTS = """
import json, sys
from todowright.processes import process
from todowright.tool.person import edit_plan
from todowright.plan.editing import read_edits
from todowright import Author, TodoWrite

name, url, root = sys.argv[1:]
found = {"held": [], "later": []}
todo = TodoWrite(name, store=url, root=root, with_news=True)
todo.on_change(lambda change: None)
lock = todo._writer._held[process.number].lock

class Finder:
    def find_spec(self, name, path=None, target=None):
        if lock.locked():
            found["held"].append(name)
        return None

def rows(*items):
    if name == "lean":
        return {"steps": [{"content": text, "status": status} for text, status in items]}
    found = {todo.dialect.list_key: [
        {"content": text, "status": status} | (
            {"activeForm": text} if todo.dialect.active_forms else {})
        for text, status in items]}
    return found | ({"summary": "s"} if name == "envelope" else {})

def calls(count):
    todo(rows(("A", "pending"), ("B", "pending")), call_id=f"first {count}")
    todo(rows(("A", "completed"), ("B", "pending")))
    todo({"todos": "nonsense"})
    todo({"steps": "- [x] A\\n- [ ] B"}, tool="plan")
    todo([{"task": "A", "state": "done"}, {"task": "B"}])
    todo("```json\\n{}\\n```")
    todo(None)
    todo(5, tool="nobody")
    todo({"step": 2}, tool="done", call_id=f"done {count}")
    todo({"step": 2}, tool="done", call_id=f"done {count}")
    todo({}, tool="plan", call_id=f"read {count}")
    plan = todo.store.load("default", "main")
    edit_plan(todo.store, plan, read_edits([{"do": "add", "text": f"C {count}"}]), root=root)
    todo(rows(("A", "completed"), ("Bär", "pending")))
    todo(rows(("A", "completed"), ("Bär", "completed")))
    todo.add("D")
    todo.update([{"id": todo.plan.todos[0].id, "content": "A again"}])
    todo(rows(("A", "completed")))
    todo(rows(("A", "completed")))
    todo.news(), todo.tail()

sys.meta_path.insert(0, Finder())
calls(1)
before = set(sys.modules)
calls(2)
found["later"] = sorted(set(sys.modules) - before)
print(json.dumps(found))
"""


@pytest.mark.parametrize(
    "where",
    [
        "memory",
        "a file",
        "a new file",
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_is_imported_while_a_revision_is_made(
    dialect: str, where: str, tmp_path: Path
) -> None:
    url = "memory:" if where == "memory" else f"sqlite:///{tmp_path}/plans.db"
    if where == "a file":
        TodoWrite("lean", store=url, session="other").add("A")
    found = json.loads(scripted(IMPORTS, dialect, url, tmp_path))
    assert found == {"held": [], "later": []}


# Forks

FORKS = """
import os, sqlite3, sys, threading, time
from todowright import TodoWrite

path, ready = sys.argv[1:]
url = f"sqlite:///{path}"
failures, slowest, stop = [], [0.0], threading.Event()

def write():
    todo, count = TodoWrite("twostate", store=url, agent="writer"), 0
    while not stop.is_set():
        count += 1
        if (reply := todo({"todos": [{"content": str(count)}]})).is_error:
            failures.append(reply.text)

def fork(name):
    todo = TodoWrite("twostate", store=url, agent=name)
    todo({"todos": [{"content": "before"}]})
    for count in range(150):
        started = time.monotonic()
        child = os.fork()
        if not child:
            failed = 1
            try:
                failed = int(todo({"todos": [{"content": str(count)}]}).is_error)
            finally:
                os._exit(failed)
        slowest[0] = max(slowest[0], time.monotonic() - started)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            failures.append(f"child {count} of {name}")

threads = [threading.Thread(target=fork, args=(name,), daemon=True) for name in ("one", "two")]
threads.append(threading.Thread(target=write, daemon=True))
for thread in threads:
    thread.start()
time.sleep(0.2)
open(ready, "w").close()
for thread in threads[:2]:
    thread.join(100)
stop.set()
threads[2].join(40)
alive = [thread.name for thread in threads if thread.is_alive()]
made = [TodoWrite("twostate", store=url, agent=name).plan.revision for name in ("one", "two")]
print(failures, alive, made, slowest[0] < 1 or slowest[0])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no forks")
def test_threads_that_fork_while_others_write_and_wait_neither_hang_nor_harm(
    tmp_path: Path,
) -> None:
    path, ready = tmp_path / "plans.db", tmp_path / "ready"
    TodoWrite("twostate", store=f"sqlite:///{path}", agent="x")({"todos": [{"content": "a"}]})
    hold = (
        "import os, sqlite3, sys, time\n"
        "while not os.path.exists(sys.argv[2]): time.sleep(0.01)\n"
        "other = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)\n"
        "other.execute('BEGIN IMMEDIATE'); time.sleep(2); other.execute('COMMIT')\n"
    )
    with subprocess.Popen([sys.executable, "-c", hold, str(path), str(ready)]) as holder:
        assert scripted(FORKS, path, ready, seconds=160) == "[] [] [151, 151] True\n"
    assert holder.returncode == 0


# Sub-agents that ended


def test_an_ended_sub_agent_leaves_one_revision_that_says_how(store: Store) -> None:
    todo = TodoWrite("lean", store=store)
    todo({"steps": ["A", "B"]}, tool="plan")
    with todo.subagent("search") as child:
        child({"steps": ["Look", "Tell"]}, tool="plan")
        child({"step": 1}, tool="done")
        name, began = child.agent, store.newest()
        heard: list[Change] = []
        child.on_change(heard.append)
        assert store.load("default", name).serves == 1
    done = threading.Event()
    done.set()
    entries = list(follow(store, after=began, pause=0.01, until=done.is_set))
    assert [(plan.agent, plan.revision, plan.todos) for _, plan in entries] == [(name, 3, ())]
    assert entries[0][1].ended == "unfinished, 1 of 2 done"
    assert [change.plan for change in heard] == [entries[0][1]]
    assert list(store.history("default", name)) == [entries[0][1]]
    assert child({"step": 2}, tool="done").issues[0].code == "ended"
    with pytest.raises(Refused, match="has ended"):
        child.add("More")
    with pytest.raises(Refused, match="has ended"):
        edit(store, store.load("default", name), [{"do": "add", "text": "More"}])
    assert texts(todo.plan) == ["A", "B"]


@pytest.mark.parametrize(
    ("steps", "how"),
    [(["Look"], "finished, 1 of 1 done"), (["Look", "Tell"], "unfinished, 1 of 2 done")],
)
def test_how_a_sub_agent_ended_is_kept(store: Store, steps: list[str], how: str) -> None:
    todo = TodoWrite("lean", store=store)
    with todo.subagent() as child:
        child({"steps": steps}, tool="plan")
        child({"step": 1}, tool="done")
    assert store.load("default", child.agent).ended == how


def test_a_sub_agent_that_failed_or_was_left_behind_says_so(store: Store) -> None:
    todo = TodoWrite("lean", store=store)
    with pytest.raises(OSError, match="gone"), todo.subagent("one") as child:
        child({"steps": ["Look"]}, tool="plan")
        raise OSError("gone")
    left = TodoWrite("lean", store=store, agent="main/two")
    left({"steps": ["Look"]}, tool="plan")
    TodoWrite("lean", store=store, agent="other/three")({"steps": ["Look"]}, tool="plan")
    todo.end_subagents()
    todo.end_subagents()
    ended = {plan.agent: (plan.revision, plan.ended) for plan in store.plans("default")}
    assert ended == {
        child.agent: (2, "failed, 0 of 1 done"),
        "main/two": (2, "interrupted, 0 of 1 done"),
        "other/three": (1, ""),
    }
    with todo.subagent("silent") as silent:
        pass  # it never made a plan: nothing is left of it
    assert silent.agent not in {plan.agent for plan in store.plans("default")}


def test_a_sub_agent_ends_also_while_somebody_else_edits_its_plan() -> None:
    class Busy(MemoryStore):
        late = 3

        def end(self, plan: Plan) -> None:
            if self.late:
                self.late -= 1
                edit(
                    another(self),
                    self.load(plan.session, plan.agent),
                    [{"do": "add", "text": "Late"}],
                )
            super().end(plan)

    todo = TodoWrite("lean", store=Busy())
    with todo.subagent() as child:
        child({"steps": ["Look"]}, tool="plan")
    assert todo.store.load("default", child.agent).ended == "unfinished, 0 of 4 done"


def test_who_judges_a_revision_may_not_end_the_plan_and_does_not_hang() -> None:
    store = MemoryStore()
    ends = TodoWrite("lean", store=store, agent="main/x")

    def verify(step: Todo) -> bool:
        ends.end("enough")
        return True

    todo = TodoWrite("lean", store=store, agent="main/x", verify=verify)
    todo({"steps": ["A"]}, tool="plan")
    worker = threading.Thread(
        target=todo, args=({"step": 1},), kwargs={"tool": "done"}, daemon=True
    )
    worker.start()
    worker.join(2)
    assert not worker.is_alive()


def test_trees_nest_many_children_at_every_depth() -> None:
    names = ["main"]
    for level in range(4):
        names += [f"{name}/{n}" for name in names if name.count("/") == level for n in range(5)]
    plans = [Plan(agent=name, revision=1) for name in names]
    (tree,) = trees(reversed(plans))

    def names_of(tree: Tree) -> list[str]:
        return [tree.plan.agent, *(name for each in tree.children for name in names_of(each))]

    assert sorted(names_of(tree)) == sorted(names)
    assert [len(tree.children), len(tree.children[0].children)] == [5, 5]
    assert tree.children[0].label == "4"


@pytest.mark.parametrize("depth", [400, 3_000])
def test_trees_nest_to_any_depth(depth: int) -> None:
    names = ["main"]
    while len(names) < depth:
        names.append(f"{names[-1]}/s")
    (tree,) = trees(Plan(agent=name) for name in names)
    for name in names[1:]:
        (tree,) = tree.children
        assert tree.plan.agent == name
    assert tree.children == ()


def test_a_sub_agent_whose_parent_has_no_plan_stands_under_the_next_one_that_has() -> None:
    plans = [Plan(agent=name, revision=1) for name in ("main", "main/a/b/c", "lone/d", "lone/d/e")]
    main, lone = trees(plans)
    assert [each.plan.agent for each in main.children] == ["main/a/b/c"]
    assert (lone.plan.agent, [each.plan.agent for each in lone.children]) == (
        "lone/d", ["lone/d/e"],
    )  # fmt: skip


# The same call again


def told(reply: Reply) -> tuple[object, ...]:
    """All that a host can see of a reply."""
    return reply.text, reply.display, reply.data, reply.is_error, reply.issues


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_same_call_again_gets_the_reply_it_had_and_changes_nothing(
    dialect: str, store: Store, tmp_path: Path
) -> None:
    calls: list[tuple[object, str | None]] = [
        (said(dialect, "A", "B"), None),  # accepted
        (said(dialect, ("A", "completed"), ("B", "completed")), None),  # finished, and logged
        ({"nonsense": [1, 2]}, None),  # refused
        (said(dialect, "A", ("B", "no such status")), None),
        (5, None),
        (said(dialect, "C"), "no such tool"),
    ]
    if dialect == "lean":
        calls += [({}, "plan"), ({"step": 1}, "done"), ({"steps": ["D"]}, "add")]
        calls += [({"step": 99}, "done"), ({"items": ["E"]}, "plan")]  # refused, mended
    replies, todo = [], TodoWrite(dialect, store=store, root=tmp_path)
    for count, (arguments, name) in enumerate(calls):
        replies.append(told(todo(arguments, tool=name, call_id=f"call {count}")))
    plan, newest = store.load("default", "main"), store.newest()
    heard: list[Change] = []
    fresh = TodoWrite(dialect, store=store, root=tmp_path)
    fresh.on_change(heard.append)
    for again in (todo, fresh):
        for count, (arguments, name) in enumerate(calls):
            repeated = again(arguments, tool=name, call_id=f"call {count}")
            assert told(repeated) == replies[count]
    assert store.load("default", "main") == plan
    assert (store.newest(), heard) == (newest, [])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_id_with_other_arguments_is_another_call(dialect: str, store: Store) -> None:
    todo = TodoWrite(dialect, store=store)
    for count, text in enumerate(["A", "B", "C"], 1):
        todo(said(dialect, text), call_id="call 1")
        assert store.load("default", "main").revision == count
    todo(said(dialect, "C"), call_id="call 1")
    assert store.load("default", "main").revision == 3
    todo(said(dialect, "D"), call_id="call 2")
    TodoWrite(dialect, store=store, agent="other")(said(dialect, "D"), call_id="call 2")
    assert store.load("default", "other").revision == 1


def test_an_id_with_other_arguments_that_are_no_json_is_another_call() -> None:
    todo = TodoWrite("lean")
    for count, text in enumerate(["A", "B"], 1):
        odd: dict[object, object] = {"steps": [text], 1: 2}
        todo(odd, tool="plan", call_id="call 1")
        assert todo.plan.revision == count


AGAIN = """
import json, sys
from todowright import TodoWrite
url, root, dialect, arguments = sys.argv[1:]
todo = TodoWrite(dialect, store=url, root=root)
reply = todo(json.loads(arguments), call_id="call 1")
print(json.dumps([reply.text, reply.data, reply.is_error, todo.plan.revision]))
"""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_same_call_in_another_process_gets_the_reply_it_had(
    dialect: str, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    arguments = said(dialect, "A", ("B", "completed"))
    todo = TodoWrite(dialect, store=url, root=tmp_path)
    reply = todo(arguments, call_id="call 1")
    todo.add("C")
    said_there = scripted(AGAIN, url, tmp_path, dialect, json.dumps(arguments))
    kept = json.loads(json.dumps([reply.text, reply.data, reply.is_error, 2]))
    assert json.loads(said_there) == kept
    assert todo.plan.revision == 2


@pytest.mark.parametrize("apart", [False, True], ids=["one writer", "a writer each"])
@pytest.mark.parametrize("dialect", ["lean", "smart", "envelope"])
def test_of_the_same_call_in_many_threads_at_once_exactly_one_is_made(
    dialect: str, apart: bool, store: Store, tmp_path: Path
) -> None:
    for turn in range(1, 6):
        replies: list[tuple[object, ...]] = []

        def ask(number: int, turn: int = turn, replies: list[Any] = replies) -> None:
            todo = TodoWrite(dialect, store=another(store) if apart else store, root=tmp_path)
            arguments = said(dialect, *[f"Step {n}" for n in range(turn)])
            replies.append(told(todo(arguments, call_id=f"call {turn}")))

        at_once(ask, threads=2 if turn % 2 else 8)
        assert store.load("default", "main").revision == turn
        assert all(reply == replies[0] for reply in replies)
        assert not replies[0][3]


def test_receipts_of_each_agent_are_bounded_also_where_several_take_turns(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/plans.db")
    many = KEPT_RECEIPTS + 300
    for number in range(many):
        for agent in ("a", "b"):
            store.keep(Receipt("s", agent, str(number), "", "{}"))
    oldest = [store.receipt("s", agent, "0") for agent in ("a", "b")]
    store.close()
    assert oldest == [None, None]


# A name for any text


@given(st.text(alphabet=st.characters()))
def test_any_text_makes_a_session_name_and_always_the_same(text: str) -> None:
    name = session_name(text)
    assert check_session(name) == name
    assert session_name(text) == name
    assert session_name(name) == name
    assert len(name) <= LONGEST_NAME


@given(st.text(alphabet=st.characters(), max_size=300), st.text(max_size=300))
def test_different_texts_make_different_session_names(one: str, other: str) -> None:
    assert (session_name(one) == session_name(other)) == (one == other)


@given(st.text(min_size=1, max_size=8), st.sampled_from(["/", "\\", " ", "\n", ".", "-", "\x00"]))
def test_texts_that_look_alike_make_different_session_names(text: str, mark: str) -> None:
    alike = [text, text + mark, mark + text, text + mark * 2, text * 90, text * 90 + mark]
    assert len({session_name(each) for each in alike}) == len(set(alike))


def test_a_session_name_can_be_read() -> None:
    assert session_name("Fix the login") == "Fix the login"
    assert session_name("thread_abc123") == "thread_abc123"
    assert session_name("repo/branch: fix\nlogin").startswith("repo-branch:-fix-login-")
    assert session_name("../../etc/passwd").startswith("etc-passwd-")
    assert session_name("修复 登录/测试").startswith("修复-登录-测试-")
    assert session_name("").startswith("session-")


# Files of earlier releases

OLD_TODOS: dict[int, list[list[object]]] = {
    1: [
        ["Read", "completed", "", "t3"],
        ["Own", "pending", "", "build-7"],
        ["Odd", "pending", "", "t007"],
        ["Write", "in_progress", "", "t4"],
        ["Far", "pending", "", "t6"],
    ],
    2: [
        ["Read", "completed", "", "t3", 1],
        ["Own", "pending", "", "build-7"],
        ["Write", "in_progress", "", "t4"],
        ["Same", "pending", "", "t5", 3],
    ],
}


def old_file(path: Path, schema: int, todos: list[list[object]]) -> Store:
    """A file as an earlier release left it: two revisions of a plan whose numbers began anew at 3."""
    connection = sqlite3.connect(path)
    folder = files("todowright.stores").joinpath("schema")
    for step in range(1, schema + 1):
        connection.executescript(folder.joinpath(f"sqlite-{step}.sql").read_text("utf-8"))
    made = ", made_by" if schema > 1 else ""
    for revision, by in ((1, "person"), (2, "")):
        values: list[object] = [
            "s",
            "main",
            revision,
            json.dumps(todos[:revision]),
            "",
            1_700,
            5,
            2,
            "",
        ]
        if revision == 2:
            values[3] = json.dumps(todos)
        values += [by] if schema > 1 else []
        marks = ", ".join("?" * len(values))
        connection.execute(
            "INSERT INTO revision (session, agent, revision, todos, summary, updated_at, issued, "
            f"numbered_from, log{made}) VALUES ({marks})",
            values,
        )
    connection.execute("PRAGMA application_id = 0x746F646F")
    connection.execute(f"PRAGMA user_version = {schema}")
    connection.commit()
    connection.close()
    return open_store(f"sqlite:///{path}")


@pytest.mark.parametrize("schema", [1, 2])
def test_a_plan_of_an_earlier_release_has_numbers_and_goes_on(schema: int, tmp_path: Path) -> None:
    store = old_file(tmp_path / "old.db", schema, OLD_TODOS[schema])
    old = store.load("s", "main")
    count = len(old.todos)
    assert texts(old) == [str(todo[0]) for todo in OLD_TODOS[schema]]
    numbers = [todo.number for todo in old.todos]
    assert min(numbers) >= 1
    assert len(set(numbers)) == count
    assert max(numbers) <= old.issued
    assert store.load("s", "main") == old
    assert [plan.by.kind for plan in store.history("s", "main")] == [
        "person" if schema > 1 else "agent", "agent",
    ]  # fmt: skip
    edit(store, old, [{"do": "complete", "step": "build-7"}])
    todo = TodoWrite("lean", store=store, session="s")
    write = next(each for each in todo.plan.todos if each.content == "Write")
    todo({"step": write.number}, tool="done")
    todo({"steps": ["New"]}, tool="add")
    plan = store.load("s", "main")
    done = [each.content for each in plan.todos if each.status == "completed"]
    assert done == ["Read", "Own", "Write"]
    assert [each.number for each in plan.todos[:count]] == numbers
    assert plan.todos[-1].number > max(numbers)
    assert (plan.revision, plan.dialect) == (5, "lean")
    again = open_store(f"sqlite:///{tmp_path}/old.db")
    assert again.load("s", "main") == plan
    store.close()
    again.close()


def test_a_number_that_the_model_was_shown_by_an_earlier_release_means_no_other_step(
    tmp_path: Path,
) -> None:
    rows: list[list[object]] = [[text, "pending", "", f"t{n}"] for n, text in enumerate("CDEF", 3)]
    store = old_file(tmp_path / "old.db", 2, rows)  # shown as 1 to 4: they began anew behind 2
    todo = TodoWrite("lean", store=store, session="s")
    todo({"step": 3}, tool="done")
    done = [each.content for each in todo.plan.todos if each.closed]
    store.close()
    assert done in ([], ["E"])


def read_old(labels: list[str], issued: int, *, five: bool) -> Plan:
    todos = [
        [f"Step {n}", "pending", "", label, *([0] if five else [])]
        for n, label in enumerate(labels)
    ]
    row: Any = ("s", "main", 1, json.dumps(todos), "", 0, issued, "", "", "", "", 0, "", 0, 0, "")
    plan = plan_of(row)
    assert plan_of(row) == plan
    return plan


@given(
    st.lists(st.sampled_from(["t1", "t2", "t3", "t4", "t9", "t007", "x", "y", ""]), max_size=8),
    st.integers(9, 12),
    st.booleans(),
)
def test_old_labels_of_every_kind_become_numbers_of_their_own(
    labels: list[str], issued: int, five: bool
) -> None:
    plan = read_old(labels, issued, five=five)
    numbers = [todo.number for todo in plan.todos]
    assert all(1 <= number <= plan.issued for number in numbers)
    assert len(set(numbers)) == len(numbers)


def test_old_labels_beyond_the_count_become_numbers_of_their_own() -> None:
    numbers = [todo.number for todo in read_old(["t5", "x"], 4, five=False).todos]
    assert len(set(numbers)) == 2
