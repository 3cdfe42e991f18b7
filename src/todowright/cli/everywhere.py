"""The plans of all projects of a user, as one store."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from todowright.cli.place import (
    FOLDER,
    STORE,
    check_owner,
    chosen_store,
    project_root,
    store_file,
    used_store_url,
    user_data,
)
from todowright.errors import StoreError, UnknownName
from todowright.host.projects import NO_PROJECT, Project, noted_projects
from todowright.private_files import state_folder
from todowright.stores import Store
from todowright.stores.gathered import GatheredStores
from todowright.stores.gathering import Place

MOST = 64
"""Projects that are shown at once: those that were used last."""


def check_everywhere(options: Any) -> None:
    """Refuse a store that was named beside `--everywhere`."""
    named = "--store" if options.store else f"${STORE}" if os.environ.get(STORE) else ""
    if named:
        raise UnknownName(f"--everywhere reads the store of each project: leave {named} out")


def everywhere_or_here(options: Any) -> Store:
    """The store that the options name: that of one place, or those of all projects; what cannot be shown is said."""
    if not options.everywhere:
        return chosen_store(options)
    check_everywhere(options)
    store = all_projects(os.environ, os.getcwd())
    for place in store.places():
        if place.trouble:
            print(f"todowright: not shown: {place.trouble}", file=sys.stderr)
    return store


def all_projects(environ: Mapping[str, str], folder: str) -> GatheredStores:
    """The stores of all projects; names without a project are those of this folder first."""
    used_store_url(environ, folder)
    here, state = project_root(folder, environ), state_folder(environ)
    root = here and os.path.realpath(here)
    marks = [each.mark for each in noted_projects(state) if each.root == root]
    home = marks[0] if marks else NO_PROJECT

    def find() -> list[Place]:
        noted = sorted(noted_projects(state), key=lambda each: each.mark != home)
        return _found(noted, environ)

    return GatheredStores(find, home)


def _found(noted: list[Project], environ: Mapping[str, str]) -> list[Place]:
    own = store_file(user_data(environ))
    found = [Place(NO_PROJECT, os.path.dirname(own), own)] if os.path.exists(own) else []
    there = [
        (each, path)
        for each in noted
        if os.path.lexists(path := store_file(os.path.join(each.root, FOLDER)))
    ]
    found += [_place(each, path, environ) for each, path in there[:MOST]]
    if left := len(there) - MOST:
        told = "todowright serve --here, in its folder, shows one of them"
        more = f"{left} more projects, used longer ago than these {MOST}: {told}"
        found += [Place("(more)", "", "", more)] if left > 0 else []
    return found


def _place(project: Project, path: str, environ: Mapping[str, str]) -> Place:
    try:
        check_owner(project.root, environ)
    except (StoreError, OSError) as error:
        return Place(project.mark, project.root, path, str(error))
    return Place(project.mark, project.root, path)
