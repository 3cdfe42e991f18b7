"""Where the sessions of a board are kept: in one project, or in all of a user's."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from todowright.plan.data import Plain
from todowright.plan.model import Plan
from todowright.stores import Store
from todowright.stores.gathered import GatheredStores
from todowright.stores.gathering import BETWEEN


class Source(NamedTuple):
    """A plan where it is really kept."""

    store: Store
    plan: Plan
    folder: str
    """The project's folder; empty where there is only one project."""


def source_of(store: Store, plan: Plan) -> Source:
    """Where a plan is kept, and the plan under its own name there."""
    if not isinstance(store, GatheredStores):
        return Source(store, plan, "")
    kept, place, name = store.source(plan.session)
    return Source(kept, replace(plan, session=name), place.folder)


def whole_name(store: Store, session: str) -> str:
    """The name by which a session is known here; raises `UnknownName` where several have it."""
    return store.whole(session) if isinstance(store, GatheredStores) else session


def names_of(store: Store, session: str, project: str) -> tuple[str, str]:
    """A session's own name, and its project."""
    if not isinstance(store, GatheredStores):
        return session, project
    mark, _, name = session.partition(BETWEEN)
    return name, mark


def projects_of(store: Store) -> list[Plain]:
    """The projects that are shown, and what is wrong with those that cannot be; none where there is only one."""
    if not isinstance(store, GatheredStores):
        return []
    return [
        {"project": each.mark, "folder": each.folder, "trouble": each.trouble}
        for each in store.places()
    ]


def is_foreign(store: Store, number: int) -> bool:
    """Whether a revision's number is of an earlier run of this server, and tells nothing here."""
    return isinstance(store, GatheredStores) and store.is_foreign(number)
