"""The storage of opencode and Kilo in files: `storage/part/MESSAGE/PART.json`, `storage/message/SESSION/MESSAGE.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from todowright.importers.found import Damage, Found, Spent, member, text_of
from todowright.importers.readers.opencode_export import call, spent
from todowright.importers.sources import Unreadable, parsed
from todowright.importers.tools import OPENCODE

HOST = "opencode"
_LARGEST = 12_000_000


def sees(path: str, head: bytes) -> bool:
    """Whether it is a message or one part of it; the other files of the storage are looked up from there."""
    return _kind(path) in ("part", "message") and path.endswith(".json")


def _kind(path: str) -> str:
    parts = Path(path).parts
    return parts[-3] if len(parts) > 4 and parts[-4] == "storage" else ""


def document(path: str, file: Any) -> Iterator[Found | Spent | Damage]:
    """The call of one part, if it is one that plans; or what the request of a message took."""
    data = file.read(_LARGEST)
    if _kind(path) == "message":
        about = parsed(data) if b'"tokens"' in data else None
        used = spent(about, _session(Path(path).parents[2], Path(path).parent.name))
        if used is not None:
            yield used
        return
    if not OPENCODE.may_be_in(data):
        return
    part = parsed(data)
    if isinstance(part, Damage):
        yield Damage(1, part.reason)
        return
    storage = Path(path).parents[2]
    session = text_of(member(part, "sessionID"))
    message = _read(storage / "message" / session / f"{text_of(member(part, 'messageID'))}.json")
    found = call(part, message, _session(storage, session))
    if found is not None:
        yield found


@lru_cache(256)
def _session(storage: Path, session: str) -> object:
    """What is known of a session; its name alone, where it is gone."""
    name = f"{session}.json"
    if Path(name).name == name:
        for path in (storage / "session").glob(f"*/{name}"):
            return _read(path) or {"id": session}
    return {"id": session}


def _read(path: Path) -> object:
    try:
        with path.open("rb") as file:
            return json.loads(file.read(_LARGEST))
    except (*Unreadable, ValueError, RecursionError):
        return None
