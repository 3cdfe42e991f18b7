"""Texts that are handed to shells: which they are, and what one of them alone would make of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

SHELLS = {
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "ash",
    "csh",
    "tcsh",
    "mksh",
    "yash",
    "rbash",
}
READERS = {"eval", "source", "."}
_PLAIN_ALIAS = re.compile(r"[\w ./:=@,+~-]*")
_GRAMMAR = {"case", "esac", "do", "done", "if", "fi", "then", "for", "select", "function", "time"}
_OTHERS = SHELLS - {"bash", "rbash"}
_ONLY_BASH = re.compile(r"\[\[|(?<!\$)\(\(|\$'")
"""Forms that only some shells know: another one takes what stands in them for commands."""
_SSH_VALUES = re.compile(r"-[46AaCfGgKkMNnqsTtVvXxYy]*[BbcDEeFIiJLlmOoPpQRSWw]")


def text_to_run(name: str, given: Sequence[str]) -> str:
    """What a shell is told to run, in its words."""
    words = given[1:] if given[:1] == ["--"] else given
    if name == "eval":
        return " ".join(words)
    if name == "alias":
        return "\n".join(word.partition("=")[2] for word in words)
    if name == "ssh":
        return " ".join(words[_machine_at(words) + 1 :])
    if name == "trap":
        return words[0] if words and not words[0].startswith("-") else ""
    return _text_of_c(given) if name in SHELLS else ""


def _machine_at(words: Sequence[str]) -> int:
    """Where the name of the machine stands, behind the options of `ssh`."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if _SSH_VALUES.fullmatch(words[at]) else 1
    return at


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


def odd_alias(given: Sequence[str]) -> bool:
    """Whether an alias may change how a line is read: by a quote, a sign, or a word of the grammar."""
    texts = [word.partition("=")[2] for word in given]
    return any(not _PLAIN_ALIAS.fullmatch(each) or _GRAMMAR & {*each.split()} for each in texts)


def reads_otherwise(shell: str, text: str) -> bool:
    """Whether a `shell` may take for commands what is something else for bash."""
    return shell in _OTHERS and _ONLY_BASH.search(text.replace("\\\n", "")) is not None
