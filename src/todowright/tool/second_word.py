"""What is refused once: a call that would drop open steps is taken when it comes again."""

from __future__ import annotations

from collections.abc import Sequence

from todowright.errors import Issue, Refused
from todowright.plan.model import Todo
from todowright.stores.protocol import Store
from todowright.stores.receipt import Receipt
from todowright.text import a_few, brief

_NAME = "\ndrops"
"""Under which the store remembers what was refused: no call can have that id."""


def ask_twice(store: Store, names: tuple[str, str], dropped: Sequence[Todo]) -> None:
    """Raise `Refused` unless the last refusal named the very same steps. The store remembers, so any process may ask."""
    digest = " ".join(str(todo.number) for todo in dropped)
    known = store.receipt(*names, _NAME)
    if known is not None and known.digest == digest:
        return
    store.keep(Receipt(*names, _NAME, digest, ""))
    named = a_few([f'"{brief(todo.content, 40)}"' for todo in dropped], 30)
    raise Refused(Issue("drops", value=named))
