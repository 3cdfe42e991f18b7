"""Commands that are never run without asking.

A net for accidents, not a wall: a shell can always spell a thing another way. The wall is `--sandbox`,
or a container around the agent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from todowright.agent.work.grave_git import git_harms
from todowright.agent.work.grave_texts import (
    READERS,
    SHELLS,
    odd_alias,
    reads_otherwise,
    text_to_run,
)
from todowright.agent.work.grave_values import with_values
from todowright.agent.work.grave_words import named, options
from todowright.shell.bash_syntax import Command, Steps, TooDeep, commands, loses_text
from todowright.shell.line import LONGEST, read_line

_DEEPEST = 8
_CUT = 2
"""How deep a text may stand whose words are judged with nothing in place of what is expanded in them, too: each form
of a command doubles the work of what stands deeper."""
_ALWAYS = {
    "sudo",
    "doas",
    "su",
    "pkexec",
    "runuser",
    "dd",
    "shutdown",
    "reboot",
    "halt",
    "poweroff",
    "crontab",
}
_ALWAYS |= {"fdisk", "sfdisk", "parted", "wipefs", "blkdiscard", "shred", "dropdb"}
_DRY = {"-n", "--dry-run", "--help", "-h"}
_INTERPRETER = re.compile(r"python[\d.]*|perl|ruby|node")
_PUBLISHERS = {"npm", "pnpm", "yarn", "cargo", "poetry", "uv", "flit", "hatch"}
_FETCHERS = {"curl", "wget"}
_DECODERS = {
    "base64",
    "base32",
    "xxd",
    "openssl",
    "gzip",
    "gunzip",
    "zcat",
    "rev",
    "tr",
    "uudecode",
}
"""What they print cannot be read beforehand."""
_OUTWARD = {
    "docker": {"push", "prune"},
    "kubectl": {"delete"},
    "terraform": {"apply", "destroy"},
    "gh": {"delete", "release"},
}
"""What these do to the world outside, by one of their first three words that are no options."""
_RUN_LATER = re.compile(
    r"(?:GIT_\w*(?:COMMAND|EDITOR|PAGER|DIFF)|EDITOR|VISUAL|PAGER|PROMPT_COMMAND)=(.*)", re.DOTALL
)
"""Variables whose text other programs give to a shell."""
_ALIASES = re.compile(r"expand_aliases|BASH_ALIASES")
"""What has bash put other text in the place of a command's name, before it is read."""
_ECHO = re.compile(r"-[neE]+")
_DEVICE = re.compile(r"/dev/(?!null\b|std|tty\b|fd/|zero\b|shm/|tcp/|udp/)")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a command stands: how deep in texts that are handed to a shell, and what may still be done for the line."""

    steps: Steps
    depth: int = 0
    outer: dict[int, tuple[Command, str]] = field(default_factory=dict)
    """Commands that have others within them, and their names: each is looked at once, not for each of those."""

    def deeper(self, levels: int = 1) -> _Place:
        return _Place(self.steps, self.depth + levels, self.outer)

    def name_of(self, command: Command | None) -> str:
        if command is None:
            return ""
        if id(command) not in self.outer:
            self.outer[id(command)] = (command, named(command.words)[0])
        return self.outer[id(command)][1]


def is_grave(command: str) -> bool:
    """Whether a command can do harm that is not undone, or is too involved to tell."""
    line = read_line(command)
    if not line.is_clear or _is_bomb(line.text) or _runs_by_name(line.text):
        return True
    if loses_text(line.text, is_open=line.is_open):
        return True
    place = _Place(Steps(line.text))
    try:
        found = with_values(line.commands, place.steps, without=True)
        return any(_harms(each, place) for each in found)
    except (TooDeep, RecursionError):
        return True


def _runs_grave(text: str, place: _Place, shell: str = "") -> bool:
    """Whether there is something grave in a text that a command hands to a `shell`.

    The deeper it stands, the less of it is read, and all texts of a line share its steps: so lines within a
    line cost no more than the line.
    """
    if place.depth > _DEEPEST or len(text) > LONGEST >> place.depth or _is_bomb(text):
        return True
    if reads_otherwise(shell, text):
        return True
    place.steps.take(len(text))
    found = commands(text, place.steps)
    cut = place.depth < _CUT
    return any(_harms(each, place) for each in with_values(found, place.steps, without=cut))


def _runs_by_name(text: str) -> bool:
    """Whether a text is run because a variable holds it, as `${x@P}` does."""
    return any("${" in part for part in text.split("}") if part.endswith("@P"))


def _is_bomb(text: str) -> bool:
    return ":(){" in text.replace(" ", "")


def _harms(command: Command, place: _Place) -> bool:
    if any(map(_DEVICE.match, command.writes)) or any(map(_ALIASES.search, command.words)):
        return True
    name, given = named(command.words)
    if (name in _ALWAYS and given != ["-l"]) or name.startswith("mkfs") or _is_list(name):
        return True
    text = text_to_run(name, given)
    if text and _runs_grave(text, place.deeper(), name):
        return True
    if (
        name in SHELLS | READERS
        and command.input
        and _runs_grave(command.input, place.deeper(), name)
    ):
        return True
    later = [found[1] for word in command.words if (found := _RUN_LATER.match(word))]
    if any(_runs_grave(each, place.deeper()) for each in later):
        return True
    if _runs_text(name) and _reads_input(given):
        if any(named(each.words)[0] in _FETCHERS | _DECODERS for each in _piped_into(command)):
            return True
        if name in SHELLS and any(
            _prints_grave(each, place, name) for each in _piped_into(command)
        ):
            return True
    outer = place.name_of(command.inside)
    if name in _FETCHERS and _runs_text(outer):
        return True
    if outer in SHELLS | READERS and _prints_grave(command, place, outer):
        return True
    if name == "find":
        return _find(given, place)
    if name == "git":
        return git_harms(given, lambda text: _runs_grave(text, place.deeper()))
    return _outward(name, given) or _BY_NAME.get(name, _never)(given)


def _is_list(name: str) -> bool:
    """Whether a name is a list in braces, of which bash makes the words of a command."""
    return "{" in name and ("," in name or ".." in name)


def _piped_into(command: Command) -> list[Command]:
    """The commands before this one in its pipe, up to the next one that runs what it reads."""
    found: list[Command] = []
    while command.piped is not None and len(found) < 20:
        command = command.piped
        found.append(command)
        if _runs_text(named(command.words)[0]):
            break
    return found


def _prints_grave(command: Command, place: _Place, shell: str) -> bool:
    """Whether what a command prints would be grave if a `shell` ran it."""
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
    return any(_runs_grave(text, place.deeper(2), shell) for text in texts)


def _runs_text(name: str) -> bool:
    """Whether it runs what it reads."""
    return name in SHELLS | READERS or bool(_INTERPRETER.fullmatch(name))


def _reads_input(given: Sequence[str]) -> bool:
    """Whether an interpreter with these words runs what is piped into it."""
    plain = [word for word in given if not word.startswith("-")]
    return "-s" in given or "-" in given or not (plain or "-c" in given)


def _find(given: Sequence[str], place: _Place) -> bool:
    """Whether `find` runs something grave, or deletes without choosing."""
    if "-delete" in given and not _chooses(given):
        return True
    places = [n for n, word in enumerate(given) if word in ("-exec", "-execdir", "-ok", "-okdir")]
    ends = [*places[1:], len(given)]
    runs = [list(given[n + 1 : end]) for n, end in zip(places, ends, strict=False)]
    return any(_harms(Command(words), place.deeper()) for words in runs)


def _chooses(given: Sequence[str]) -> bool:
    """Whether `find` takes only files of a certain name."""
    if {"-o", "-or", "-not", "!", ",", "-regex"} & {*given}:
        return False
    patterns = [each for word, each in pairwise(given) if word in ("-name", "-iname")]
    return any(re.search(r"\w", each) for each in patterns)


def _rm(given: Sequence[str]) -> bool:
    """Whether `rm` takes folders, or all there is in one."""
    return options(given, "rR", "--recursive") or any(
        word.rpartition("/")[2] in ("*", ".*", "{*,.*}") for word in given
    )


def _publishes(given: Sequence[str]) -> bool:
    return "publish" in given[:2] and given[0] != "help" and not _DRY & {*given}


def _never(_: Sequence[str]) -> bool:
    return False


_BY_NAME: dict[str, Callable[[Sequence[str]], bool]] = {
    "alias": odd_alias,
    "rm": _rm,
    "chmod": lambda given: options(given, "R", "--recursive"),
    "chown": lambda given: options(given, "R", "--recursive"),
    "chgrp": lambda given: options(given, "R", "--recursive"),
    "rsync": lambda given: any(word.startswith(("--delete", "--remove")) for word in given),
    "kill": lambda given: "-1" in given[1:],
    "twine": lambda given: given[:1] == ["upload"],
}
_BY_NAME |= dict.fromkeys(_PUBLISHERS, _publishes)
_BY_NAME |= dict.fromkeys(("tee", "cp", "mv"), lambda given: any(map(_DEVICE.match, given)))


def _outward(name: str, given: Sequence[str]) -> bool:
    plain = [word for word in given if not word.startswith("-")]
    is_dry = any(word.startswith(("--dry-run", "--help")) for word in given) or "-h" in given
    return bool(_OUTWARD.get(name, set()) & {*plain[:3]}) and not is_dry
