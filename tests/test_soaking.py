"""A soak says what it did, though pytest keeps what passing tests print to itself."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from tests.bounds import bounded, most_memory
from tests.soaking import soaked


def report(name: str, *, soak: bool = True, **more: Any) -> pytest.TestReport:
    given: dict[str, Any] = {"outcome": "passed", "duration": 60.0, "sections": [], **more}
    keywords: dict[str, Literal[1]] = {"soak": 1} if soak else {}
    return pytest.TestReport(name, (name, 0, name), keywords, longrepr=None, when="call", **given)


def test_a_soak_names_its_tests_with_their_cases_and_what_they_counted() -> None:
    counted = [("Captured stdout call", "12 killed\n")]
    lines = soaked(
        [report("t.py::test_a[1]"), report("t.py::test_a[2]", sections=counted), report("t.py::test_b", outcome="failed")]
    )  # fmt: skip
    assert lines == [
        "    120 s     2 cases  no violation  t.py::test_a",
        "                     12 killed",
        "     60 s     1 cases  1 FAILED  t.py::test_b",
        "In all: 2 tests, 3 cases, 3 minutes of work, 1 violations.",
    ]


def test_where_no_soak_was_run_nothing_is_said_of_one() -> None:
    assert soaked([report("t.py::test_a", soak=False)]) == []


@pytest.mark.skipif(not most_memory(), reason="the system does not tell")
def test_more_memory_or_time_than_allowed_is_seen() -> None:
    with pytest.raises(AssertionError), bounded(megabytes=20):
        bytearray(b"x" * 60_000_000)
    with pytest.raises(AssertionError), bounded(seconds=0.0):
        sum(range(100_000))
