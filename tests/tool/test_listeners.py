"""Listeners that are slower than the news: what waits is bounded, and no caller tells it without end."""

from __future__ import annotations

import logging
import threading

import pytest

from todowright import Change, TodoWrite
from todowright.tool.listeners import MOST_TOLD, MOST_WAITING


def test_of_more_news_than_may_wait_the_oldest_are_not_told_and_the_log_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    todo, heard = TodoWrite("lean"), list[int]()
    held, go_on = threading.Event(), threading.Event()

    def slow(change: Change) -> None:
        heard.append(change.plan.revision)
        if len(heard) == 1:
            held.set()
            assert go_on.wait(60)

    todo.on_change(slow)
    first = threading.Thread(target=lambda: todo({"steps": ["a", "b"]}, tool="plan"))
    first.start()
    assert held.wait(60)
    for n in range(3 * MOST_WAITING):
        assert not todo({"step": 1, "text": f"a {n}"}, tool="change").is_error
    last = todo.plan.revision
    with caplog.at_level(logging.WARNING):
        go_on.set()
        first.join(60)
        _until_told(heard, last)
    assert len(heard) == 1 + MOST_WAITING
    assert heard == sorted(heard)
    assert caplog.messages == [f"{2 * MOST_WAITING} changes were not told: a listener is too slow"]


def test_a_caller_tells_some_news_of_others_and_then_returns() -> None:
    todo, tellers, last = TodoWrite("lean"), list[int](), 5 * MOST_TOLD

    def endless(change: Change) -> None:
        tellers.append(threading.get_ident())
        if (
            change.plan.revision < last
        ):  # another thread makes the next one, before this one is told
            text = {"step": 1, "text": f"a {change.plan.revision}"}
            other = threading.Thread(target=lambda: todo(text, tool="change"))
            other.start()
            other.join(60)

    todo.on_change(endless)
    todo({"steps": ["a", "b"]}, tool="plan")
    _until_told(tellers, 0, last)
    assert tellers.count(threading.get_ident()) == MOST_TOLD
    assert len(tellers) == last


def test_news_that_are_told_in_time_are_told_by_who_made_them() -> None:
    todo, tellers = TodoWrite("lean"), set[int]()
    todo.on_change(lambda _: tellers.add(threading.get_ident()))
    todo({"steps": ["a", "b"]}, tool="plan")
    for n in range(2 * MOST_WAITING):
        todo({"step": 1, "text": f"a {n}"}, tool="change")
    assert tellers == {threading.get_ident()}


def _until_told(heard: list[int], last: int, count: int = 0) -> None:
    for _ in range(600):
        if (count and len(heard) >= count) or (not count and heard[-1:] == [last]):
            return
        threading.Event().wait(0.1)
    raise AssertionError("it was not told")
