"""Our tables in a host's TOML file: they stand between two marks, and others may stand there too."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from todowright.hosts.description import NAME, VERSION
from todowright.hosts.ours import CannotChange, is_our_hook

BEGIN, END = f"# {NAME} {VERSION}: begin", f"# {NAME}: end"
_BEGINS = f"# {NAME} "
_HEADER = re.compile(r"\s*+\[\[?([^\[\],=]++)\]\]?\s*+(#.*)?$")
_HOOK = re.compile(r"hooks\.\w+\.hooks")


def without_block(path: Path, text: str) -> str:
    """The text without our marks and tables; a table of another that came between them stays."""
    kept: list[str] = []
    block: list[str] | None = None
    for line in text.splitlines(keepends=True):
        if line.startswith(_BEGINS) and line.rstrip().endswith(": begin"):
            if block is not None:
                raise _no_end(path)
            block = []
        elif block is not None and line.rstrip() == END:
            kept += _others(block)
            block = None
        else:
            (kept if block is None else block).append(line)
    if block is not None:
        raise _no_end(path)
    rest = "".join(kept)
    return rest if rest == text else rest.rstrip() + "\n" * bool(rest.strip())


def _no_end(path: Path) -> CannotChange:
    told = f"put it after the last line of {NAME}, or take these lines out by hand"
    return CannotChange(f"{path} has no line `{END}` after its begin: {told}")


def _others(block: list[str]) -> list[str]:
    """The lines of the tables that are not ours."""
    tables = _tables(block)
    kept: list[str] = []
    at = 0
    while at < len(tables):
        name, lines = tables[at]
        hooks = at + 1
        while hooks < len(tables) and tables[hooks][0] == f"{name}.hooks":
            hooks += 1
        others = [each for hook, each in tables[at + 1 : hooks] if not _is_ours(hook, each)]
        if not _is_ours(name, lines) and (others or hooks == at + 1):
            kept += lines
        for each in others:
            kept += each
        at = hooks
    return kept


def _tables(block: list[str]) -> list[tuple[str, list[str]]]:
    """Each table's name and lines; comments above a header are the table's below."""
    tables: list[tuple[str, list[str]]] = [("", [])]
    for line in block:
        if found := _HEADER.match(line):
            above: list[str] = []
            before = tables[-1][1]
            while before and before[-1].lstrip()[:1] in ("", "#"):
                above.insert(0, before.pop())
            tables.append((found[1].strip(), above))
        tables[-1][1].append(line)
    return [each for each in tables if each[0] or "".join(each[1]).strip()]


def _is_ours(name: str, lines: list[str]) -> bool:
    if name == f"mcp_servers.{NAME}" or name.startswith(f"mcp_servers.{NAME}."):
        return True
    if not _HOOK.fullmatch(name):
        return False
    try:
        _, event, _ = name.split(".")
        hook = tomllib.loads("".join(lines))["hooks"][event]["hooks"][0]
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError):
        return False
    return is_our_hook(hook.get("command"))
