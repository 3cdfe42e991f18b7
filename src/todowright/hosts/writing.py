"""How files are changed: worked out first, shown, then written with a copy of what was there."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

from todowright.hosts.description import NAME
from todowright.hosts.json_text import dumped, parsed
from todowright.hosts.ours import CannotChange, is_our_server, without_ours
from todowright.hosts.pieces import JsonPart, Keys, OwnFile, Piece, TomlBlock
from todowright.hosts.toml_block import BEGIN, END, without_block

_OWN_FOLDERS = (NAME, "plugin", ".claude-plugin", "hooks", "skills", "plan")


@dataclass(frozen=True)
class Change:
    """One file, as it is and as it is to be; None where there is none."""

    path: Path
    before: str | None
    after: str | None
    own: bool = False
    """Whether nothing of others is lost: then no copy is kept."""
    spent: Path | None = None
    """The copy that this puts back; it goes then."""

    @property
    def differs(self) -> bool:
        return self.before != self.after

    def shown(self, *, whole: bool = True) -> str:
        """What a person is shown of it: of a new file the whole text, or only its size."""
        if self.after is None:
            return f"delete {self.path}"
        if self.before is None and not whole:
            return f"write {self.path} ({len(self.after.encode())} bytes)"
        if self.before is None:
            return f"write {self.path}\n" + _indented(self.after)
        lines = unified_diff(self.before.splitlines(), self.after.splitlines(), lineterm="", n=1)
        return f"change {self.path}\n" + _indented("\n".join([*lines][2:]))


def installing(pieces: Iterable[Piece], instead: Iterable[Piece] = ()) -> list[Change]:
    """The changes that set these pieces up, in place of others of ours.

    Our own files come first: if one cannot be written, no file of the host names it.
    """
    found = _changes([*((each, False) for each in instead), *((each, True) for each in pieces)])
    return sorted(found, key=lambda change: (change.after is None, not change.own))


def removing(pieces: Iterable[Piece]) -> list[Change]:
    """The changes that take these pieces out again; what others wrote stays."""
    found = list(pieces)
    return [
        change if change.own else _as_it_was(change, [p for p in found if p.path == change.path])
        for change in _changes([(each, False) for each in found])
    ]


def write(changes: Iterable[Change]) -> list[Path]:
    """Make the changes; the copies that were kept of files that are not ours."""
    copies = []
    wanted = [change for change in changes if change.differs]
    for change in wanted:
        _same_still(change)
    for change in wanted:
        _same_still(change)
        if change.before is not None and not change.own:
            copies.append(_copy(change.path, change.before))
        if change.after is None:
            change.path.unlink(missing_ok=True)
            _prune(change.path.parent)
        else:
            _replace(change.path, change.after)
        if change.spent is not None:
            change.spent.unlink(missing_ok=True)
    return copies


def _as_it_was(change: Change, parts: list[Piece]) -> Change:
    """The change that puts back the copy's bytes, where nothing else was changed since install."""
    path, before, after = change.path, change.before or "", change.after or ""
    clean = 0
    for copy in _copies(path):
        try:
            text = _read(copy) or ""
            if _all(parts, text, put=False) != text:
                continue  # it holds something of ours
            clean += 1
            installed = _all(parts, text, put=True)
            same = after in (_laid_out(parts, text), _all(parts, installed, put=False))
        except (CannotChange, RecursionError, OSError):
            continue
        is_json = isinstance(parts[0], JsonPart)
        if same and (not is_json or before == dumped(parsed(path, before), text)):
            return Change(path, change.before, text, own=True, spent=copy)
    if not clean and after.strip() in ("", "{}") and not path.is_symlink():
        return Change(path, change.before, None, own=True)
    return change


def _all(parts: Iterable[Piece], text: str, *, put: bool) -> str:
    for piece in parts:
        text = (_put(piece, text) if put else _taken(piece, text)) or ""
    return text


def _laid_out(parts: list[Piece], text: str) -> str:
    """A text as install would have laid it out."""
    is_json = isinstance(parts[0], JsonPart)
    return dumped(parsed(parts[0].path, text), text) if is_json else text


def _same_still(change: Change) -> None:
    """Whether a file is what was shown: another program may have written it while we asked."""
    if _read(change.path) != change.before:
        raise CannotChange(f"{change.path} was changed meanwhile: run it again")


def _changes(wanted: Iterable[tuple[Piece, bool]]) -> list[Change]:
    """Each file's pieces, put in or taken out one after the other."""
    found: dict[Path, Change] = {}
    for piece, put in wanted:
        known = found.get(piece.path)
        before = known.before if known else _read(piece.path)
        text = known.after if known else before
        try:
            after = _put(piece, text) if put else _taken(piece, text)
        except RecursionError:
            raise CannotChange(f"{piece.path} is nested too deep: mend it first") from None
        found[piece.path] = Change(piece.path, before, after, isinstance(piece, OwnFile))
    return [change for change in found.values() if change.differs]


