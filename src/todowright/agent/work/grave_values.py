"""Commands with the values of the variables that their line itself sets, as in `x=rm; $x -r y`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from todowright.shell.bash_syntax import Command, Steps

_SET = re.compile(r"([A-Za-z_]\w*)=", re.ASCII)
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_USED = re.compile(r"\$(?:\{([A-Za-z_]\w*|[@*])(?:\[[@*]\])?\}|([A-Za-z_]\w*|[@*]))", re.ASCII)
_DEFAULT = re.compile(r"\$\{[A-Za-z_]\w*:?[-=]([^}]*)\}", re.ASCII)
_MOST_WORDS = 1000
_MOST_PARTS = 99


def with_values(
    commands: Sequence[Command], steps: Steps, *, without: bool = False
) -> Sequence[Command]:
    """The commands, each with the values as words; with the values whole, as they stand in quotes; and `without` them."""
    cut = [_without_values(each) for each in commands if without and any(each.fixed.values())]
    values: dict[str, str] = {}
    for command in commands:
        values.update(_values_set(command))
    if not values and not any("${" in word for each in commands for word in each.words):
        return [*commands, *cut] if cut else commands
    parts = {name: value.split(maxsplit=_MOST_PARTS) for name, value in values.items()}
    found: list[Command] = []
    for command in commands:
        head, tail = command.words[:_MOST_WORDS], command.words[_MOST_WORDS:]
        told = _value(command.input.strip(), values) if command.input else None
        given = command.input if told is None else told
        in_parts = [part for word in head for part in _parts(word, parts)]
        steps.take(len(in_parts) - len(head) if len(in_parts) > len(head) else 0)
        whole = [word if (value := _value(word, values)) is None else value for word in head]
        command.words, command.input = in_parts + tail, given
        found.append(command)
        if whole != in_parts:
            found.append(replace(command, words=whole + tail))
    return found + cut


def _without_values(command: Command) -> Command:
    """The command where what is expanded in a part of a word comes to nothing: "git push$x" is "git push" then.

    A word that is expanded as a whole stays: without it, the next one would stand in its place.
    """
    words = [command.fixed.get(at) or word for at, word in enumerate(command.words)]
    return replace(command, words=words, fixed={})


def _values_set(command: Command) -> Iterator[tuple[str, str]]:
    """The variables that a command sets, as far as its words tell."""
    words = command.words[:_MOST_WORDS]
    for word in words:
        if set_here := _SET.match(word):
            value = word[set_here.end() :]
            is_list = value.startswith(" ") and value.endswith(")")  # `name=( … )`
            yield set_here[1], value[1:-1] if is_list else value
    name, *given = words[command.name_at :] or [""]
    if name == "printf" and given[:1] == ["-v"] and len(given) > 2:
        yield given[1], " ".join(given[3:] or given[2:])
    elif name == "set":
        yield from dict.fromkeys("@*", " ".join(given[given[:1] == ["--"] :])).items()
    elif name in ("read", "mapfile", "readarray") and command.input:
        yield from ((word, command.input) for word in given if _NAME.fullmatch(word))


def _value(word: str, values: Mapping[str, str]) -> str | None:
    used = _USED.fullmatch(word)
    return values.get(used[1] or used[2]) if used else None


def _parts(word: str, parts: Mapping[str, list[str]]) -> list[str]:
    """The words that bash makes of one."""
    used = _USED.fullmatch(word)
    if used and (used[1] or used[2]) in parts:
        return parts[used[1] or used[2]]
    default = _DEFAULT.fullmatch(word)
    return default[1].split(maxsplit=_MOST_PARTS) if default else [word]
