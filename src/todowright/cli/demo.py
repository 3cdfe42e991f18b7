"""`todowright demo`.

An agent repairs a small broken repository: real tests fail, real edits, real tests pass. It gets a
helper with a plan of its own, a person adds a step meanwhile, and it is called back when it stops too
early. Its context is made too small on purpose, so that you see it fill, shrink, and the plan survive.
The model is a script: what it says is written down beforehand, everything else happens.

With --dialect it plays the design documents' own workflows instead.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from todowright.names import DIALECTS

if TYPE_CHECKING:
    from pathlib import Path

    from todowright.agent import Agent
    from todowright.agent.events import Event
    from todowright.cli.paint import Paint
    from todowright.cli.workflows import Workflow
    from todowright.plan.changes import Change
    from todowright.stores import Store

_PAUSE = 0.35
_WINDOW = 8200
"""Tokens: far too few for the whole run, so that the context must be made smaller."""


EXAMPLES = """examples:
  todowright demo
  todowright demo --dialect checklist     the workflow of a design document
  todowright demo --dialect all --fast"""


def add_options(parser: Any) -> None:
    parser.add_argument(
        "--dialect",
        choices=["all", *DIALECTS],
        help="play the workflows of this dialect, or of all",
    )
    parser.add_argument("--fast", action="store_true", help="do not pause between calls")


def run(options: Any) -> int:
    pause = 0.0 if options.fast or not sys.stdout.isatty() else _PAUSE
    return _workflows(options.dialect, pause) if options.dialect else _repair(pause)


def _repair(pause: float) -> int:
    import tempfile
    from datetime import UTC, datetime
    from pathlib import Path

    from todowright.cli import install_hint
    from todowright.cli.lanes import timeline_of
    from todowright.cli.paint import Paint
    from todowright.cli.timeline import print_timeline
    from todowright.stores import open_store

    paint = Paint(sys.stdout)
    first = paint.bold("A broken shop, a real work folder, real tests. ")
    print(first + paint.dim("The model is a script.\n"))
    with tempfile.TemporaryDirectory(prefix="todowright-demo-") as place:
        store = open_store(f"sqlite:///{place}/plans.db")
        failed = _repaired(Path(place), store, pause)
        print(paint.bold("\nWho was on what, and when:"))
        found = timeline_of(store, "demo", datetime.now(UTC))
        if found is not None:
            print_timeline(found)
        store.close()
    print(paint.dim("\nThat was a script. With a model of your own:"))
    print(f"  {install_hint('agent')}")
    print("  export ANTHROPIC_API_KEY=…           (or OPENAI_API_KEY)")
    print('  todowright agent "Fix the failing tests"')
    return int(failed)


def play(store: Store, pause: float = 1.2) -> None:
    """Let the script repair the shop at a walking pace, unseen but for its plan in the store."""
    import tempfile
    import time
    from contextlib import suppress
    from pathlib import Path

    from todowright.agent import events
    from todowright.cli import broken_shop
    from todowright.cli.repair_script import played
    from todowright.errors import TodowrightError

    with tempfile.TemporaryDirectory(prefix="todowright-demo-") as place, suppress(TodowrightError):
        broken_shop.build(Path(place))
        for event in played(_agent(Path(place), store), store):
            time.sleep(pause if isinstance(event, events.Thought | events.TodoUpdate) else 0)


def _agent(folder: Path, store: Store, transcript: Path | None = None) -> Agent:
    """The agent of the demo: its model is the script."""
    from todowright.agent import Agent, Limits, ScriptedModel
    from todowright.cli import repair_script
    from todowright.tool.todowrite import TodoWrite

    return Agent(
        ScriptedModel(repair_script.script(), summary=repair_script.SUMMARY),
        folder=folder,
        todo=TodoWrite("lean", store=store, session="demo"),
        limits=Limits(window=_WINDOW, max_tokens=1000),
        transcript=transcript,
    )


def _repaired(folder: Path, store: Store, pause: float) -> bool:
    """Let the script repair the shop before the viewer's eyes; whether it failed."""
    import time

    from todowright.agent import events
    from todowright.cli import broken_shop
    from todowright.cli.agent_view import view
    from todowright.cli.repair_script import WISH, played
    from todowright.plan.model import Plan

    broken_shop.build(folder)
    shown, failed = view(json=False), True
    agent = _agent(folder, store, folder / "demo.jsonl")
    with shown:
        for event in played(agent, store):
            if isinstance(event, Plan):
                shown.begin(event, [f"◆ somebody at the board (a script, too) adds: {WISH}"])
                time.sleep(pause * 3)
                continue
            shown.show(event)
            time.sleep(pause * _beats(event, agent))
            if isinstance(event, events.Ended) and event.agent == "main":
                failed = event.reason != "answer" or not event.plan.finished
    agent.close()
    shown.finish()
    return failed


