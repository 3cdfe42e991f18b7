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
_WRAPPERS |= {"function", "coproc", "flock"}
_VALUES: dict[str, set[str]] = {
    "env": {"-u", "--unset", "-C", "--chdir"},
    "exec": {"-a"},
    "flock": {"-w", "--timeout", "--wait", "-E", "--conflict-exit-code"},
    "nice": {"-n", "--adjustment"},
    "stdbuf": {"-i", "-o", "-e", "--input", "--output", "--error"},
    "time": {"-f", "-o", "--format", "--output"},
    "timeout": {"-s", "--signal", "-k", "--kill-after"},
    "xargs": {"-I", "-n", "-P", "-L", "-d", "-s", "-E", "-a", "--max-args", "--max-procs",
              "--max-lines", "--max-chars", "--delimiter", "--arg-file"},
}  # fmt: skip
"""Options of those that are followed by a value."""
_DRY = {"-n", "--dry-run", "--help", "-h"}
_AMOUNT = re.compile(r"\d+(?:\.\d+)?[smhd]?|\{\}")
_ASSIGNED = re.compile(r"(?:\w+|[A-Za-z_]\w*\[.*\])\+?=", re.DOTALL)
_EXPANDED = re.compile(r"\$[\w@*]+|\$\{[^}]*\}|\$\(.*\)|`.*`", re.DOTALL)
"""A word of which nothing is known before it runs: it may be empty, or `sudo`."""
_INTERPRETER = re.compile(r"python[\d.]*|perl|ruby|node")
_PUBLISHERS = {"npm", "pnpm", "yarn", "cargo", "poetry", "uv", "flit", "hatch"}
_FETCHERS = {"curl", "wget"}
_READERS = {"eval", "source", "."}
_TOLD = {("env", "-S"), ("env", "--split-string"), ("flock", "-c"), ("flock", "--command")}
"""Options behind which a text stands that is run."""
_ECHO = re.compile(r"-[neE]+")
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
        if any(named(each.words)[0] in _FETCHERS for each in _piped_into(command)):
            return True
        if name in _SHELLS and any(_prints_grave(each, depth) for each in _piped_into(command)):
            return True
    outer = named(command.inside.words)[0] if command.inside else ""
    if name in _FETCHERS and _runs_text(outer):
        return True
    if outer in _SHELLS | _READERS and _prints_grave(command, depth):
        return True
    if name == "find":
        return _find(given, depth)
    return _BY_NAME.get(name, _never)(given)


def _text_to_run(name: str, given: Sequence[str]) -> str:
    """What a shell is told to run, in its words."""
    words = given[1:] if given[:1] == ["--"] else given
    if name == "eval":
        return " ".join(words)
    if name == "trap":
        return words[0] if words and not words[0].startswith("-") else ""
    return _text_of_c(given) if name in _SHELLS else ""


def _text_of_c(given: Sequence[str]) -> str:
    """The text of `sh -c TEXT`, which comes behind all options."""
    at, is_there = 0, False
    while at < len(given) and re.match(r"[-+][^-]|--.", given[at]):
        word, at = given[at], at + 1
        if word.startswith("--"):
            at += word in ("--rcfile", "--init-file")
        else:
            is_there |= word[0] == "-" and "c" in word
            at += word.count("o") + word.count("O")  # each has a name behind it
    at += given[at : at + 1] in (["--"], ["-"])
    return given[at] if is_there and at < len(given) else ""


def _piped_into(command: Command) -> list[Command]:
    """The commands before this one in its pipe."""
    found: list[Command] = []
    while command.piped is not None and len(found) < 20:
        command = command.piped
        found.append(command)
    return found


def _prints_grave(command: Command, depth: int) -> bool:
    """Whether what a command prints would be grave if a shell ran it."""
    name, given = named(command.words)
    texts: set[str] = set()
    if name in ("cat", "tee"):
        texts = {command.input or ""}
    elif name == "echo":
        start = next((n for n, word in enumerate(given) if not _ECHO.fullmatch(word)), len(given))
        texts = {" ".join(given[start:])}
    elif name == "printf":
        texts = {sign.join(words) for sign in (" ", "\n") for words in (given, given[1:])}
    texts |= {re.sub(r"\\n|\\012|\\x0[aA]", "\n", text) for text in texts}
    return any(_runs_grave(text, depth + 2) for text in texts)


def named(words: Sequence[str]) -> tuple[str, list[str]]:
    """The command that is run, whatever stands before its name, and what it is given."""
    left = list(words)
    wrapped, locks = "", False
    while left:
        first, word = left[0], left[0].rpartition("/")[2]
        if wrapped == "command" and first in ("-v", "-V"):
            return "", []  # it only tells where it is
        if (wrapped, first) in _TOLD:
            return "eval", left[1:]
        if wrapped and word.startswith("-"):
            del left[: 2 if _has_value(wrapped, first) else 1]
            continue
        defines = left[1:2] == ["{"]  # the name of a function
        amount = wrapped and _AMOUNT.fullmatch(word)
        known = word not in _WRAPPERS and not _ASSIGNED.match(first)
        if known and not (amount or defines or locks or _EXPANDED.fullmatch(first)):
            break
        locks = word == "flock" and not locks  # its next word is a file
        wrapped = word if word in _WRAPPERS else wrapped
        del left[0]
    if not left or left[0].startswith("./"):
        return "", left[1:]
    name, *given = left
    name = name.rpartition("/")[2]
    if _INTERPRETER.fullmatch(name) and given[:1] == ["-m"] and len(given) > 1:
        return given[1], given[2:]
    return name, given


def _has_value(wrapper: str, option: str) -> bool:
    """Whether the next word is the value of an option, which may be the last of several letters."""
    values = _VALUES.get(wrapper, set())
    if option.startswith("--"):
        return option in values
    places = [n for n, letter in enumerate(option[1:], 2) if f"-{letter}" in values]
    return places[:1] == [len(option)]


def _runs_text(name: str) -> bool:
    """Whether it runs what it reads."""
    return name in _SHELLS | _READERS or bool(_INTERPRETER.fullmatch(name))


def _reads_input(given: Sequence[str]) -> bool:
    """Whether an interpreter with these words runs what is piped into it."""
    plain = [word for word in given if not word.startswith("-")]
    return "-s" in given or "-" in given or not (plain or "-c" in given)


def _has(given: Sequence[str], letters: str, long: str) -> bool:
    """Whether one of the options is given, on its own or among others."""
    short = [word for word in given if re.fullmatch(r"-[a-zA-Z]+", word)]
    return any(word[:3] == long[:3] and long.startswith(word) for word in given) or any(
        letter in word for word in short for letter in letters
    )


def _git(given: Sequence[str]) -> bool:
    left = list(given)
    while left and left[0].startswith("-"):
        del left[: 2 if left[0] in _GIT_VALUES else 1]
    if not left or _DRY & {*left[1:]}:
        return False
    name, *rest = left
    if name == "reset":
        return any(word[:3] == "--h" and "--hard".startswith(word) for word in rest)
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


def _publishes(given: Sequence[str]) -> bool:
    return "publish" in given[:2] and given[0] != "help" and not _DRY & {*given}


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
} | dict.fromkeys(_PUBLISHERS, _publishes)
