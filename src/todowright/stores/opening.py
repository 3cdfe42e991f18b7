"""Stores by their URLs: in one process there is one object for each file, whoever opens it."""

from __future__ import annotations

import os
import threading
from typing import cast
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from todowright.errors import UnknownName
from todowright.processes import PerProcess, process
from todowright.stores.protocol import Store
from todowright.text import a_few, a_kind, shown

_URLS = "use memory: or sqlite:///path/to/plans.db"
_SQLITE = "sqlite:///"
_METHODS = tuple(name for name in vars(Store) if not name.startswith("_"))
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
        return _OPEN.setdefault(os.path.realpath(store.path), store)


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


def _path(url: object) -> str:
    """The path of a SQLite file; raises what to do where the URL names none."""
    if isinstance(url, os.PathLike):
        raise TypeError(f"a store is named by a URL, not {a_kind(url)}: use f'sqlite:///{{path}}'")
    if not isinstance(url, str):
        raise TypeError(f"a store is named by a URL, a str, not {a_kind(url)}: {_URLS}")
    path = url.removeprefix(_SQLITE)
    if path.strip(":") == "memory" or url == "sqlite://":
        raise UnknownName(f"no store is known for '{url}': did you mean memory:? {_URLS}")
    if path == url or not path:
        name = path and url.removeprefix("sqlite:").removeprefix("//")
        guess = url.startswith("sqlite:") or name.endswith((".db", ".sqlite", ".sqlite3"))
        meant = f"did you mean {_SQLITE}{name}? " if guess and name and len(name) < 40 else ""
        raise UnknownName(f"no store is known for '{shown(url, 60)}': {meant}{_URLS}")
    if path.startswith("~"):
        raise UnknownName(f"the ~ of '{shown(url, 60)}' would be a folder: write the whole path")
    return path
