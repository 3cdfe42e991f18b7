"""`todowright worker`.

Take the tasks of a list, one after the other, and run a command for each. The command gets the task as one line of JSON
on standard input and in its environment (TODOWRIGHT_TASK, TODOWRIGHT_SUBJECT, TODOWRIGHT_DESCRIPTION). Exit code 0 means
done. Each task goes to one worker only; a worker that dies loses its task to another when its lease ends.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from todowright.cli.numbers import at_least, positive, seconds
from todowright.cli.place import add_place, chosen_session, chosen_store
from todowright.errors import UnknownName
from todowright.text import a_few, clip, harmless, shown

if TYPE_CHECKING:
    from threading import Event

    from todowright.tasks import Claims, Ended, Worker

EXAMPLES = """examples:
  todowright worker --session release -- ./build.sh
  todowright worker --n 4 --drain -- claude -p "Do the task that you read"
  todowright worker -- sh -c 'echo "$TODOWRIGHT_SUBJECT"'"""
MARKS = {"done": "✓", "failed": "✗", "lost": "?", "released": "○"}


def add_options(parser: Any) -> None:
    parser.add_argument(
        "words", nargs="+", metavar="COMMAND", help="what to run for each task, behind --"
    )
    parser.add_argument(
        "--n", type=positive, default=1, metavar="N", help="so many at once (default: 1)"
    )
    parser.add_argument("--name", default="", help="of the worker (default: host and process)")
    parser.add_argument("--lease", type=seconds, default=60.0, metavar="SECONDS",
                        help="how long a worker may be silent (default: 60)")  # fmt: skip
    parser.add_argument("--retries", type=lambda text: int(at_least(text, 0)), default=2, metavar="N",
                        help="how often a task that fails is tried again (default: 2)")  # fmt: skip
    parser.add_argument("--drain", action="store_true", help="end when no task is left to do")
    add_place(parser, agent=False)


def run(options: Any) -> int:
    import os
    import platform
    import shutil
    import threading

    from todowright.tasks import Claims, Worker, WorkerOptions

    if shutil.which(options.words[0]) is None:  # else every task would fail by it
        raise UnknownName(f"there is no command {shown(options.words[0], 60)}: check its name")
    store, session = chosen_store(options), chosen_session(options)
    name = options.name or f"{platform.node()[:40].strip('.-') or 'worker'}-{os.getpid()}"
    how = WorkerOptions(options.words, options.lease, options.retries, drain=options.drain)
    lock = threading.Lock()

    def report(ended: Ended) -> None:
        with lock, suppress(BrokenPipeError):  # nobody reads any more: the work goes on
            print(_line(ended), flush=True)

    claims = Claims(store, session, lease=options.lease)
    names = [name] if options.n == 1 else [f"{name}.{n}" for n in range(1, options.n + 1)]
    stopped = _worked([Worker(claims, each, how, report) for each in names])
    if stopped:
        return stopped
    return _told_what_is_left(claims)


def _told_what_is_left(claims: Claims) -> int:
    """Say which tasks are open after all; 1 if there are some."""
    left = claims.plan.open
    if left:
        named = a_few([f"#{task.number} {harmless(clip(task.content, 40))}" for task in left])
        print(f"left: {named}. See: TaskList, or todowright show", file=sys.stderr)
    return 1 if left else 0


class _Signalled(KeyboardInterrupt):
    """A signal that ends the work as Ctrl-C does."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _worked(workers: Sequence[Worker]) -> int:
    """Let all of them work to their end; another exit code than 0 if somebody stopped them, or one broke."""
    import threading

    ends = [threading.Event() for _ in workers]
    broken: list[BaseException] = []

    def work(worker: Worker, end: threading.Event) -> None:
        try:
            worker.run()
        except BaseException as error:
            broken.append(error)
        finally:
            end.set()

    code, begun = 0, 0
    try:
        _heed_signals()
        for worker, end in zip(workers, ends, strict=True):
            threading.Thread(target=work, args=(worker, end)).start()
            begun += 1
        _wait(ends)
    except KeyboardInterrupt as stop:
        code = 128 + (stop.number if isinstance(stop, _Signalled) else 2)
        print("stopping: what is being worked on is given back", file=sys.stderr)
        for worker in workers:
            worker.stop()
        _wait(ends[:begun])
    if broken and not code:
        raise broken[0]
    return code


def _heed_signals() -> None:
    """Let the system's own ways to end a process end it as Ctrl-C does."""
    import signal
    import threading

    def stop(number: int, _: object) -> None:
        raise _Signalled(number)

    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # `nohup`
                signal.signal(number, stop)


def _wait(ends: Sequence[Event]) -> None:
    """Wait for all of them. An interrupted `Thread.join` would leave the threads as if they had ended."""
    for end in ends:
        while not end.wait(0.2):
            pass


def _line(ended: Ended) -> str:
    claim = ended.claim
    why = f": {harmless(clip(ended.why, 100))}" if ended.why else ""
    text = harmless(clip(claim.subject, 80))
    return (
        f"{MARKS[ended.outcome]} #{claim.number} {text} ({claim.owner}, {ended.seconds:.1f} s){why}"
    )
