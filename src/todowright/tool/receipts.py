"""The reply that a call got, kept under the call's own id: the same call again changes nothing."""

from __future__ import annotations

import json
from dataclasses import asdict

from todowright.dialects.call import Reply
from todowright.errors import Issue
from todowright.stores.protocol import Store
from todowright.stores.receipt import Receipt
from todowright.tool.fingerprint import fingerprint, mark
from todowright.tool.replies import Repeated

LONGEST = 200


class Receipts:
    """The receipt of one call that has an id of its own."""

    def __init__(
        self,
        store: Store,
        names: tuple[str, str],
        call_id: object,
        tool: str | None,
        arguments: object,
    ) -> None:
        self._store = store
        self._key = (*names, _name(call_id))
        self._digest = fingerprint(tool, arguments)

    def refuse_repeated(self) -> None:
        """Raise `Repeated` if this call was answered before; an id with other arguments is another call."""
        known = self._store.receipt(*self._key)
        if known is not None and known.digest == self._digest:
            raise Repeated(_decoded(known.reply))

    def of(self, reply: Reply) -> Receipt:
        """The receipt of a reply, to be kept with a revision."""
        return Receipt(*self._key, self._digest, _encoded(reply))

    def keep(self, reply: Reply) -> None:
        """Keep the receipt of a reply that made no revision."""
        self._store.keep(self.of(reply))


def _name(call_id: object) -> str:
    """A call's own id as the key of its receipt."""
    name = str(call_id)
    sound = len(name) <= LONGEST and name.isprintable()
    return name if sound else mark(name)


def _encoded(reply: Reply) -> str:
    """A reply as JSON."""
    return json.dumps(
        {
            "text": reply.text,
            "display": reply.display,
            "data": reply.data,
            "is_error": reply.is_error,
            "issues": [asdict(issue) for issue in reply.issues],
        },
        default=repr,
    )


def _decoded(text: str) -> Reply:
    """The reply that was kept as JSON."""
    found = json.loads(text)
    issues = tuple(Issue(**issue) for issue in found["issues"])
    return Reply(found["text"], found["display"], found["data"], found["is_error"], issues)
