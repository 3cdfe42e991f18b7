"""Where a command finds its plan: the store, the session and the agent."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from todowright.plan.model import Plan
    from todowright.stores import Store

STORE, SESSION, TRUST = "TODOWRIGHT_STORE", "TODOWRIGHT_SESSION", "TODOWRIGHT_TRUST"
FOLDER = ".todowright"
STORE_DEFAULT = (
    f"${STORE}, else {FOLDER}/plans.db at the project's root, else the user's data folder"
)
EVERYWHERE = "of all your projects, not only of this folder's"

_LAST = 200
"""Revisions among which the newest is looked for: what was imported came later, and is older."""


def store_url(environ: Mapping[str, str], folder: str) -> str:
    """The store of a folder: the variable's, the project's, or the user's."""
    if environ.get(STORE):
        return environ[STORE]
    root = project_root(folder, environ)
    return f"sqlite:///{store_file(os.path.join(root, FOLDER) if root else user_data(environ))}"


def store_file(home: str) -> str:
    """The file with the plans in a folder of ours."""
    return os.path.join(home, "plans.db")


def used_store_url(environ: Mapping[str, str], folder: str) -> str:
    """The same, for who uses it: the project is noted, so that `todowright serve` shows it."""
    url = store_url(environ, folder)
    if not environ.get(STORE):
        note_use(url, environ)
    return url


def note_use(url: str, environ: Mapping[str, str]) -> None:
    """Note the project of a store, if it is one's own."""
    if project_name(url):
        from todowright.host.projects import note_project
        from todowright.private_files import state_folder

        file = os.path.realpath(url.removeprefix("sqlite:///"))
        note_project(os.path.dirname(os.path.dirname(file)), state_folder(environ))


def absolute(url: str, folder: str = "") -> str:
    """A store's address that means the same from every folder."""
    scheme, mark, path = url.partition(":///")
    path = os.path.abspath(os.path.join(folder, path)) if path else ""
    return f"{scheme}{mark}{path}" if scheme == "sqlite" and path else url


def project_name(url: str) -> str:
    """What the project of a store is called; empty for a store that is no project's own."""
    home, name = os.path.split(os.path.dirname(absolute(url).partition(":///")[2]))
    return os.path.basename(home) if name == FOLDER else ""


