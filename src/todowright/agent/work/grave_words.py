"""Which command is run by the words of a line: what stands before its name, and its options."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from todowright.shell.bash_syntax import Command

_WRAPPERS = {"!", "{", "}", "if", "then", "else", "elif", "while", "until", "do", "time", "exec"}
_WRAPPERS |= {"command", "builtin", "nohup", "env", "nice", "xargs", "timeout", "stdbuf", "setsid"}
_WRAPPERS |= {
    "function",
    "coproc",
    "flock",
    "busybox",
    "toybox",
    "ionice",
    "chrt",
    "taskset",
    "strace",
}
_WRAPPERS |= {"ltrace", "unshare", "chroot", "fakeroot", "watch", "parallel", "script", "unbuffer"}
_VALUES: dict[str, set[str]] = {
    "env": {"-u", "--unset", "-C", "--chdir"},
    "exec": {"-a"},
    "flock": {"-w", "--timeout", "--wait", "-E", "--conflict-exit-code"},
    "ionice": {"-c", "-n", "--class", "--classdata"},
    "nice": {"-n", "--adjustment"},
    "parallel": {"-j", "--jobs", "-a", "--arg-file", "-I"},
    "script": {"-O", "-I", "-B", "-T", "-E", "-o"},
    "strace": {"-e", "-o", "-p", "-s", "-u"},
    "stdbuf": {"-i", "-o", "-e", "--input", "--output", "--error"},
    "time": {"-f", "-o", "--format", "--output"},
    "taskset": {"-c"},
    "timeout": {"-s", "--signal", "-k", "--kill-after"},
    "watch": {"-n", "--interval"},
    "xargs": {"-I", "-n", "-P", "-L", "-d", "-s", "-E", "-a", "--max-args", "--max-procs",
              "--max-lines", "--max-chars", "--delimiter", "--arg-file"},
}  # fmt: skip
"""Options of those that are followed by a value."""
_AMOUNT = re.compile(r"\d+(?:\.\d+)?[smhd]?|\{\}")
_ASSIGNED = re.compile(r"(?:\w+|[A-Za-z_]\w*\[.*\])\+?=", re.DOTALL)
_EXPANDED = re.compile(r"\$[\w@*]+|\$\{[^}]*\}|\$\(.*\)|`.*`", re.DOTALL)
"""A word of which nothing is known before it runs: it may be empty, or `sudo`."""
_SET = re.compile(r"([A-Za-z_]\w*)=", re.ASCII)
_USED = re.compile(r"\$\{?([A-Za-z_]\w*)\}?", re.ASCII)
_MOST_WORDS = 1000
_INTERPRETER = re.compile(r"python[\d.]*|perl|ruby|node")
_TOLD = {("env", "-S"), ("env", "--split-string"), ("flock", "-c"), ("flock", "--command"),
         ("script", "-c"), ("script", "--command")}  # fmt: skip
"""Options behind which a text stands that is run."""


def named(words: Sequence[str]) -> tuple[str, list[str]]:
    """The command that is run, whatever stands before its name, and what it is given."""
    left = list(words)
    wrapped, locks = "", False
    while left:
        first, word = left[0], left[0].rpartition("/")[2]
        if wrapped == "command" and first in ("-v", "-V"):
            return "", []  # it only tells where it is
        if (text := _told(wrapped, left)) is not None:
            return "eval", text
        if wrapped and word.startswith("-"):
            del left[: 2 if _has_value(wrapped, first) else 1]
            continue
        defines = left[1:2] == ["{"]  # the name of a function
        amount = wrapped and _AMOUNT.fullmatch(word)
        known = word not in _WRAPPERS and not _ASSIGNED.match(first)
        if known and not (amount or defines or locks or _EXPANDED.fullmatch(first)):
            break
        locks = word in ("flock", "chroot") and not locks  # its next word is a file
        wrapped = word if word in _WRAPPERS else wrapped
        del left[0]
    if not left or left[0].startswith("./"):
        return "", left[1:]
    name, *given = left
    name = name.rpartition("/")[2]
    if wrapped in ("watch", "parallel"):  # they give their words to a shell
        end = next((n for n, word in enumerate(left) if word.startswith(":::")), len(left))
        return "eval", left[:end]
    if _INTERPRETER.fullmatch(name) and given[:1] == ["-m"] and len(given) > 1:
        return given[1], given[2:]
    return name, given


def _told(wrapper: str, words: Sequence[str]) -> list[str] | None:
    """The text that an option gives to a shell, behind it or at its end; the option may be one of several letters."""
    option, *rest = words
    if not option.startswith("-"):
        return None
    long, _, value = option.partition("=")
    if option.startswith("--"):
        return ([value] if value else rest) if (wrapper, long) in _TOLD else None
    at = next((n for n, letter in enumerate(option) if (wrapper, f"-{letter}") in _TOLD), 0)
    return None if not at else [option[at + 1 :], *rest] if option[at + 1 :] else rest


def _has_value(wrapper: str, option: str) -> bool:
    """Whether the next word is the value of an option, which may be the last of several letters."""
    values = _VALUES.get(wrapper, set())
    if option.startswith("--"):
        return option in values
    places = [n for n, letter in enumerate(option[1:], 2) if f"-{letter}" in values]
    return places[:1] == [len(option)]


def with_values(commands: Sequence[Command]) -> Sequence[Command]:
    """Commands with the values of variables that the line itself sets, as in `x=rm; $x -r y`."""
    values: dict[str, str] = {}
    for command in commands:
        for word in command.words[:_MOST_WORDS]:
            if set_here := _SET.match(word):
                values[set_here[1]] = word[set_here.end() :]
    if not values:
        return commands
    for command in commands:
        words = command.words[:_MOST_WORDS]
        command.words[:_MOST_WORDS] = [part for word in words for part in _parts(word, values)]
    return commands


def _parts(word: str, values: Mapping[str, str]) -> list[str]:
    """The words that bash makes of one."""
    used = _USED.fullmatch(word)
    return values[used[1]].split(maxsplit=99) if used and used[1] in values else [word]


def options(given: Sequence[str], letters: str, long: str) -> bool:
    """Whether one of the options is given, on its own or among others."""
    short = [found[0] for word in given if (found := re.match(r"-[a-zA-Z]+", word))]
    return any(word[:3] == long[:3] and long.startswith(word) for word in given) or any(
        letter in word for word in short for letter in letters
    )
