"""`todowright clear`.

Empty a plan. What it held stays in its history.
"""

from __future__ import annotations

from typing import Any

from todowright.cli.place import add_place, chosen_agent, chosen_session, chosen_store

EXAMPLES = """examples:
  todowright clear
  todowright clear --session auth --agent main"""


def add_options(parser: Any) -> None:
    add_place(parser)


def run(options: Any) -> int:
    from todowright.tool.todowrite import TodoWrite

    todo = TodoWrite(
        "shell",
        store=chosen_store(options),
        session=chosen_session(options),
        agent=chosen_agent(options),
    )
    before = todo.plan
    if not before.todos:
        print(f"Nothing to clear: the plan of {before.session} is empty.")
        return 0
    todo.clear()
    left = sum(not item.closed for item in before.todos)
    tasks = "1 task" if len(before.todos) == 1 else f"{len(before.todos)} tasks"
    print(f"Cleared {tasks} of {before.session}, {left} of them open.")
    print("They are still in its history: todowright history")
    return 0
