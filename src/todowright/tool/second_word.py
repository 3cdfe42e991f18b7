"""What is refused once: a call that would drop open steps is taken when it comes again."""

from __future__ import annotations

from collections.abc import Sequence

from todowright.errors import Issue, Refused
from todowright.plan.model import Plan, Todo
from todowright.stores.protocol import Store
from todowright.stores.receipt import Receipt
from todowright.text import quoted

_NAME = "\ndrops"
"""Under which the store remembers what was refused: no call can have that id."""


class SecondWord:
    """Asks for a second word. The store remembers what was refused, so any process may hear it."""

    def __init__(self, store: Store, names: tuple[str, str]) -> None:
        self._store = store
        self._names = names
        self._refused_in: object = None
        """The turn of the last refusal: calls of the same turn were written before it was read."""

    def ask(self, before: Plan, dropped: Sequence[Todo], turn: object) -> None:
        """Raise `Refused` unless the same was refused in an earlier turn, on this very revision."""
        digest = " ".join(map(str, (before.revision, *(todo.number for todo in dropped))))
        known = self._store.receipt(*self._names, _NAME)
        if known is not None and known.digest == digest and turn is not self._refused_in:
            return
        self._refused_in = turn
        self._store.keep(Receipt(*self._names, _NAME, digest, ""))
        raise Refused(Issue("drops", value=quoted(todo.content for todo in dropped)))
