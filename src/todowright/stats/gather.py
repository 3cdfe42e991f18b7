"""The statistics of files of agents, or of a store."""

from __future__ import annotations

from collections.abc import Sequence

from todowright.importers.bringing import Importer, Report, bring
from todowright.importers.found import Found, names_of
from todowright.importers.ledger import Ledger
from todowright.stats.measure import Stats
from todowright.stores.memory import MemoryStore
from todowright.stores.protocol import Store, revisions


def stats_of_files(paths: Sequence[str]) -> tuple[Stats, Report]:
    """What the plans in these files and folders say; and what was read. Nothing is kept."""
    stats, last = Stats(), dict[tuple[str, str], int]()

    def seen(found: Found) -> None:
        stats.add_call(found.input, found.result)
        names = names_of(found, "")
        if found.round and names in last and found.round >= last[names]:
            stats.rounds.append(found.round - last[names])
        if found.round:
            last[names] = found.round

    store, ledger = MemoryStore(), Ledger()
    report = bring(paths, Importer(store, ledger, seen))
    ledger.close()
    _add(stats, store)
    return stats, report


def stats_of_store(store: Store, session: str | None = None) -> Stats:
    """What the plans of a store say, or those of one session."""
    stats = Stats()
    _add(stats, store, session)
    return stats


def _add(stats: Stats, store: Store, session: str | None = None) -> None:
    for name in store.sessions() if session is None else [session]:
        plans = store.plans(name)
        stats.sessions += any(plan.issued or plan.todos for plan in plans)
        for plan in plans:
            stats.add_plan(revisions(store, name, plan.agent))