def _put(piece: Piece, text: str | None) -> str | None:
    if isinstance(piece, OwnFile):
        return piece.text
    if isinstance(piece, TomlBlock):
        return _with_block(piece, text or "")
    value, before = parsed(piece.path, text), parsed(piece.path, text)
    for keys, ours in piece.keys.items():
        there = _inside(value, keys[:-1], piece.path)
        if is_our_server(ours) and not is_our_server(there.get(keys[-1], ours)):
            told = f"{piece.path} has an entry {'.'.join(keys)} already that is not of install"
            raise CannotChange(f"{told}: take it out, then install again")
        there[keys[-1]] = ours
    for keys, items in piece.items.items():
        there = _inside(value, keys[:-1], piece.path).setdefault(keys[-1], [])
        if not isinstance(there, list):
            raise CannotChange(f"{piece.path}: {'.'.join(keys)} is no list: mend it first")
        others = without_ours(there)
        if len(there) != len(others) + len(items) or any(each not in there for each in items):
            there[:] = [*others, *items]
    return text if value == before and text is not None else dumped(value, text)


def _taken(piece: Piece, text: str | None) -> str | None:
    if text is None or isinstance(piece, OwnFile):
        return None
    if isinstance(piece, TomlBlock):
        return without_block(piece.path, text)
    value = parsed(piece.path, text)
    for keys, ours in piece.keys.items():
        found: Any = value
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        if not is_our_server(ours) or is_our_server(found):
            _without(value, keys)
    for keys in piece.items:
        _without(value, keys, items=True)
    return dumped(value, text) if value != parsed(piece.path, text) else text


def _inside(value: dict[str, Any], keys: Keys, path: Path) -> dict[str, Any]:
    for key in keys:
        value = value.setdefault(key, {})
        if not isinstance(value, dict):
            raise CannotChange(f"{path}: {key} is no object: mend it first")
    return value


def _without(value: object, keys: Keys, *, items: bool = False) -> bool:
    """Take out a key, or our items of its list, and what is empty by that; whether there was any."""
    key, *below = keys
    if not isinstance(value, dict) or key not in value:
        return False
    if below:
        taken = _without(value[key], tuple(below), items=items)
    elif items:
        there = value[key] if isinstance(value[key], list) else []
        others = without_ours(there)
        if taken := others != there:
            value[key] = others
    else:
        del value[key]
        return True
    if taken and value[key] in ({}, []):
        del value[key]
    return taken


def _with_block(piece: TomlBlock, text: str) -> str:
    rest = without_block(piece.path, text)
    try:
        found: Any = tomllib.loads(rest)
        for key in piece.table.split("."):
            found = found.get(key, {})
    except (tomllib.TOMLDecodeError, AttributeError) as error:
        raise CannotChange(f"{piece.path} cannot be read: {error}: mend it first") from None
    if found:
        raise CannotChange(
            f"{piece.path} has a table [{piece.table}] already: take it out, then install again"
        )
    if text.count(BEGIN) == 1 and f"{BEGIN}\n{piece.text}\n" in text:
        return text  # it is there; the host may have written a table of its own behind it
    after = f"{rest.rstrip()}\n\n" if rest.strip() else ""
    after += f"{BEGIN}\n{piece.text}\n{END}\n"
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError as error:
        raise CannotChange(f"{piece.path} takes no more tables: {error}: mend it first") from None
    return after


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")  # with the ends of its lines as they are
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise CannotChange(f"{path} is no text in UTF-8: mend it first") from None


def _copies(path: Path) -> list[Path]:
    """The copies that were kept of a file."""
    start = f"{path.name}.before-{NAME}"
    return sorted(each for each in path.parent.iterdir() if each.name.startswith(start))


def _copy(path: Path, text: str) -> Path:
    """Keep what was there, beside it, under a name that nothing has yet."""
    number = 1
    while True:
        copy = path.with_name(f"{path.name}.before-{NAME}{'' if number == 1 else f'-{number}'}")
        try:
            with copy.open("xb") as file:
                file.write(text.encode("utf-8"))
        except FileExistsError:
            number += 1
            continue
        copy.chmod(path.stat().st_mode & 0o777)
        return copy


def _replace(path: Path, text: str) -> None:
    """Write a file in one step; a link stays a link, and the mode stays what it was."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f"{target.name}.{os.getpid()}")
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    try:
        draft.write_bytes(text.encode("utf-8"))
        draft.chmod(mode)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _prune(folder: Path) -> None:
    """Delete the folders of ours that are empty now."""
    for each in (folder, *folder.parents):
        if each.name not in _OWN_FOLDERS or not each.is_dir() or any(each.iterdir()):
            return
        each.rmdir()


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip().splitlines())
