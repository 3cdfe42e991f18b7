"""An interrupt, whenever it comes, leaves no command running: real processes, real signals."""

from __future__ import annotations

import subprocess
import sys

import pytest

COMMON = """
import faulthandler, os, signal, sys, threading, time
import todowright.cli.shell
from todowright.shell import run_command
from todowright.tool.todowrite import TodoWrite

todo = TodoWrite("shell")
todowright.cli.shell._GRACE = 0.01  # there are many

def library():
    return run_command("exec sleep 300", todo, timeout=1.5)

def shell():
    todowright.cli.shell.Shell(todo, os.devnull).run("exec sleep 1.5")  # no limit of its own: it must end by itself

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
    deadline = time.monotonic() + 1  # far less than the commands would last
    while children() and time.monotonic() < deadline:
        time.sleep(0.002)
    if children():
        faulthandler.dump_traceback()
        raise AssertionError(f"a command runs on, interrupted {where}")

start, step = {"library": (library, 1), "shell": (shell, 8)}[sys.argv[1]]  # a shell waits a little
interrupted(lambda: run_command("true", todo))  # what is imported late is there
"""

AT_EVERY_LINE = """
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
    if not stopped or time.monotonic() - before > 0.5:  # all lines up to the wait have been tried
        break
    no_child_is_left(where())
assert number > 50, number
"""

AT_EVERY_MOMENT = """
def stop(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, stop)
for number in range(1, 120, step):
    assert interrupted(start, number * 0.00005)
    no_child_is_left(f"after {number * 0.05:g} ms")
"""


@pytest.mark.parametrize("what", ["library", "shell"])
@pytest.mark.parametrize("script", [AT_EVERY_LINE, AT_EVERY_MOMENT], ids=["line", "moment"])
def test_an_interrupt_leaves_no_command_running(what: str, script: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMMON + script, what],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
