"""Where a command finds its plan: the store, the session and the agent."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from todowright.stores import Store

STORE, SESSION = "TODOWRIGHT_STORE", "TODOWRIGHT_SESSION"
FOLDER = ".todowright"


def store_url(environ: Mapping[str, str], folder: str) -> str:
    """The store of a folder: the variable's, the project's, or the user's."""
    if environ.get(STORE):
        return environ[STORE]
    root = project_root(folder)
    home = os.path.join(root, FOLDER) if root else user_data(environ)
    return f"sqlite:///{os.path.join(home, 'plans.db')}"


def absolute(url: str) -> str:
    """A store's address that means the same from every folder."""
    scheme, mark, path = url.partition(":///")
    return f"{scheme}{mark}{os.path.abspath(path)}" if scheme == "sqlite" and path else url


def project_root(folder: str) -> str | None:
    """The nearest folder from here up that is a project: it has `.todowright` or `.git`."""
    while True:
        if os.path.exists(os.path.join(folder, ".git")) or _is_ours(os.path.join(folder, FOLDER)):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def _is_ours(folder: str) -> bool:
    """Whether this folder of ours is there, and holds more than long outputs of an agent's commands."""
    try:
        names = set(os.listdir(folder))
    except OSError:
        return False
    return "output" not in names or bool(names - {"output", ".gitignore"})


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
    store_default: str = f"${STORE}, else {FOLDER}/plans.db at the project's root, else the user's "
    "data folder",
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
    group.add_argument(
        "--store",
        metavar="URL",
        help=f"memory:, sqlite:///path or postgresql://host/database (default: {store_default})",
    )


def chosen_store(options: Any) -> Store:
    """The store that the options name."""
    from todowright.stores import open_store

    return open_store(options.store or store_url(os.environ, os.getcwd()))


def chosen_session(options: Any) -> str:
    """The session that the options name."""
    from todowright.names import check_session

    return check_session(options.session or os.environ.get(SESSION) or "default")


def chosen_agent(options: Any) -> str:
    """The agent that the options name."""
    from todowright.names import check_agent

    return check_agent(options.agent)
