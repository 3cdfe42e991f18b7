"""What of git loses work, or shows it to others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from todowright.agent.work.grave_words import options

_VALUES = {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"}
_NAME = re.compile(r"[\w.-]+")
_HELP = {"--help", "-h"}
_DRY = {"push": {"-n", "--dry-run"}, "clean": {"-n", "--dry-run"}}


def git_harms(given: Sequence[str], is_grave: Callable[[str], bool]) -> bool:
    """Whether git loses work, or shows it to others; `is_grave` judges what an alias would run."""
    left = list(given)
    while left and left[0].startswith("-"):
        if left[0] == "-c" and any(_alias(word, is_grave) for word in left[1:2]):
            return True
        if left[0].startswith("--config-env=alias."):
            return True
        del left[: 2 if left[0] in _VALUES else 1]
    if not left or left[0] == "help":
        return False
    name, *rest = left
    if not _NAME.fullmatch(name):
        return True  # what bash makes of it is not known
    end = rest.index("--") if "--" in rest else len(rest)
    if (_HELP | _DRY.get(name, set())) & {*rest[:end]}:
        return False
    return _JUDGES.get(name, _never)(rest) or any(map(is_grave, _told(name, rest)))


def _alias(setting: str, is_grave: Callable[[str], bool]) -> bool:
    """Whether a setting makes git run something grave: as an alias, or as an editor, a pager and the like."""
    name, _, value = setting.partition("=")
    if value.startswith("!"):
        return is_grave(value[1:])
    return is_grave(f"git {value}" if name.lower().startswith("alias.") else value)


def _told(name: str, rest: Sequence[str]) -> list[str]:
    """What git gives to a shell, now or when an alias is used."""
    if name == "config":
        return [word[1:] for word in rest if word.startswith("!")]
    if name == "bisect":
        return [" ".join(rest[1:])] if rest[:1] == ["run"] else []
    if name == "submodule":
        return [" ".join(rest[rest.index("foreach") + 1 :])] if "foreach" in rest else []
    if name == "rebase":
        behind = [word for before, word in pairwise(rest) if before in ("-x", "--exec")]
        return behind + [word.partition("=")[2] for word in rest if word.startswith("--exec=")]
    return []


def _never(_: Sequence[str]) -> bool:
    return False


def _always(_: Sequence[str]) -> bool:
    return True


def _begins(*words: str) -> Callable[[Sequence[str]], bool]:
    return lambda rest: rest[:1] != [] and rest[0] in words


def _checkout(rest: Sequence[str]) -> bool:
    """Whether files are written over: by force, or because they are named."""
    if "--" in rest or "." in rest or options(rest, "fB", "--force"):
        return True
    makes = options(rest, "bt", "--track") or "--orphan" in rest
    return not makes and sum(not word.startswith("-") for word in rest) > 1


def _branch(rest: Sequence[str]) -> bool:
    return options(rest, "DMCf", "--force")


def _switch(rest: Sequence[str]) -> bool:
    return options(rest, "fC", "--force-create") or options(rest, "", "--discard-changes")


def _hard(rest: Sequence[str]) -> bool:
    return any(word[:3] == "--h" and "--hard".startswith(word) for word in rest)


def _prunes(rest: Sequence[str]) -> bool:
    return any(word.startswith("--prune") for word in rest)


def _removes(rest: Sequence[str]) -> bool:
    return rest[:1] == ["remove"] and options(rest, "f", "--force")


_JUDGES: dict[str, Callable[[Sequence[str]], bool]] = {
    "branch": _branch,
    "checkout": _checkout,
    "clean": _always,
    "filter-branch": _always,
    "filter-repo": _always,
    "gc": _prunes,
    "push": _always,
    "reflog": _begins("expire", "delete"),
    "reset": _hard,
    "restore": _always,
    "rm": lambda rest: options(rest, "f", "--force"),
    "stash": _begins("drop", "clear"),
    "switch": _switch,
    "tag": lambda rest: options(rest, "df", "--delete"),
    "update-ref": lambda rest: options(rest, "d", "--delete"),
    "worktree": _removes,
}
