"""With what an agent's session is run, so that it goes on alike."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from todowright.cli.place import absolute, store_url
from todowright.errors import UnknownName
from todowright.private_files import hide_from_git, is_link, make_folder, own_file
from todowright.text import harmless

if TYPE_CHECKING:
    from todowright.agent.work.permissions import Mode


@dataclass(frozen=True, slots=True)
class Settings:
    """The folder, the model, the dialect, the mode and the store, in full: they mean the same from anywhere."""

    folder: str
    model: str
    dialect: str
    mode: Mode
    store: str
    sandbox: bool = False
    list: str = ""
    """The session whose tasks it shares; empty: it has a plan of its own."""

    def keep(self, path: str) -> None:
        """Write them whole, or not at all."""
        from todowright.cli.agent_trust import seal

        fresh = f"{path}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        with open(os.open(fresh, flags, 0o600), "w", encoding="utf-8") as file:
            json.dump(asdict(self), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
        seal(path)

    @staticmethod
    def hide(home: str) -> None:
        """Keep our folder out of version control."""
        make_folder(os.path.join(home, "agent"))
        hide_from_git(home)


def session_of(options: Any, home: str) -> str:
    """The session: a new one, or one to go on with."""
    from datetime import datetime

    from todowright.names import check_session, file_name

    fresh = f"agent-{datetime.now():%Y%m%d-%H%M%S}-{os.urandom(2).hex()}"
    session = check_session(options.resume or options.session or fresh)
    transcript = os.path.join(home, f"{file_name(session)}.jsonl")
    if is_link(home):
        raise UnknownName(
            f"{harmless(home)} is a symbolic link: remove it, or name another --folder"
        )
    if is_link(transcript):
        raise UnknownName(f"{transcript} is a symbolic link: choose another session")
    there = os.path.exists(transcript)
    if there and not options.resume:
        raise UnknownName(
            f"there is a session {session} already: --resume {session}, or another name"
        )
    if not there and options.resume:
        known = ", ".join(_known(home))
        told = f"those are {known}" if known else "none was begun there"
        raise UnknownName(f"there is no session {session} to resume in {home}: {told}")
    return session


def settings_of(options: Any, home: str, session: str, *, folder: str, talks: bool) -> Settings:
    """The settings of a session: those it had, and what the options say beyond."""
    from todowright.agent.providers import model_name
    from todowright.names import file_name

    path = os.path.join(home, "agent", f"{file_name(session)}.json")
    had = _had(path) if options.resume else {}
    if had is None and not (options.mode and options.dialect):
        raise UnknownName(
            f"the settings of session {session} cannot be read: say --mode and --dialect"
        )
    had = had or {}
    shared = _shared(options, had, session)
    if options.dialect and options.dialect != had.get("dialect", options.dialect):
        raise UnknownName(f"session {session} speaks {had['dialect']}: leave --dialect out")
    default = _default_store(os.path.dirname(home))
    if options.resume:
        _agreed(options, had, path, {"root": os.path.dirname(home), "store": default}, talks=talks)
    store = options.store or had.get("store") or default
    return Settings(
        folder=folder if options.folder else had.get("folder", folder),
        model=model_name(options.model or had.get("model")),
        dialect=had.get("dialect") or options.dialect or ("tasks" if shared else "lean"),
        mode=options.mode or had.get("mode") or ("ask" if talks else "auto"),
        store=absolute(store),
        sandbox=options.sandbox or had.get("sandbox") is True,
        list=shared,
    )


def _agreed(
    options: Any, had: dict[str, Any], path: str, usual: dict[str, str], *, talks: bool
) -> None:
    """Have the person agree to what the settings of a session would widen, unless they are the user's own."""
    from todowright.agent.providers import ModelError, model_name
    from todowright.cli.agent_trust import confirm, is_sealed, widening

    if is_sealed(path):
        return
    with suppress(ModelError):  # none is set: whatever the file names is its own choice
        usual["model"] = model_name()
    found = {"mode": "ask" if talks else "auto"} | {
        key: had[key] for key in ("folder", "model", "mode", "store", "list") if had.get(key)
    }
    if "store" in found:
        found["store"] = absolute(found["store"])
    wanted = widening(found, options, usual | {"store": absolute(usual["store"])})
    if wanted:
        confirm(options.resume, wanted, talks=talks)


def _shared(options: Any, had: dict[str, Any], session: str) -> str:
    """The session whose list of tasks is shared; raises what to do where that cannot be."""
    from todowright.names import check_session

    given, before = options.list or "", str(had.get("list") or "")
    if given and had and given != before:
        told = f"shares the list {before}" if before else "has a plan of its own"
        raise UnknownName(f"session {session} {told}: leave --list out")
    if given and options.dialect not in (None, "tasks"):
        raise UnknownName(
            f"a list that many share is of tasks: leave --dialect {options.dialect} out"
        )
    return check_session(given or before) if given or before else ""


def _default_store(root: str) -> str:
    """The project's store, or that of the folder, which becomes a project by what is kept there."""
    from todowright.cli.place import FOLDER, STORE, note_use, project_root, store_file

    if os.environ.get(STORE):
        return store_url(os.environ, root)
    own = project_root(root) is None
    url = (
        f"sqlite:///{store_file(os.path.join(root, FOLDER))}"
        if own
        else store_url(os.environ, root)
    )
    note_use(url, os.environ)
    return url


def _had(path: str) -> dict[str, Any] | None:
    """The settings that were kept; None if they cannot be read."""
    try:
        with open(path, encoding="utf-8", opener=own_file) as file:
            found = json.load(file)
    except (OSError, ValueError):
        return None
    keys = ("folder", "model", "dialect", "mode", "store")
    sound = isinstance(found, dict) and all(isinstance(found.get(key), str) for key in keys)
    return found if sound else None


def _known(home: str) -> list[str]:
    try:
        names = os.listdir(home)
    except OSError:
        return []
    found = sorted(name.removesuffix(".jsonl") for name in names if name.endswith(".jsonl"))
    return [harmless(name) for name in found[-5:]]
