"""Work for an event loop that would block it: done by a thread, in the order in which it was asked for.

asyncio is not loaded before something is awaited.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

T = TypeVar("T")
_LOOK = 0.5
"""Seconds between two looks whether the event loop is still there, while a thread waits for it."""
_LINGER = 0.1
"""Seconds that a thread waits for another job. A new one costs more than most jobs; a program that ends waits for it."""
NOBODY_WAITS = (
    "it is checked by an async function: use `await todo.acall(…)` or `await todo.aedit(…)`"
)
GONE = "its check was cancelled"

_job: ContextVar[Job[Any] | None] = ContextVar("job", default=None)
"""What a thread does for an event loop. Whatever is begun from there has it, too, but not the thread."""
_outer: ContextVar[tuple[Job[Any], ...]] = ContextVar("outer", default=())
"""The jobs that wait for what runs here, in the event loop."""


_SETTLING: dict[int, asyncio.AbstractEventLoop] = {}
"""The threads that wait for something that runs in an event loop, and that loop."""


def waits_for_this_loop(thread: int | None) -> bool:
    """Whether a thread waits for the event loop that runs here: who waits for the thread waits for good."""
    loop = None if thread is None else _SETTLING.get(thread)
    if loop is None:
        return False
    from asyncio import get_running_loop

    try:
        return get_running_loop() is loop
    except RuntimeError:  # no loop runs here
        return False


def is_awaited() -> bool:
    """Whether this is done for an event loop, so that something may be awaited there."""
    job = _job.get()
    return job is not None and job.is_mine()


def settled(answer: Awaitable[object]) -> object:
    """What an awaitable gives, awaited in the event loop for which this thread works; in words, why not."""
    job = _job.get()
    if job is None or not job.is_mine():
        _drop(answer)
        return NOBODY_WAITS
    return job.settle(answer)


class Lane:
    """Does one job after the other, each for an event loop that goes on meanwhile.

    It has a thread only while there is something to do, and a moment longer: the end of a call is followed by the
    question what the next request is to hold. A job whose caller is cancelled is not begun; one that was begun is done to its end.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[Job[Any]] = deque()
        self._thread: Literal["none", "busy", "idle"] = "none"
        self._wake = threading.Lock()
        """Held, but for the moment in which a thread that is idle is told of a job."""
        self._wake.acquire()

    def waits_for_me(self) -> bool:
        """Whether a job of this lane waits for what runs here: it must not ask for another one."""
        return any(job.lane is self and job.waits for job in _outer.get())

    async def run(self, work: Callable[[], T]) -> T:
        """Have the work done, behind what was asked for before."""
        from asyncio import CancelledError, get_running_loop

        job: Job[T] = Job(self, work, get_running_loop())
        with self._lock:
            self._waiting.append(job)
            was, self._thread = self._thread, "busy"
        if was == "none":
            self._begin()
        elif was == "idle":
            self._wake.release()
        try:
            return await job.future
        except CancelledError:
            job.cancel()
            raise

    def _begin(self) -> None:
        try:
            threading.Thread(target=self._drain, name="todowright").start()
        except RuntimeError as error:  # the system has no thread left: nobody waits in vain
            with self._lock:
                left = list(self._waiting)
                self._waiting.clear()
                self._thread = "none"
            for job in left:
                job.tell(None, error)

    def _drain(self) -> None:
        while True:
            with self._lock:
                job = self._waiting.popleft() if self._waiting else None
                if job is None:
                    self._thread = "idle"
            if job is not None:
                job.do()
                job = None  # what it holds is let go while the thread waits
            elif not self._is_woken():
                return

    def _is_woken(self) -> bool:
        """Whether there was something to do before long; else the thread is to end."""
        if not self._wake.acquire(timeout=_LINGER):
            with self._lock:
                if self._thread == "idle":
                    self._thread = "none"
                    return False
            self._wake.acquire(
                timeout=_LOOK
            )  # it was told just now, unless who tells was interrupted
        return True


