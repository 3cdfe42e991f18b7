"""`todowright agent`.

Give a task to an agent that plans. It works in a folder that its file tools cannot leave, keeps its
plan in view, and goes on after a crash. Ctrl-C stops it; --resume takes it up again.
"""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

from todowright.cli.place import FOLDER, STORE, store_url
from todowright.text import harmless

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
        help="the form of the plan tool (default: lean, or as before)",
    )
    parser.add_argument("--json", action="store_true", help="print every event as a line of JSON")
    group = parser.add_argument_group("sessions").add_mutually_exclusive_group()
    group.add_argument("--session", metavar="NAME", help="name the session (default: by the time)")
    group.add_argument("--resume", metavar="SESSION", help="go on with a session")
    parser.add_argument(
        "--store", metavar="URL", help=f"where plans live (default: ${STORE}, else the project's)"
    )
    group = parser.add_argument_group("limits")
    group.add_argument(
        "--rounds", type=_positive, default=200, help="most rounds of calls (default: 200)"
    )
    group.add_argument("--tokens", type=_positive, help="most tokens, read and written")
    group.add_argument(
        "--minutes", type=_minutes, help="most minutes; a command that runs may end first"
    )
    group.add_argument("--window", type=_positive, default=200_000,
                       help="tokens that the model's context holds (default: 200000)")  # fmt: skip
    group.add_argument("--price", type=_price, metavar="IN,OUT",
                       help="dollars a million tokens, to show what it costs")  # fmt: skip
    group.add_argument("--no-reminders", action="store_true", help="no nudges about the plan")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _minutes(text: str) -> float:
    number = float(text)
    if not 0 < number < 1e6:
        raise ValueError
    return number


def _price(text: str) -> tuple[float, float]:
    read, written = (float(part) for part in text.split(","))
    if read < 0 or written < 0:
        raise ValueError
    return read, written


_positive.__name__, _minutes.__name__, _price.__name__ = "number", "number", "pair like 3,15"


def run(options: Any) -> int:
    from todowright.cli.agent_view import view
    from todowright.cli.agent_words import Price

    if options.task == "-":
        options.task = sys.stdin.read()
    if not options.task.strip() and not options.resume:
        print("todowright agent: say what to do, or --resume a session", file=sys.stderr)
        return 2
    shown = view(json=options.json, price=Price(*options.price) if options.price else None)
    agent, again = _agent(options, shown)
    session, end = agent.todo.session, None
    try:
        with shown:
            asked = agent.transcript.asked[-1:] if not options.task else []
            shown.begin(
                agent.todo.plan,
                [*asked, f"watch it from elsewhere: todowright watch --session {session}"],
            )
            for event in agent.run(options.task):
                shown.show(event)
                end = event
    except KeyboardInterrupt:
        shown.interrupted(agent)
        print(f"\nStopped. To go on: {again}", file=sys.stderr)
        return 130
    finally:
        agent.close()
        agent.todo.store.close()
    shown.farewell(agent, again)
    return 0 if getattr(end, "reason", "error") == "answer" else 1


def _agent(options: Any, shown: View) -> tuple[Agent, str]:
    """The agent that the options ask for, and the command that goes on with it."""
    from todowright.agent import Agent, Limits, load_model
    from todowright.tool import TodoWrite
    from todowright.work.folder import WorkFolder

    folder = WorkFolder(options.folder).root
    home = os.path.join(folder, FOLDER, "agent")
    session, about = _session(options, home, folder)
    talks = (
        sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty() and not options.json
    )
    model = load_model(options.model or about.get("model"))
    _hide(os.path.join(folder, FOLDER))
    about = {
        "model": options.model or about.get("model"),
        "dialect": about.get("dialect") or options.dialect or "lean",
        "mode": options.mode or about.get("mode") or ("ask" if talks else "auto"),
        "store": options.store or about.get("store") or store_url(os.environ, folder),
    }
    _remember(home, session, about)
    agent = Agent(
        model,
        folder=folder,
        todo=TodoWrite(about["dialect"], store=about["store"], session=session, root=folder),
        mode=about["mode"],
        ask=shown.ask if talks else None,
        limits=Limits(
            rounds=options.rounds,
            tokens=options.tokens,
            seconds=options.minutes and options.minutes * 60,
            window=options.window,
        ),
        reminders=not options.no_reminders,
        transcript=os.path.join(home, f"{session}.jsonl"),
        on_text=shown.hear,
    )
    place = "" if folder == os.getcwd() else f" --folder {shlex.quote(folder)}"
    return agent, f"todowright agent --resume {shlex.quote(session)}{place}"


def _session(options: Any, home: str, folder: str) -> tuple[str, dict[str, Any]]:
    """The session, a new one or one to go on with, and with what it was run before."""
    import json
    from datetime import datetime

    from todowright.errors import UnknownName
    from todowright.names import check_session

    fresh = f"agent-{datetime.now():%Y%m%d-%H%M%S}-{os.urandom(2).hex()}"
    session = check_session(options.resume or options.session or fresh)
    there = os.path.exists(os.path.join(home, f"{session}.jsonl"))
    if not options.resume:
        if there:
            raise UnknownName(
                f"there is a session {session} already: --resume {session}, or another name"
            )
        return session, {}
    if not there:
        known = ", ".join(_known(home))
        told = f"those are {known}" if known else "none was begun there"
        raise UnknownName(f"there is no session {session} to resume in {folder}: {told}")
    try:
        with open(os.path.join(home, f"{session}.json"), encoding="utf-8") as file:
            about = json.load(file)
    except (OSError, ValueError):
        about = {}
    if options.dialect and options.dialect != about.get("dialect", options.dialect):
        raise UnknownName(f"session {session} speaks {about['dialect']}: leave --dialect out")
    return session, about if isinstance(about, dict) else {}


def _remember(home: str, session: str, about: dict[str, Any]) -> None:
    """Keep with what a session is run, so that it goes on alike."""
    import json

    os.makedirs(home, exist_ok=True)
    with open(os.path.join(home, f"{session}.json"), "w", encoding="utf-8") as file:
        json.dump(about, file)


def _known(home: str) -> list[str]:
    try:
        names = os.listdir(home)
    except OSError:
        return []
    found = sorted(name.removesuffix(".jsonl") for name in names if name.endswith(".jsonl"))
    return [harmless(name) for name in found[-5:]]


def _hide(folder: str) -> None:
    """Keep our folder out of version control."""
    os.makedirs(folder, exist_ok=True)
    ignore = os.path.join(folder, ".gitignore")
    if not os.path.exists(ignore):
        with open(ignore, "w", encoding="utf-8") as file:
            file.write("*\n")