def project_root(folder: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """The nearest folder from here up that is a project: it has `.todowright` or `.git`.

    For a worktree of a repository that wants one store for all, it is the repository's first worktree.
    """
    while True:
        if _is_ours(os.path.join(folder, FOLDER)) or _is_repository(os.path.join(folder, ".git")):
            folder = _shared_root(folder)
            check_owner(folder, environ)
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def agent_home(folder: str) -> str:
    """Where the agent's sessions in a folder are kept."""
    root = project_root(folder)
    if root is None:
        check_owner(folder)
    return os.path.join(root or folder, FOLDER)


def _shared_root(root: str) -> str:
    """The first worktree, where this is another one and the repository's settings let them share a store.

    `git config todowright.worktrees share` sets it. The file is read here: git would take a process.
    """
    if not os.path.isfile(os.path.join(root, ".git")):
        return root
    from todowright.host.worktrees import main_worktree, setting

    first = main_worktree(root)
    return first if setting(first, "todowright", "worktrees") == "share" else root


def check_owner(root: str, environ: Mapping[str, str] = os.environ) -> None:
    """Refuse a folder of another user, as git does, and one of ours that is a link; a setting allows it.

    Whoever owns `.todowright` reads the plans in it, and decides where its links lead.
    """
    from todowright.errors import StoreError
    from todowright.private_files import is_link

    ours = os.path.join(root, FOLDER)
    if is_link(ours):
        raise StoreError(f"{ours} is a symbolic link: set {STORE} to the store that is meant")
    there = os.path.isdir(ours)
    looked_at = ours if there else root
    if _is_mine(looked_at, environ, also_root=not there) or _is_trusted(root, environ):
        return
    told = f"allow it with {TRUST}={root}, or set {STORE}"
    raise StoreError(f"{looked_at} belongs to another user: {told}")


def _is_mine(folder: str, environ: Mapping[str, str], *, also_root: bool) -> bool:
    """Whether this user owns a folder; or root does, who is trusted with what is shared, such as /tmp."""
    if not hasattr(os, "geteuid"):
        return True
    owner, me = os.stat(folder).st_uid, os.geteuid()
    by_sudo = me == 0 and str(owner) == environ.get("SUDO_UID")
    return owner == me or by_sudo or (also_root and owner == 0)


def _is_trusted(root: str, environ: Mapping[str, str]) -> bool:
    """Whether the user said that a folder of another user is fine."""
    allowed = environ.get(TRUST, "").split(os.pathsep)
    return "*" in allowed or any(
        each and os.path.realpath(each) == os.path.realpath(root) for each in allowed
    )


def _is_ours(folder: str) -> bool:
    """Whether this folder of ours is there, and holds more than long outputs of an agent's commands."""
    try:
        names = set(os.listdir(folder))
    except OSError:
        return False
    return "output" not in names or bool(names - {"output", ".gitignore"})


def _is_repository(git: str) -> bool:
    """Whether there is a `.git`, which does not only stand in while a command runs behind the agent's wall."""
    from todowright.private_files import is_stand_in

    return os.path.exists(git) and not is_stand_in(git)


def user_data(environ: Mapping[str, str]) -> str:
    """The folder for this user's data, as the system wants it."""
    if sys.platform == "win32":
        base = environ.get("LOCALAPPDATA") or os.path.expanduser("~")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(base, "todowright")


def add_place(
    parser: Any,
    *,
    agent: bool = True,
    session_default: str = f"${SESSION}, else default",
    store_default: str = STORE_DEFAULT,
) -> None:
    """Add the options that say which plan is meant."""
    group = parser.add_argument_group("which plan")
    group.add_argument(
        "--session", metavar="NAME", help=f"the session (default: {session_default})"
    )
    if agent:
        group.add_argument(
            "--agent", metavar="NAME", default="main", help="the agent (default: main)"
        )
    _add_store_option(group, store_default)


def add_store(parser: Any) -> None:
    """Add the option that says which store is meant, to a command for the store as a whole."""
    _add_store_option(parser, STORE_DEFAULT)


def _add_store_option(parser: Any, default: str) -> None:
    parser.add_argument(
        "--store",
        metavar="URL",
        help=f"memory:, sqlite:///path or postgresql://host/database (default: {default})",
    )


def chosen_store(options: Any) -> Store:
    """The store that the options name."""
    from todowright.stores import open_store

    return open_store(options.store or used_store_url(os.environ, os.getcwd()))


def chosen_file(options: Any) -> str:
    """The file of the store that the options name, for commands that are about the file."""
    from todowright.errors import UnknownName
    from todowright.stores.sqlite import SQLiteStore

    store = chosen_store(options)
    if isinstance(store, SQLiteStore):
        return store.path
    url = options.store or store_url(os.environ, os.getcwd())
    if url.startswith("postgres"):
        raise UnknownName(
            "this is for SQLite files: a Postgres database is copied with pg_dump, by a superuser"
        )
    where = "in memory" if options.store == "memory:" else "no file of ours"
    raise UnknownName(f"this is for SQLite files, and the store is {where}")


def chosen_session(options: Any) -> str:
    """The session that the options name."""
    from todowright.names import check_session

    return check_session(options.session or os.environ.get(SESSION) or "default")


def moving_session(options: Any, store: Store) -> str:
    """The session that the options name; else the one that moved last: hosts give theirs names of their own."""
    if options.session or os.environ.get(SESSION):
        return chosen_session(options)
    rows = store.since(max(0, store.newest() - _LAST), limit=_LAST)
    last = max((plan for _, plan in rows), key=_moment, default=None)
    return last.session if last is not None else chosen_session(options)


def _moment(plan: Plan) -> float:
    return plan.updated_at.timestamp() if plan.updated_at else 0.0


def kept_session(options: Any, store: Store) -> str:
    """The session that the options name; else the default one if it has plans, else the one that moved last."""
    session = chosen_session(options)
    is_named = options.session or os.environ.get(SESSION)
    return session if is_named or store.plans(session) else moving_session(options, store)


def chosen_agent(options: Any) -> str:
    """The agent that the options name."""
    from todowright.names import check_agent

    return check_agent(options.agent)
