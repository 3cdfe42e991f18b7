"""How a run of questions goes on, and when it is given up."""

from __future__ import annotations

import pytest

from todowright.fitting.forms import form_of
from todowright.fitting.judge import Said
from todowright.fitting.run import NoAnswer, Question, Result, results
from todowright.fitting.tasks import make_tasks


def asked(*answers: bool) -> tuple[list[Result], int]:
    """What is asked of a model that answers these questions, and then no more."""
    left, count = list(answers), 0

    def ask(_: Question) -> Said:
        nonlocal count
        count += 1
        if left and left.pop(0):
            return Said("Certainly.", (), 3)
        raise NoAnswer("too slow")

    found: list[Result] = []
    with pytest.raises(NoAnswer):
        for result in results([form_of("lean")], make_tasks(3, 1), ask):
            found.append(result)  # noqa: PERF402 - it raises at last, and what came before counts
    return found, count


def test_three_questions_in_a_row_without_an_answer_end_the_run() -> None:
    found, count = asked()
    assert count == 3
    assert [result.outcome for result in found] == ["unanswered"] * 3


def test_an_answer_in_between_begins_the_count_anew() -> None:
    found, count = asked(False, False, True, False, True)
    assert count == 8
    assert [result.outcome for result in found].count("wrong") == 2