class Job(Generic[T]):
    """One piece of work for an event loop."""

    def __init__(self, lane: Lane, work: Callable[[], T], loop: asyncio.AbstractEventLoop) -> None:
        self.lane = lane
        self.future: asyncio.Future[T] = loop.create_future()
        self.waits = False
        """Whether its thread waits for something that runs in the event loop."""
        self._work = work
        self._loop = loop
        self._context = copy_context()
        self._thread = 0
        self._cancelled = False
        self._asked: Future[object] | None = None

    def do(self) -> None:
        """Do the work and tell the event loop, if that is still there."""
        if self._cancelled or self.future.cancelled():
            return
        result: Any = None
        failure: BaseException | None = None
        try:
            result = self._context.run(self._worked)
        except StopIteration as error:  # which cannot be raised from what is awaited
            failure = RuntimeError("what was to be done raised StopIteration")
            failure.__cause__ = error
        except BaseException as error:  # it belongs to who awaits this
            failure = error
        self.tell(result, failure)

    def tell(self, result: Any, failure: BaseException | None) -> None:
        """Give the event loop what came of it."""
        with suppress(RuntimeError):  # it is closed
            self._loop.call_soon_threadsafe(self._end, result, failure)

    def _worked(self) -> T:
        self._thread = threading.get_ident()
        _job.set(self)
        try:
            return self._work()
        finally:
            self._thread = 0

    def is_mine(self) -> bool:
        """Whether it is this thread that does it."""
        return self._thread == threading.get_ident()

    def _end(self, result: T, failure: BaseException | None) -> None:
        if self.future.done():
            return
        if failure is None:
            self.future.set_result(result)
        else:
            self.future.set_exception(failure)

    def cancel(self) -> None:
        """Nobody waits for this any more: what it waits for in the event loop is cancelled, too."""
        self._cancelled = True
        if self._asked is not None:
            self._asked.cancel()

    def settle(self, answer: Awaitable[object]) -> object:
        """Have the event loop await something, and wait for that."""
        from asyncio import run_coroutine_threadsafe
        from concurrent.futures import CancelledError

        begun: list[bool] = []
        inner = self._awaited(answer, begun)
        self.waits = True
        _SETTLING[self._thread] = self._loop
        try:
            self._asked = asked = run_coroutine_threadsafe(inner, self._loop)
            if self._cancelled:
                asked.cancel()
            return self._result(asked)
        except (CancelledError, RuntimeError) as error:
            if begun and not isinstance(error, CancelledError):
                raise
            self._drop_later(begun, inner, answer)
            return GONE
        finally:
            self.waits = False
            self._asked = None
            _SETTLING.pop(self._thread, None)

    def _result(self, asked: Future[object]) -> object:
        while True:
            try:
                return asked.result(_LOOK)
            except TimeoutError:
                if asked.done():  # just now; or that is what it raised
                    return asked.result()
                if self._is_over():
                    asked.cancel()

    async def _awaited(self, answer: Awaitable[object], begun: list[bool]) -> object:
        begun.append(True)
        _outer.set((*_outer.get(), self))
        return await answer

    def _is_over(self) -> bool:
        """Whether the event loop will not go on: it is closed, or the program has ended around it."""
        ended = not (threading.main_thread().is_alive() or self._loop.is_running())
        return ended or self._loop.is_closed()

    def _drop_later(self, begun: list[bool], inner: object, answer: object) -> None:
        """Close what was cancelled before it began; in the event loop, which could be about to begin it."""
        try:
            self._loop.call_soon_threadsafe(lambda: None if begun else _drop(answer))
        except RuntimeError:  # it is closed
            if not begun:
                _drop(inner, answer)


def _drop(*answers: object) -> None:
    """Close coroutines that nobody will await, so that Python does not complain of them."""
    for answer in answers:
        close = getattr(answer, "close", None)
        if callable(close):
            close()
