"""Commands that are never run without asking.

A net for accidents, not a wall: a shell can always spell a thing another way. For a wall, run the agent
in a container.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from todowright.shell.bash_syntax import Command, TooDeep, commands
from todowright.shell.line import read_line

_DEEPEST = 8
_SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "fish"}
_ALWAYS = {"sudo", "doas", "su", "dd", "shutdown", "reboot", "halt", "poweroff", "fdisk", "crontab"}
_WRAPPERS = {"!", "{", "}", "if", "then", "else", "elif", "while", "until", "do", "time", "exec"}
_WRAPPERS |= {"command", "builtin", "nohup", "env", "nice", "xargs", "timeout", "stdbuf", "setsid"}
_WRAPPERS |= {"function"}
_VALUES = {"-s", "--signal", "-k", "-u", "-C", "-n", "-I", "-P", "-L", "-d", "-i", "-o", "-e"}
"""Options of those that are followed by a value."""
_DRY = {"-n", "--dry-run", "--help", "-h", "help"}
_AMOUNT = re.compile(r"\d+(?:\.\d+)?[smhd]?|\{\}")
_ASSIGNED = re.compile(r"\w+\+?=")
_INTERPRETER = re.compile(r"python[\d.]*|perl|ruby|node")
_PUBLISHERS = {"npm", "pnpm", "yarn", "cargo", "poetry", "uv", "flit", "hatch"}
_FETCHERS = {"curl", "wget"}
_DEVICE = re.compile(r"/dev/(?!null\b|std|tty\b|fd/|zero\b|shm/|tcp/|udp/)")
_GIT_VALUES = {"-C", "-c", "--git-dir", "--work-tree", "--namespace"}


def is_grave(command: str) -> bool:
    """Whether a command can do harm that is not undone, or is too involved to tell."""
    line = read_line(command)
    return (
        not line.is_clear or _is_bomb(line.text) or any(_harms(each, 0) for each in line.commands)
    )


def _runs_grave(text: str, depth: int) -> bool:
    """Whether there is something grave in a text that a command hands to a shell."""
    if depth > _DEEPEST or _is_bomb(text):
        return True
    try:
        return any(_harms(each, depth) for each in commands(text))
    except (TooDeep, RecursionError):
        return True


def _is_bomb(text: str) -> bool:
    return ":(){" in text.replace(" ", "")


def _harms(command: Command, depth: int) -> bool:
    if any(_DEVICE.match(target) for target in command.writes):
        return True
    name, given = named(command.words)
    if (name in _ALWAYS and given != ["-l"]) or name.startswith("mkfs"):
        return True
    text = _text_to_run(name, given)
    if text and _runs_grave(text, depth + 1):
        return True
    if name in _SHELLS and command.input and _runs_grave(command.input, depth + 1):
        return True
    if _runs_text(name) and _reads_input(given):
        before = named(command.piped.words) if command.piped else ("", [])
        echoed = " ".join(before[1]) if name in _SHELLS and before[0] in ("echo", "printf") else ""
        if _is_fetched(command) or (echoed and _runs_grave(echoed, depth + 1)):
            return True
    if name in _FETCHERS and command.inside and _runs_text(named(command.inside.words)[0]):
        return True
    if name == "find":
        return _find(given, depth)
    return _BY_NAME.get(name, _never)(given)


def _text_to_run(name: str, given: Sequence[str]) -> str:
    """What a shell is told to run, in its words or by what is echoed into it."""
    if name == "eval":
        return " ".join(given)
    options = [n for n, word in enumerate(given) if re.fullmatch(r"-[a-z]*c", word)]
    return (
        given[options[0] + 1] if name in _SHELLS and options and len(given) > options[0] + 1 else ""
    )


def _is_fetched(command: Command) -> bool:
    """Whether what is piped into a command comes from the net."""
    before, steps = command.piped, 0
    while before is not None and steps < 20:
        if named(before.words)[0] in _FETCHERS:
            return True
        before, steps = before.piped, steps + 1
    return False


def named(words: Sequence[str]) -> tuple[str, list[str]]:
    """The command that is run, whatever stands before its name, and what it is given."""
    left = list(words)
    wrapped = ""
    while left:
        word = left[0].rpartition("/")[2]
        if wrapped == "command" and left[0] in ("-v", "-V"):
            return "", []  # it only tells where it is
        if wrapped and left[0] in _VALUES and len(left) > 1:
            del left[:2]
            continue
        passed = wrapped and (word.startswith("-") or _AMOUNT.fullmatch(word))
        defines = left[1:2] == ["{"]  # the name of a function
        if word not in _WRAPPERS and not _ASSIGNED.match(left[0]) and not passed and not defines:
            break
        wrapped = word if word in _WRAPPERS else wrapped
        del left[0]
    if not left or left[0].startswith("./"):
        return "", left[1:]
    name, *given = left
    name = name.rpartition("/")[2]
    if _INTERPRETER.fullmatch(name) and given[:1] == ["-m"] and len(given) > 1:
        return given[1], given[2:]
    return name, given


def _runs_text(name: str) -> bool:
    """Whether it runs what it reads."""
    return name in _SHELLS | {"eval", "source", "."} or bool(_INTERPRETER.fullmatch(name))


def _reads_input(given: Sequence[str]) -> bool:
    """Whether an interpreter with these words runs what is piped into it."""
    plain = [word for word in given if not word.startswith("-")]
    return "-s" in given or "-" in given or not (plain or "-c" in given)


def _has(given: Sequence[str], letters: str, long: str) -> bool:
    """Whether one of the options is given, on its own or among others."""
    short = [word for word in given if re.fullmatch(r"-[a-zA-Z]+", word)]
    return long in given or any(letter in word for word in short for letter in letters)


def _git(given: Sequence[str]) -> bool:
    left = list(given)
    while left and left[0].startswith("-"):
        del left[: 2 if left[0] in _GIT_VALUES else 1]
    if not left or _DRY & {*left[1:]}:
        return False
    name, *rest = left
    if name == "reset":
        return "--hard" in rest
    if name == "checkout":
        return "--" in rest or "." in rest or "-f" in rest
    if name == "stash":
        return rest[:1] in (["drop"], ["clear"])
    return name in ("push", "clean", "filter-branch", "filter-repo", "restore")


def _find(given: Sequence[str], depth: int) -> bool:
    """Whether `find` runs something grave, or deletes without choosing."""
    if "-delete" in given and not any(word.endswith("name") for word in given):
        return True
    places = [n for n, word in enumerate(given) if word in ("-exec", "-execdir", "-ok")]
    ends = [*places[1:], len(given)]
    runs = [list(given[n + 1 : end]) for n, end in zip(places, ends, strict=False)]
    return any(_harms(Command(words), depth + 1) for words in runs)


def _never(_: Sequence[str]) -> bool:
    return False


_BY_NAME: dict[str, Callable[[Sequence[str]], bool]] = {
    "rm": lambda given: _has(given, "rR", "--recursive"),
    "chmod": lambda given: _has(given, "R", "--recursive"),
    "chown": lambda given: _has(given, "R", "--recursive"),
    "git": _git,
    "kill": lambda given: "-1" in given[1:],
    "tee": lambda given: any(_DEVICE.match(word) for word in given),
    "twine": lambda given: given[:1] == ["upload"],
} | {name: (lambda given: "publish" in given[:2] and not _DRY & {*given}) for name in _PUBLISHERS}
