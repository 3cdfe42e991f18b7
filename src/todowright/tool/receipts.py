"""The reply that a call got, kept under the call's own id: the same call again changes nothing."""

from __future__ import annotations

import json

import todowright.plan.plain  # noqa: F401  now: a reply is read back while a revision is made
from todowright.dialects.call import Reply
from todowright.stores.protocol import Store
from todowright.stores.receipt import LateReceipt, Receipt
from todowright.tool.fingerprint import late_fingerprint, mark
from todowright.tool.replies import Repeated

LONGEST = 200


class Receipts:
    """The receipt of one call that has an id of its own."""

    __slots__ = ("_digest", "_key", "_store")

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
        self._digest = late_fingerprint(tool, arguments)

    def refuse_repeated(self) -> None:
        """Raise `Repeated` if this call was answered before; an id with other arguments is another call."""
        known = self._store.receipt(*self._key)
        if known is not None and known.digest == self._made_digest():
            raise Repeated(Reply.from_dict(json.loads(known.reply)))

    def of(self, reply: Reply) -> Receipt:
        """The receipt of a reply, to be kept with a revision."""
        if not callable(reply.structured):  # its caller may change that
            return Receipt(*self._key, self._made_digest(), reply.to_json())
        return LateReceipt(*self._key, self._digest, reply.twin().to_json)

    def _made_digest(self) -> str:
        if not isinstance(self._digest, str):
            self._digest = self._digest()
        return self._digest

    def keep(self, reply: Reply) -> None:
        """Keep the receipt of a reply that made no revision."""
        self._store.keep(self.of(reply))


def _name(call_id: object) -> str:
    """A call's own id as the key of its receipt."""
    name = str(call_id)
    sound = len(name) <= LONGEST and name.isprintable()
    return name if sound else mark(name)
