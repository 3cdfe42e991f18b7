"""`todowright fit`.

Find out which dialect fits a model. It is given small tasks in every dialect, nine stages each: it makes the plan,
reports steps finished, and adds, inserts, drops and rewords steps. Its calls are made on a plan in memory, and the
plan that stands then is judged. No command that it writes is run. Ctrl-C ends it, and shows what there is so far.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from todowright.cli.numbers import minutes, positive, seconds
from todowright.names import DIALECTS

if TYPE_CHECKING:
    from todowright.agent.providers import Answer, Model
    from todowright.fitting.judge import Said
    from todowright.fitting.run import Ask, Question, Result

EXAMPLES = """examples:
  todowright fit --model openai:gpt-5.5
  OPENAI_BASE_URL=http://localhost:11434/v1 todowright fit --model openai:qwen3
  todowright fit --dialect lean --dialect smart --tasks 10 --out fit.md --json fit.json

The report goes to standard output, as Markdown in a pipe; the progress to standard error."""
TRIES, LONGEST_WAIT = 6, 30.0
"""Half a minute in all: some servers load the model when they are first asked."""


def add_options(parser: Any) -> None:
    parser.add_argument(
        "--model", metavar="NAME", help="PROVIDER:NAME, as for agent (default: by the key there is)"
    )
    parser.add_argument("--dialect", action="append", metavar="NAME",
                        help=f"one of {', '.join(DIALECTS)}, or pkg.mod:NAME for a list dialect of your own; "
                        "again for more (default: all six)")  # fmt: skip
    parser.add_argument(
        "--tasks", type=positive, default=5, metavar="N", help="how many tasks (default: 5)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="other tasks by another seed (default: 1)"
    )
    parser.add_argument("--out", metavar="FILE", help="write the report there, as Markdown")
    parser.add_argument("--json", metavar="FILE", help="write it there as JSON, with every answer")
    group = parser.add_argument_group("limits")
    group.add_argument("--minutes", type=minutes, metavar="N", help="most minutes of the whole run")
    group.add_argument("--seconds", type=seconds, default=120.0, metavar="N",
                       help="most seconds of one answer (default: 120)")  # fmt: skip
    group.add_argument("--tokens", type=positive, default=2000, metavar="N",
                       help="most tokens of one answer (default: 2000)")  # fmt: skip


class TimeIsUp(Exception):
    """The minutes of the run are over."""


def run(options: Any) -> int:
    from todowright.agent.providers import load_model
    from todowright.fitting.forms import form_of

    forms = [form_of(name) for name in dict.fromkeys(options.dialect or DIALECTS)]
    _check_files(options)
    ask = _asking(load_model(options.model), options)
    found: list[Result] = []
    ended, code = _gathered(options, forms, ask, found)
    if all(result.outcome == "unanswered" for result in found):
        return _told(ended, code)
    _report(options, found, ended)
    return _told(ended if code == 1 else "", code)


def _told(ended: str, code: int) -> int:
    if ended:
        print(f"todowright fit: {ended}", file=sys.stderr)
    return code


def _gathered(options: Any, forms: Any, ask: Ask, found: list[Result]) -> tuple[str, int]:
    """Ask, and keep every result in `found`; why it ended early, if it did, and the exit code."""
    from todowright.cli.agent import stopped_by_signals
    from todowright.cli.fit_view import progress
    from todowright.errors import TodowrightError
    from todowright.fitting.run import results
    from todowright.fitting.stages import STAGES
    from todowright.fitting.tasks import make_tasks

    tasks = make_tasks(options.tasks, options.seed)
    total = len(tasks) * len(forms) * len(STAGES)
    try:
        with stopped_by_signals(), progress(len(tasks), total) as show:
            for result in results(forms, tasks, ask):
                found.append(result)
                show(result)
    except KeyboardInterrupt as stop:
        return "it was stopped", 128 + (stop.args[0] if stop.args else signal.SIGINT)
    except TimeIsUp:
        return f"after {options.minutes:g} minutes, with {len(found)} of {total} questions asked", 0
    except TodowrightError as error:
        return str(error), 1
    return "", 0


def _asking(model: Model, options: Any) -> Ask:
    """A function that asks the model, again where its provider stumbles, within the limits."""
    from todowright.agent.providers import ModelError, Request, asked
    from todowright.fitting.run import NoAnswer

    end = time.monotonic() + options.minutes * 60 if options.minutes else float("inf")

    def ask(question: Question) -> Said:
        for tries in range(TRIES):
            began = time.monotonic()
            if began >= end:
                raise TimeIsUp
            limit = min(options.seconds, end - began)
            request = Request(
                question.system, question.messages, question.tools, options.tokens, seconds=limit
            )
            try:
                return _said(asked(model, request, lambda _: None), question)
            except ModelError as error:
                if time.monotonic() >= end:
                    raise TimeIsUp from None
                if not (error.transient or error.too_long):
                    raise
                slow = time.monotonic() - began > limit / 2
                if error.too_long or slow or tries == TRIES - 1:
                    raise NoAnswer(str(error)) from None
                wait = 2.0**tries if error.wait is None else error.wait
                time.sleep(max(0.0, min(wait, LONGEST_WAIT, end - time.monotonic())))
        raise AssertionError("the last try answers or raises")

    return ask


def _said(answer: Answer, question: Question) -> Said:
    """The answer; a call that was written as text counts where the agent would take it, too."""
    from todowright.fitting.judge import Made, Said
    from todowright.host.text_calls import calls_in_text

    calls = tuple(Made(call.name, call.arguments, call.fault) for call in answer.calls)
    if not calls:
        offered = {tool.name: tool.input_schema for tool in question.tools}
        found = calls_in_text(answer.text, offered)
        calls = tuple(Made(call.name, call.arguments) for call in found)
    return Said(answer.text, calls, answer.usage.written)


def _check_files(options: Any) -> None:
    """Refuse a file that could not be written, before an hour of questions."""
    from todowright.errors import TodowrightError
    from todowright.project_files import named_file

    paths = [named_file(path) for path in (options.out, options.json) if path]
    if len(set(paths)) < len(paths):
        raise TodowrightError("--out and --json name the same file: name two")
    for path in paths:
        if os.path.isdir(path):
            raise TodowrightError(f"{path} is a folder: name a file in it")
        place = path if os.path.exists(path) else os.path.dirname(path)
        if not os.access(place, os.W_OK):
            raise TodowrightError(f"{path} cannot be written: name a file in a folder of yours")


def _report(options: Any, found: list[Result], ended: str) -> None:
    """Show the report, and write the files that were asked for."""
    from todowright import __version__
    from todowright.agent.providers import model_name
    from todowright.cli.fit_view import show_report
    from todowright.fitting import report
    from todowright.project_files import named_file
    from todowright.text import json_text

    about = report.About(model_name(options.model), options.tasks, options.seed, __version__, ended)
    rows = report.figures(found)
    show_report(about, rows)
    forms: list[tuple[str | None, Callable[[], str]]] = [
        (options.out, lambda: report.markdown(about, rows)),
        (options.json, lambda: json_text(report.data(about, rows, found), indent=2) + "\n"),
    ]
    for path, made in forms:
        if path:
            with open(named_file(path), "w", encoding="utf-8") as file:
                file.write(made())
            print(f"Wrote {path}.", file=sys.stderr)
