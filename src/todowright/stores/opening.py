"""Stores by their URLs: in one process there is one object for each file, whoever opens it."""

from __future__ import annotations

import os
import threading
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from todowright.errors import UnknownName
from todowright.processes import PerProcess, process
from todowright.stores.protocol import Store
from todowright.text import a_kind, shown

_URLS = "use memory: or sqlite:///path/to/plans.db"
_SQLITE = "sqlite:///"
_OPEN: WeakValueDictionary[str, Store] = WeakValueDictionary()
"""The stores on files, by their paths; each goes with the last who has it."""
_USERS: WeakKeyDictionary[Store, WeakSet[object]] = WeakKeyDictionary()
"""Who was given a store for its URL, and has not let go of it."""
_LOCK = PerProcess(threading.Lock)


def open_store(url: str) -> Store:
    """The store that a URL names: `memory:` or `sqlite:///path/to/plans.db`.

    The same file is the same object, as long as somebody has it. `memory:` is a new store each time.
    """
    if url == "memory:":
        from todowright.stores.memory import MemoryStore

        return MemoryStore()
    path = _path(url)
    from todowright.stores.sqlite import SQLiteStore

    store = SQLiteStore(path)
    with _LOCK[process.number]:
        return _OPEN.setdefault(store.path, store)


def store_for(user: object, url: str) -> Store:
    """The store that a URL names, for somebody who will say when it is not needed any more."""
    store = open_store(url)
    with _LOCK[process.number]:
        _USERS.setdefault(store, WeakSet()).add(user)
    return store


def let_go(user: object, store: Store) -> None:
    """Somebody needs a store no more: it is closed once that is true of all who were given it for its URL."""
    with _LOCK[process.number]:
        users = _USERS.get(store)
        if users is None or user not in users:
            return
        users.discard(user)
        last = not users
    if last:
        store.close()


def _path(url: object) -> str:
    """The path of a SQLite file; raises what to do where the URL names none."""
    if isinstance(url, os.PathLike):
        raise TypeError(f"a store is named by a URL, not {a_kind(url)}: use f'sqlite:///{{path}}'")
    if not isinstance(url, str):
        raise TypeError(f"a store is named by a URL, a str, not {a_kind(url)}: {_URLS}")
    path = url.removeprefix(_SQLITE)
    if path in (":memory:", "") and url.startswith("sqlite:"):
        raise UnknownName(f"no store is known for '{url}': did you mean memory:? {_URLS}")
    if path == url:
        name = url.removeprefix("sqlite:").removeprefix("//")
        guess = url.startswith("sqlite:") or name.endswith((".db", ".sqlite", ".sqlite3"))
        meant = f"did you mean {_SQLITE}{name}? " if guess and name and len(name) < 40 else ""
        raise UnknownName(f"no store is known for '{shown(url, 60)}': {meant}{_URLS}")
    if path.startswith("~"):
        raise UnknownName(f"the ~ of '{shown(url, 60)}' would be a folder: write the whole path")
    return path
