"""An interrupt, whenever it comes, leaves no command running: real processes, real signals."""

from __future__ import annotations

import subprocess
import sys

import pytest

COMMON = """
import faulthandler, os, signal, sys, tempfile, threading, time
import todowright.cli.shell
from todowright.shell import run_command
from todowright.tool.todowrite import TodoWrite

todo = TodoWrite("shell")
folder = tempfile.TemporaryDirectory()
todowright.cli.shell._GRACE = 0.01  # there are many

def library():
    return run_command("exec sleep 300", todo, timeout=lasts)

def shell():
    todowright.cli.shell.Shell(todo, folder.name).run(f"exec sleep {lasts}")  # no limit of its own: it must end by itself

def interrupted(start, seconds=0.0):
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        start()
    except KeyboardInterrupt:
        return True
    finally:
        settled()
    return False

def settled():
    while True:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
            time.sleep(0.001)
            return
        except KeyboardInterrupt:  # a second one may come late
            pass

def children():
    try:
        return [os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)]
    except ChildProcessError:  # not one, alive or dead
        return []

def no_child_is_left(where):
    deadline = time.monotonic() + lasts / 2
    while children() and time.monotonic() < deadline:
        time.sleep(0.002)
    if children():
        faulthandler.dump_traceback()
        raise AssertionError(f"a command runs on, interrupted {where}")

start, step = {"library": (library, 1), "shell": (shell, 8)}[sys.argv[1]]  # a shell waits a little
interrupted(lambda: run_command("true", todo))  # what is imported late is there
interrupted(lambda: todowright.cli.shell.Shell(todo, folder.name).run("true"))
"""

AT_EVERY_LINE = """
lasts = 3  # one is waited for

def trace_to(number):
    places, where = set(), ""
    def trace(frame, event, _):
        nonlocal where
        place = frame.f_code.co_filename, frame.f_lineno
        if event == "line" and place[0] != "<string>" and place not in places:
            places.add(place)
            if len(places) == number:
                where = f"at {place}"
                raise KeyboardInterrupt
        return trace
    return trace, lambda: where

number = 0
while True:
    number += 1
    trace, where = trace_to(number)
    before = time.monotonic()
    sys.settrace(trace)
    stopped = interrupted(start)
    sys.settrace(None)
    if not stopped or time.monotonic() - before > lasts / 2:  # all lines up to the wait have been tried
        break
    no_child_is_left(where())
assert number > 50, number
"""

AT_EVERY_MOMENT = """
lasts = 20

def stop(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, stop)
for number in range(1, 120, step):
    assert interrupted(start, number * 0.00005)
    no_child_is_left(f"after {number * 0.05:g} ms")
"""

TWICE = """
lasts = 20
numbers = {signal.SIGHUP, signal.SIGTERM}
came = []
inside = False

def stop(number, _):
    came.append(number)
    if inside:  # once the command is left, there is nothing to interrupt
        raise KeyboardInterrupt

def send(go, first, gap):
    go.acquire(timeout=30)
    for number, seconds in zip(numbers, (first, gap)):
        time.sleep(seconds)
        signal.pthread_kill(threading.main_thread().ident, number)

def interrupted_twice(first, gap):
    global inside
    came.clear()
    go = threading.Lock()
    go.acquire()
    sender = threading.Thread(target=send, args=(go, first, gap))
    sender.start()
    try:
        try:
            inside = True
            go.release()
            start()
        finally:
            inside = False  # where the second comes before this, it is the last
    except KeyboardInterrupt:
        pass
    sender.join(30)
    deadline = time.monotonic() + 30
    while len(came) < 2 and time.monotonic() < deadline:
        time.sleep(0.001)
        signal.pthread_sigmask(signal.SIG_BLOCK, ())  # Python may overlook one until it is made to look
    assert {*came} == numbers, came

for number in numbers:
    signal.signal(number, stop)
for number in range(1, 60, step):
    for gap in (0, 0.0001, 0.001):
        interrupted_twice(number * 0.0002, gap)
        no_child_is_left(f"after {number * 0.2:g} ms and {gap * 1000:g} ms later")
"""


@pytest.mark.parametrize("what", ["library", "shell"])
@pytest.mark.parametrize(
    "script", [AT_EVERY_LINE, AT_EVERY_MOMENT, TWICE], ids=["line", "moment", "twice"]
)
def test_an_interrupt_leaves_no_command_running(what: str, script: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMMON + script, what],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