def _beats(event: Event, agent: Agent) -> float:
    """How long a viewer needs for an event, in pauses: most for what is said, and what is special."""
    from todowright.agent import events

    if isinstance(event, events.Compaction | events.Reminder):
        return 5
    if isinstance(event, events.Thought):
        return 3 if event.text else 1
    if isinstance(event, events.TodoUpdate):
        return 2
    if isinstance(event, events.Observation) and event.tool not in agent.plan_tools:
        return 2
    return 0


def _workflows(dialect: str, pause: float) -> int:
    import tempfile
    from pathlib import Path

    from todowright.cli.paint import Paint
    from todowright.cli.workflows import WORKFLOWS

    paint = Paint(sys.stdout)
    chosen = [flow for flow in WORKFLOWS if dialect in ("all", flow.dialect)]
    print(paint.dim("Scripted calls, most from the design documents; no model is running.\n"))
    with tempfile.TemporaryDirectory() as folder:
        for workflow in chosen:
            _play(workflow, Path(folder), paint, pause)
    print("Next: give the tool to an agent in ten lines of Python, see README.md.")
    return 0


def _play(workflow: Workflow, folder: Path, paint: Paint, pause: float) -> None:
    import time

    from todowright.tool.todowrite import TodoWrite

    todo = TodoWrite(workflow.dialect, root=folder)
    changes: list[Change] = []
    todo.on_change(changes.append)
    print(paint.bold(f"━━ {workflow.dialect} ") + paint.dim(workflow.about))
    for tool, arguments in workflow.named_calls():
        changes.clear()
        print(paint.cyan(f"  → {tool or todo.dialect.tool_name} ") + paint.dim(_preview(arguments)))
        reply = todo(arguments, tool=tool)
        colour = paint.red if reply.is_error else paint.plain
        for line in _readable(reply.text).splitlines():
            print(colour(f"  ← {line}" if line else "  ←"))
        for change in changes:
            print(paint.green(f"  · {_told(change)}"))
        print()
        time.sleep(pause)
    for log in sorted(folder.glob("memory/todos/*.md")):
        print(paint.dim(f"  the log {log.relative_to(folder)}:"))
        print("".join(f"    {line}\n" for line in log.read_text("utf-8").splitlines()))
        log.unlink()


def _preview(arguments: Any) -> str:
    import json

    from todowright.text import clip, harmless

    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return clip(harmless(text), 90)


def _readable(text: str) -> str:
    """A JSON reply spread over lines for the eye; any other as it is."""
    import json

    if not text.startswith("{"):
        return text
    envelope = json.loads(text)
    return "\n".join(
        f"{key}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in envelope.items()
        if key != "context"
    )


def _told(change: Change) -> str:
    from todowright.text import harmless

    words = [f"{' and '.join(item.kinds)}: {harmless(item.todo.content)}" for item in change.items]
    return f"revision {change.plan.revision}: " + ("; ".join(words) or "nothing changed")
