"""`todowright agent`.

Give a task to an agent that plans. It works in a folder that its file tools cannot leave, keeps its
plan in view, and goes on after a crash. Ctrl-C stops it; --resume takes it up again.
"""

from __future__ import annotations

import os
import shlex
import signal
import sys
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from todowright.cli.numbers import at_least, minutes, positive
from todowright.cli.place import STORE, agent_home, store_url
from todowright.names import ALL_DIALECTS, file_name
from todowright.stores.urls import safe_url

if TYPE_CHECKING:
    from todowright.agent import Agent
    from todowright.agent.events import Event
    from todowright.cli.agent_view import View
    from todowright.stores.prices import Prices

EXAMPLES = """examples:
  todowright agent "Fix the failing tests"
  todowright agent "Where is the login checked?" --mode plan      only looks
  todowright agent --resume agent-20260302-141500 "Now update the docs"
  todowright agent "Translate README.md" --json | jq .event
  todowright agent "Do a task that is free" --list release        the list that others share

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
    parser.add_argument(
        "--folder", help="the work folder (default: this one; of a session, the one it had)"
    )
    parser.add_argument("--mode", choices=["ask", "auto", "plan"],
                        help="ask before each change, ask before grave commands only, or only look "
                        "(default: ask on a terminal, else auto)")  # fmt: skip
    parser.add_argument("--sandbox", action="store_true",
                        help="commands write in the work folder alone and reach no network; nothing is run where "
                        "the system has no such wall (Linux)")  # fmt: skip
    parser.add_argument(
        "--dialect",
        choices=ALL_DIALECTS,
        help="the form of the plan tool (default: lean, or as before)",
    )
    parser.add_argument(
        "--list",
        metavar="NAME",
        help="share the list of tasks of that session with others (the dialect is tasks)",
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
        "--rounds", type=positive, default=200, help="most rounds of calls (default: 200)"
    )
    group.add_argument("--tokens", type=positive, help="most tokens, read and written")
    group.add_argument(
        "--minutes", type=minutes, help="most minutes; a command that runs may end first"
    )
    group.add_argument("--window", type=_window, default=200_000,
                       help="tokens that the model's context holds (default: 200000, at least 4000)")  # fmt: skip
    group.add_argument("--price", type=_price, metavar="IN,OUT",
                       help="dollars a million tokens, to tell what it costs (default: $TODOWRIGHT_PRICE)")  # fmt: skip
    group.add_argument("--no-reminders", action="store_true", help="no nudges about the plan")


def _window(text: str) -> int:
    return int(at_least(text, 4000))  # less would not leave room for an answer


def _price(text: str) -> Prices:
    from todowright.errors import UnknownName
    from todowright.stores.prices import Prices

    try:
        return Prices(text)
    except UnknownName as error:
        raise ArgumentTypeError(str(error)) from None


def run(options: Any) -> int:
    from todowright.cli.agent_view import view
    from todowright.stores.prices import given_prices

    if options.task == "-":
        options.task = sys.stdin.read()
    if not options.task.strip() and not options.resume:
        print("todowright agent: say what to do, or --resume a session", file=sys.stderr)
        return 2
    options.price = options.price or given_prices(os.environ)
    shown = view(json=options.json)
    with ExitStack() as opened:
        agent, hints = _agent(options, shown)
        opened.callback(agent.todo.store.close)
        opened.callback(agent.close)
        opened.enter_context(stopped_by_signals())
        try:
            end = _shown(agent, options.task, shown, hints.watch)
        except KeyboardInterrupt as stop:
            shown.interrupted(agent)
            print(f"\nStopped. To go on: {hints.again}", file=sys.stderr)
            return 128 + (stop.args[0] if stop.args else signal.SIGINT)
        shown.farewell(agent, hints.again)
    return 0 if getattr(end, "reason", "error") == "answer" else 1


def _shown(agent: Agent, task: str, shown: View, watch: str) -> Event | None:
    """Show a run; its last event."""
    end = None
    with shown:
        asked = agent.transcript.asked[-1:] if not task else []
        shown.begin(agent.todo.plan, [*asked, f"watch it from elsewhere: {watch}"])
        for event in agent.run(task):
            shown.show(event)
            end = event
    return end


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Let who ends the process, or closes its terminal, stop a run as Ctrl-C does: nothing runs on."""

    def stop(number: int, _: object) -> None:
        raise KeyboardInterrupt(number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    heard = [
        number for number in numbers if signal.getsignal(number) != signal.SIG_IGN
    ]  # not nohup's
    try:
        before = {number: signal.signal(number, stop) for number in heard}
    except ValueError:  # not the main thread: signals are somebody else's
        before = {}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Hints(NamedTuple):
    """Commands to tell a person."""

    again: str
    watch: str


def _agent(options: Any, shown: View) -> tuple[Agent, Hints]:
    """The agent that the options ask for, and what to do with it later."""
    from todowright.agent import Agent, Limits, load_model
    from todowright.agent.work.folder import WorkFolder
    from todowright.cli.agent_settings import session_of, settings_of
    from todowright.tool.todowrite import TodoWrite

    folder = WorkFolder(options.folder or ".").root
    home = agent_home(folder)
    session = session_of(options, os.path.join(home, "agent"))
    kept = os.path.join(home, "agent", file_name(session))
    talks = (
        sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty() and not options.json
    )
    settings = settings_of(options, home, session, folder=folder, talks=talks)
    folder = WorkFolder(settings.folder).root
    model = load_model(settings.model)
    settings.hide(home)
    agent = Agent(
        model,
        folder=folder,
        todo=TodoWrite(
            settings.dialect, store=settings.store, session=settings.list or session, root=folder
        ),
        mode=settings.mode,
        ask=shown.ask if talks else None,
        limits=Limits(
            rounds=options.rounds,
            tokens=options.tokens,
            seconds=options.minutes and options.minutes * 60,
            window=options.window,
        ),
        reminders=not options.no_reminders,
        sandbox=settings.sandbox,
        prices=options.price,
        transcript=f"{kept}.jsonl",
        on_text=shown.hear,
    )
    shown.price = agent.prices.price(agent.model.name)
    agent.label = session[:60] if settings.list else ""
    settings.keep(f"{kept}.json")
    here, name = os.getcwd(), shlex.quote(session)
    place = "" if folder == here else f" --folder {shlex.quote(folder)}"
    default = store_url(os.environ, here)
    store = "" if settings.store == default else f" --store {shlex.quote(safe_url(settings.store))}"
    return agent, Hints(
        f"todowright agent --resume {name}{place}",
        f"todowright watch --session {shlex.quote(settings.list or session)}{store}",
    )
