"""`todowright agent`.

Give a task to an agent that plans. It works in a folder that its file tools cannot leave, keeps its
plan in view, and goes on after a crash. Ctrl-C stops it; --resume takes it up again.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from todowright.cli.place import FOLDER, STORE, store_url

if TYPE_CHECKING:
    from todowright.agent import Agent
    from todowright.cli.agent_view import View

HELP = "give a task to an agent that plans"
EXAMPLES = """examples:
  todowright agent "Fix the failing tests"
  todowright agent "Where is the login checked?" --mode plan      only looks
  todowright agent --resume agent-20260302-141500 "Now update the docs"
  todowright agent "Translate README.md" --json | jq .event

models (--model, or TODOWRIGHT_MODEL):
  anthropic:NAME     the key in ANTHROPIC_API_KEY
  openai:NAME        the key in OPENAI_API_KEY; a server of your own in OPENAI_BASE_URL:
                     OPENAI_BASE_URL=http://localhost:11434/v1 todowright agent … --model openai:qwen3
  scripted:FILE      follows a script, for tests: {"text": …, "calls": [[tool, arguments]]} a line"""


def add_options(parser: Any) -> None:
    parser.add_argument("task", nargs="?", default="", help="what to do; - reads it from a pipe")
    parser.add_argument(
        "--model", metavar="NAME", help="PROVIDER:NAME (default: by the key there is)"
    )
    parser.add_argument("--folder", default=".", help="the work folder (default: this one)")
    parser.add_argument("--mode", choices=["ask", "auto", "plan"],
                        help="ask before each change, ask before grave commands only, or only look "
                        "(default: ask on a terminal, else auto)")  # fmt: skip
    parser.add_argument(
        "--dialect",
        choices=["lean", "smart", "shell", "envelope", "checklist", "twostate"],
        default="lean",
        help="the form of the plan tool",
    )
    parser.add_argument("--json", action="store_true", help="print every event as a line of JSON")
    group = parser.add_argument_group("sessions")
    group.add_argument("--session", metavar="NAME", help="name the session (default: by the time)")
    group.add_argument("--resume", metavar="SESSION", help="go on with a session")
    group.add_argument(
        "--store", metavar="URL", help=f"where plans live (default: ${STORE}, else the project's)"
    )
    group = parser.add_argument_group("limits")
    group.add_argument(
        "--rounds", type=int, default=200, help="most rounds of calls (default: 200)"
    )
    group.add_argument("--tokens", type=int, help="most tokens, read and written")
    group.add_argument("--minutes", type=float, help="most minutes")
    group.add_argument(
        "--window",
        type=int,
        default=200_000,
        help="tokens that the model's context holds (default: 200000)",
    )
    group.add_argument(
        "--price", metavar="IN,OUT", help="dollars a million tokens, to show what it costs"
    )
    group.add_argument("--no-reminders", action="store_true", help="no nudges about the plan")


def run(options: Any) -> int:
    from todowright.cli.agent_view import Price, view

    if options.task == "-":
        options.task = sys.stdin.read()
    if not options.task.strip() and not options.resume:
        print("todowright agent: say what to do, or --resume a session", file=sys.stderr)
        return 2
    shown = view(json=options.json, price=Price.read_from(options.price))
    agent = _agent(options, shown)
    session = agent.todo.session
    try:
        with shown:
            end = None
            for event in agent.run(options.task):
                shown.show(event)
                end = event
    except KeyboardInterrupt:
        print(f"\nStopped. Go on with: todowright agent --resume {session}", file=sys.stderr)
        return 130
    finally:
        agent.close()
        agent.todo.store.close()
    reason = getattr(end, "reason", "error")
    if not options.json:
        shown.farewell(agent, session)
    return 0 if reason == "answer" else 1


def _agent(options: Any, shown: View) -> Agent:
    from datetime import datetime

    from todowright.agent import Agent, Limits, load_model
    from todowright.errors import UnknownName
    from todowright.names import check_session
    from todowright.tool import TodoWrite
    from todowright.work.folder import WorkFolder

    folder = WorkFolder(options.folder).root
    session = options.resume or options.session or f"agent-{datetime.now():%Y%m%d-%H%M%S}"
    home = os.path.join(folder, FOLDER, "agent")
    transcript = os.path.join(home, f"{check_session(session)}.jsonl")
    if options.resume and not os.path.exists(transcript):
        known = ", ".join(_known(home)) or "none"
        raise UnknownName(f"there is no session {session} to resume in {folder}: there is {known}")
    model = load_model(options.model)
    talks = (
        sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty() and not options.json
    )
    _hide(os.path.join(folder, FOLDER))
    return Agent(
        model,
        folder=folder,
        todo=TodoWrite(
            options.dialect,
            store=options.store or store_url(os.environ, folder),
            session=session,
            root=folder,
        ),
        mode=options.mode or ("ask" if talks else "auto"),
        ask=shown.ask if talks else None,
        limits=Limits(
            rounds=options.rounds,
            tokens=options.tokens,
            seconds=options.minutes and options.minutes * 60,
            window=options.window,
        ),
        reminders=not options.no_reminders,
        transcript=transcript,
        on_text=shown.hear,
    )


def _known(home: str) -> list[str]:
    try:
        names = os.listdir(home)
    except OSError:
        return []
    return sorted(name.removesuffix(".jsonl") for name in names if name.endswith(".jsonl"))[-5:]


def _hide(folder: str) -> None:
    """Keep our folder out of version control."""
    os.makedirs(folder, exist_ok=True)
    ignore = os.path.join(folder, ".gitignore")
    if not os.path.exists(ignore):
        with open(ignore, "w", encoding="utf-8") as file:
            file.write("*\n")
