"""`todowright tasks`.

Add tasks to a list that many workers share, or show it. A list belongs to a session: who names the session, opens it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from todowright.cli.place import add_place, chosen_session, chosen_store
from todowright.text import harmless, json_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from todowright import TodoWrite

EXAMPLES = """examples:
  todowright tasks --session release "Build" "Test" "Ship"
  todowright tasks --session release --chain "Build" "Test" "Ship"   each waits for the one before
  todowright tasks --session release --blocked-by 1,2 "Announce"
  ls *.csv | todowright tasks --session import -                     a task for each line
  todowright tasks --session release                                 shows the list
  todowright tasks --session release --retry                         what failed is ready again"""


def add_options(parser: Any) -> None:
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT",
                        help="what is to be done; - reads a subject from each line of standard input")  # fmt: skip
    parser.add_argument("--description", default="", metavar="TEXT", help="of the new tasks")
    parser.add_argument("--blocked-by", default="", metavar="IDS",
                        help="the tasks that the new ones wait for")  # fmt: skip
    parser.add_argument(
        "--chain", action="store_true", help="each new task waits for the one before"
    )
    parser.add_argument("--retry", action="store_true", help="let what failed be done again")
    parser.add_argument("--json", action="store_true", help="show the list as JSON")
    add_place(parser, agent=False)


def run(options: Any) -> int:
    from todowright import TodoWrite

    with TodoWrite("tasks", store=chosen_store(options), session=chosen_session(options)) as todo:
        was = todo.plan.dialect
        subjects = list(_subjects(options.subjects))
        if options.retry:
            _retry(todo)
        elif subjects:
            _add(todo, subjects, options)
        elif options.subjects:
            print("Nothing was added: standard input had no lines.", file=sys.stderr)
        else:
            return _show(todo, json=options.json)
        if was not in ("", "tasks") and todo.plan.dialect == "tasks":
            told = f"The plan of session {todo.session} was in the dialect {harmless(was)}: its steps are tasks now."
            print(told, file=sys.stderr)
    return 0


def _subjects(given: list[str]) -> Iterator[str]:
    for each in given:
        if each != "-":
            yield each
            continue
        yield from (line.strip() for line in sys.stdin if line.strip())


def _add(todo: TodoWrite, subjects: list[str], options: Any) -> None:
    from todowright import Author

    texts = {"description": options.description, "blockedBy": options.blocked_by}
    for subject in subjects:
        given = {key: text for key, text in texts.items() if text}
        plan = todo.add(subject, by=Author("program", "todowright tasks"), **given)
        task = plan.todos[-1]
        if options.chain:
            texts["blockedBy"] = str(task.number)
        print(f"#{task.number} {harmless(task.content)}")


def _retry(todo: TodoWrite) -> None:
    """Take the names of those away who gave tasks up: then anybody may do them."""
    from todowright.tasks.fleet import fleet_of

    failed = [
        task for task in fleet_of(todo.store, todo.session).tasks
        if task.state == "failed" and task.agent == "main"
    ]  # fmt: skip
    for task in failed:
        changed = {"taskId": task.number, "owner": "", "metadata": {"failed": None}}
        reply = todo(changed, tool="TaskUpdate")
        print(reply.display if reply.is_error else f"#{task.number} {harmless(task.subject)}")
    if not failed:
        print("Nothing has failed.", file=sys.stderr)


def _show(todo: TodoWrite, *, json: bool) -> int:
    reply = todo({}, tool="TaskList")
    if json:
        print(json_text(reply.data, indent=2))
    elif todo.plan.todos:
        print(reply.display)
    else:
        name = harmless(todo.session)
        told = f"No tasks in session {name} yet. Add one:  todowright tasks --session {name} 'Build the site'"
        print(told, file=sys.stderr)
    return 0
