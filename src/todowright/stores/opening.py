"""Stores by their URLs: in one process there is one object for each place, whoever opens it.

A scheme is a row of `SCHEMES`, or an entry point of the group `todowright.stores` in somebody else's package: its name is the
scheme, and it names a function that takes a URL and returns a pair: a text that tells the place from others, and the store.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from importlib import import_module
from typing import cast
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from todowright.processes import PerProcess, process
from todowright.stores.protocol import Store
from todowright.stores.urls import URLS, unknown_url
from todowright.text import a_few, a_kind

SCHEMES = {
    "sqlite": "todowright.stores.sqlite:open_url",
    "postgresql": "todowright.stores.postgres:open_url",
    "postgres": "todowright.stores.postgres:open_url",
}
"""Which function opens the URLs of a scheme."""
ENTRY_POINTS = "todowright.stores"
_SCHEME = r"[a-z][a-z0-9+.-]{1,30}"
"""Not compiled ahead: it is for schemes of other packages, and takes time at every start."""
_METHODS = tuple(name for name in vars(Store) if not name.startswith("_"))
_OPEN: WeakValueDictionary[str, Store] = WeakValueDictionary()
"""The stores by their places; each goes with the last who has it."""
_USERS: WeakKeyDictionary[Store, WeakSet[object]] = WeakKeyDictionary()
"""Who was given a store for its URL, and has not let go of it."""
_LOCK = PerProcess(threading.Lock)


def open_store(url: str) -> Store:
    """The store that a URL names: `memory:`, `sqlite:///path/to/plans.db` or `postgresql://host/database`.

    The same place is the same object, as long as somebody has it. `memory:` is a new store each time.
    """
    if url == "memory:":
        from todowright.stores.memory import MemoryStore

        return MemoryStore()
    place, store = _opener(url)(url)
    with _LOCK[process.number]:
        return _OPEN.setdefault(place, store)


def _opener(url: str) -> Callable[[str], tuple[str, Store]]:
    """The function that opens a URL; raises what to do where there is none."""
    if isinstance(url, os.PathLike):
        raise TypeError(f"a store is named by a URL, not {a_kind(url)}: use f'sqlite:///{{path}}'")
    if not isinstance(url, str):
        raise TypeError(f"a store is named by a URL, a str, not {a_kind(url)}: {URLS}")
    scheme, colon, _ = url.partition(":")
    if (
        not colon
        or scheme == "memory"
        or (scheme not in SCHEMES and not re.fullmatch(_SCHEME, scheme, re.ASCII))
    ):
        raise unknown_url(url)
    if scheme in SCHEMES:
        module, _, name = SCHEMES[scheme].partition(":")
        return cast("Callable[[str], tuple[str, Store]]", getattr(import_module(module), name))
    from importlib.metadata import entry_points  # slow to load, and rarely needed

    for entry in entry_points(group=ENTRY_POINTS, name=scheme):
        return cast("Callable[[str], tuple[str, Store]]", entry.load())
    raise unknown_url(url)


def is_store(text: str) -> bool:
    """Whether a text is the URL of a store, and so hardly meant as something else."""
    scheme, sign, _ = text.partition("://")
    return text == "memory:" or (bool(sign) and scheme in SCHEMES)


def given_store(given: object) -> Store:
    """The store that a program gave, by its URL or as an object of its own."""
    if isinstance(given, str):
        return open_store(given)
    missing = [name for name in _METHODS if not callable(getattr(given, name, None))]
    if isinstance(given, type) and not missing:
        raise TypeError(f"store is the class {given.__name__}: make one, as in {given.__name__}()")
    if len(missing) == len(_METHODS) or (missing and hasattr(given, "store")):
        url = "f'sqlite:///{path}'" if isinstance(given, os.PathLike) else "'sqlite:///plans.db'"
        like = "its `.store`" if hasattr(given, "store") else url
        raise TypeError(f"store must be a URL or a Store, not {a_kind(given)}: use {like}")
    if missing:
        told = f"has no {a_few(missing)}: write that, as `todowright.Store` has it"
        raise TypeError(f"the store, {a_kind(given)}, {told}")
    return cast("Store", given)


def store_for(user: object, given: object) -> Store:
    """The same for somebody who says when it is not needed any more: `let_go`."""
    store = given_store(given)
    if isinstance(given, str):
        with _LOCK[process.number]:
            _USERS.setdefault(store, WeakSet()).add(user)
    return store


def let_go(user: object, store: Store) -> None:
    """Somebody needs a store no more: it is closed once that is true of all who were given it for its URL."""
    with _LOCK[process.number]:
        try:
            users = _USERS.get(store)
        except TypeError:  # one of a program's own, which cannot be a key: it was not opened here
            return
        if users is None or user not in users:
            return
        users.discard(user)
        last = not users
    if last:
        store.close()
