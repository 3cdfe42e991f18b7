"""Which command is run by the words of a line: what stands before its name, and its options."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
_WRAPPERS |= {"systemd-run", "nsenter", "setpriv", "valgrind", "catchsegv", "chronic", "rlwrap"}
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
_EXPANDED = re.compile(r"\$[\w@*!]+|\$\{[^}]*\}|\$\(.*\)|`.*`|[<>]\(\s*\)", re.DOTALL)
"""A word of which nothing is known before it runs: it may be empty, or `sudo`."""
_INTERPRETER = re.compile(r"python[\d.]*|perl|ruby|node")
_TOLD = {("env", "-S"), ("env", "--split-string"), ("flock", "-c"), ("flock", "--command"),
         ("script", "-c"), ("script", "--command")}  # fmt: skip
"""Options behind which a text stands that is run."""


def named(words: Sequence[str]) -> tuple[str, list[str]]:
    """The command that is run, whatever stands before its name, and what it is given."""
    at, wrapped, locks = 0, "", False
    while at < len(words):
        first, word = words[at], words[at].rpartition("/")[2]
        if wrapped == "command" and first in ("-v", "-V"):
            return "", []  # it only tells where it is
        if (text := _told(wrapped, words, at)) is not None:
            return "eval", text
        if wrapped and word.startswith("-"):
            at += 2 if _has_value(wrapped, first) else 1
            continue
        defines = words[at + 1 : at + 2] == ["{"]  # the name of a function
        amount = wrapped and _AMOUNT.fullmatch(word)
        known = word not in _WRAPPERS and not _ASSIGNED.match(first)
        if known and not (amount or defines or locks or _EXPANDED.fullmatch(first)):
            break
        locks = word in ("flock", "chroot") and not locks  # its next word is a file
        wrapped = word if word in _WRAPPERS else wrapped
        at += 1
    left = list(words[at:])
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


def _told(wrapper: str, words: Sequence[str], at: int) -> list[str] | None:
    """The text that the option here gives to a shell, behind it or at its end; it may be one of several letters."""
    option = words[at]
    if not option.startswith("-"):
        return None
    long, _, value = option.partition("=")
    if option.startswith("--"):
        is_told = (wrapper, long) in _TOLD
    else:
        end = next((n for n, letter in enumerate(option) if (wrapper, f"-{letter}") in _TOLD), 0)
        is_told, value = bool(end), option[end + 1 :]
    if not is_told:
        return None
    rest = list(words[at + 1 :])
    if option.startswith("--"):
        return [value] if value else rest
    return [value, *rest] if value else rest


def _has_value(wrapper: str, option: str) -> bool:
    """Whether the next word is the value of an option, which may be the last of several letters."""
    values = _VALUES.get(wrapper, set())
    if option.startswith("--"):
        return option in values
    places = [n for n, letter in enumerate(option[1:], 2) if f"-{letter}" in values]
    return places[:1] == [len(option)]


def options(given: Sequence[str], letters: str, long: str) -> bool:
    """Whether one of the options is given, on its own or among others."""
    short = [found[0] for word in given if (found := re.match(r"-[a-zA-Z]+", word))]
    return any(word[:3] == long[:3] and long.startswith(word) for word in given) or any(
        letter in word for word in short for letter in letters
    )
