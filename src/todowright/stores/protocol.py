"""Where plans live: what every store does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from todowright.plan.model import Plan

if TYPE_CHECKING:  # for hosts that send a call twice: loaded with the first one
    from todowright.stores.receipt import Receipt
    from todowright.stores.usage import ModelRequest, Usage

KEPT_RECEIPTS = 1_000
"""How many receipts a store keeps of each agent, at least; the oldest go first."""
PAGE = 1_000
KEPT_LEASES = 3_600.0
"""Seconds that a lease is kept after its end, at least."""


class Store(Protocol):
    """Keeps the plans of many sessions and agents, each revision on top of the one before."""

    def load(self, session: str, agent: str) -> Plan:
        """The current plan; an empty one at revision 0 where there is none."""
        ...

    def save(self, plan: Plan, receipt: Receipt | None = None) -> None:
        """Keep the plan if the store is at the revision before it; raise `Conflict` otherwise.

        A receipt is kept with it, both or neither; where one of the same call is kept already, it is
        a `Conflict`, too.
        """
        ...

    def end(self, plan: Plan) -> None:
        """Keep the plan as the last revision of a sub-agent that ended, and delete those before it."""
        ...

    def history(
        self, session: str, agent: str, *, before: int | None = None, limit: int = PAGE
    ) -> Sequence[Plan]:
        """The last `limit` revisions that are kept, oldest first; those before a revision, if it is given."""
        ...

    def plans(self, session: str) -> Sequence[Plan]:
        """The current plan of every agent of a session, in the order in which they came."""
        ...

    def sessions(self) -> Sequence[str]:
        """The names of the sessions, in the order in which they came."""
        ...

    def forget(self, session: str, agent: str) -> None:
        """Delete an agent's plan with all that belongs to it. Nobody who follows is told."""
        ...

    def receipt(self, session: str, agent: str, call: str) -> Receipt | None:
        """The receipt of a call, if it is kept."""
        ...

    def keep(self, receipt: Receipt) -> None:
        """Keep the receipt of a call that changed nothing; in place of an older one of that call."""
        ...

    def seen(self, session: str, agent: str) -> int:
        """The last revision, made by others, that an agent has been told of; 0 for none."""
        ...

    def mark_seen(self, session: str, agent: str, revision: int) -> None:
        """Note that an agent has been told of a revision that others made."""
        ...

    def count_requests(self, requests: Iterable[ModelRequest]) -> None:
        """Add up what requests to models took, all of them or none.

        One whose id is counted in its session already is left out. No revision is made, and nobody who
        waits or follows hears of it. The end of a sub-agent leaves it; it goes with the agent's plan, and
        what agents without a plan took with the last plan of the session.
        """
        ...

    def usage(self, session: str) -> Sequence[Usage]:
        """What the requests of a session came to, for each agent and model, in the order of their names."""
        ...

    def now(self) -> float:
        """The store's clock, in seconds since 1970: whoever uses it judges leases by this one."""
        ...

    def renew_lease(
        self, session: str, agent: str, token: str, until: float, seconds: float
    ) -> float | None:
        """Let a lease last so many seconds from now, and tell when it ends; None where it is over.

        `until` is when it ended at first: it counts for a lease that was never renewed nor ended. It is
        judged and renewed in one step, by the store's clock, and never made shorter. No revision is
        made, and nobody who waits or follows hears of it.
        """
        ...

    def end_lease(self, session: str, agent: str, token: str, until: float) -> bool:
        """Whether a lease is over, by the store's clock; one that is over cannot be renewed from then on."""
        ...

    def leases(self, session: str, agent: str) -> Mapping[str, float]:
        """When the leases end that were renewed, by their tokens; those that were ended are not among them."""
        ...

    def newest(self) -> int:
        """The number of the last revision that was saved of any plan; 0 if none was."""
        ...

    def since(
        self, number: int, *, session: str | None = None, limit: int = PAGE
    ) -> Sequence[tuple[int, Plan]]:
        """The revisions behind a number, in the order they were saved, each with its own number.

        They are all there, whichever process saved them: who asks again from the last number it
        got misses none.
        """
        ...

    def wait(self, number: int, timeout: float) -> bool:
        """Wait, at most so many seconds, until there is a revision behind this number."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


def revisions(store: Store, session: str, agent: str) -> Iterator[Plan]:
    """Every revision of a plan that is kept, oldest first, read page by page.

    Numbers may be missing, where a plan was pruned or somebody wrote into the file: where none are, the next
    look goes twice as far.
    """
    done, last, reach = 0, store.load(session, agent).revision, PAGE
    while done < last:
        upto = min(last, done + reach)
        page = store.history(session, agent, before=upto + 1, limit=PAGE)
        found = [plan for plan in page if plan.revision > done]
        if len(found) == PAGE < reach:  # there may be more before these
            reach = max(PAGE, reach // 2)
            continue
        yield from found
        done, reach = upto, PAGE if found else 2 * reach
