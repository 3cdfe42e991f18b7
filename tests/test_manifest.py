"""Requirements and tests keep each other honest."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.requirements import REQUIREMENTS, requirement

TESTS = Path(__file__).parent


def proven() -> set[str]:
    """The ids that decorate a test function or class somewhere in the suite."""
    found: set[str] = set()
    for file in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                continue
            for mark in node.decorator_list:
                if (
                    isinstance(mark, ast.Call)
                    and isinstance(mark.func, ast.Name)
                    and mark.func.id == "requirement"
                ):
                    found |= {arg.value for arg in mark.args if isinstance(arg, ast.Constant)}  # type: ignore[misc]
    return found


def test_every_requirement_that_is_not_for_later_has_a_test() -> None:
    due = {name for name, asked in REQUIREMENTS.items() if not asked.later}
    assert due - proven() == set()


def test_no_requirement_marked_for_later_has_a_test_already() -> None:
    later = {name for name, asked in REQUIREMENTS.items() if asked.later}
    assert later & proven() == set()


def test_no_test_names_a_requirement_that_nobody_asked_for() -> None:
    assert proven() - REQUIREMENTS.keys() == set()
    with pytest.raises(LookupError, match="999-9"):
        requirement("999-9")
