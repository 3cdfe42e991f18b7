"""How the tests run what a document prints."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def run(code: str, **given: Any) -> SimpleNamespace:
    """Run a printed block with the names it needs, and give the names it has made."""
    names = dict(given)
    exec(compile(code, "document", "exec"), names)
    return SimpleNamespace(
        **{name: value for name, value in names.items() if name != "__builtins__"}
    )
