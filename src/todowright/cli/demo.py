"""`todowright demo`.

Plays the design documents' own workflows, and one in lean: what the model sends, what it reads in reply, and what
the engine saw happen. The calls are written down beforehand; no model runs.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from todowright.changes import Change
    from todowright.cli.paint import Paint
    from todowright.cli.workflows import Workflow

_PAUSE = 0.4


HELP = "play the design documents' workflows through the dialects"
EXAMPLES = """examples:
  todowright demo
  todowright demo --dialect checklist --fast"""


def add_options(parser: Any) -> None:
    parser.add_argument(
        "--dialect",
        choices=["lean", "smart", "shell", "envelope", "checklist", "twostate"],
        help="play only this one",
    )
    parser.add_argument("--fast", action="store_true", help="do not pause between calls")


def run(options: Any) -> int:
    import tempfile
    from pathlib import Path

    from todowright.cli.paint import Paint
    from todowright.cli.workflows import WORKFLOWS

    paint = Paint(sys.stdout)
    pause = 0.0 if options.fast or not sys.stdout.isatty() else _PAUSE
    chosen = [flow for flow in WORKFLOWS if options.dialect in (None, flow.dialect)]
    print(paint.dim("Scripted calls, most from the design documents; no model is running.\n"))
    with tempfile.TemporaryDirectory() as folder:
        for workflow in chosen:
            _play(workflow, Path(folder), paint, pause)
    print("Next: give the tool to an agent in ten lines of Python, see README.md.")
    return 0


def _play(workflow: Workflow, folder: Path, paint: Paint, pause: float) -> None:
    import time

    from todowright.tool import TodoWrite

    todo = TodoWrite(workflow.dialect, root=folder)
    changes: list[Change] = []
    todo.on_change(changes.append)
    print(paint.bold(f"━━ {workflow.dialect} ") + paint.dim(workflow.about))
    for arguments in workflow.calls:
        changes.clear()
        verb = todo.dialect.verb(None, arguments) if todo.dialect.verbs else None
        name = verb.tool.name if verb else todo.dialect.tool_name
        print(paint.cyan(f"  → {name} ") + paint.dim(_preview(arguments)))
        reply = todo(arguments)
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
