"""The house's own words for faults and notes; a dialect may have others."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from todowright.text import a_kind, clip

PLACES = (
    "i",
    "field",
    "path",
    "got",
    "kind",
    "received",
    "limit",
    "expected",
    "allowed",
    "list",
    "tool",
)
"""What a phrase may name in braces; notes have `got` alone."""
_EXAMPLES: dict[str, object] = {**dict.fromkeys(PLACES, ""), "i": 0, "limit": 0}
_NOTES = ("warn_skipped", "warn_reopened", "warn_rushed", "last_stands")
PHRASES: Mapping[str, str] = MappingProxyType(
    {
        "no_argument": "no arguments: send an object with the key {list}",
        "not_json": "invalid JSON: send an object with the key {list}",
        "tool": "no tool is called '{got}': call {tool}",
        "type": "{path} must be {expected}, not {kind}",
        "missing": "{path} is missing: add it",
        "other_key": "{path} is missing: the list came as {got}",
        "blank": "{path} is blank: say what to do",
        "too_long": "{path} has {got} characters, the limit is {limit}: shorten it",
        "unicode": "{path} is not valid Unicode: send it without lone surrogates",
        "status": "{path} is '{got}': use one of {allowed}",
        "choice": "{path} is '{got}': use one of {expected}",
        "extra": "a step of this plan has no '{field}': it has {got}",
        "unknown": "{path} has unknown keys ({got}): leave them out",
        "too_many": "{path} has {got} items, the limit is {limit}: merge or drop some",
        "focus": "{path} has {got} items in progress, the limit is {limit}: keep one, set the others back",
        "environment": "{path} must be a positive integer, not '{got}'",
        "no_step": "there is no step {field}: the steps are {got}",
        "no_step_like": "there is no step {field}; {got}",
        "cycle": "task {field} cannot wait for {got}: they would wait for each other",
        "blocked": "task {field} is blocked by {got}: finish that first",
        "drops": "that would drop {got}. Nothing was changed: send it again if you mean it",
        "ambiguous": "{field} is not clear, say which step by its number: {got}",
        "edit": "{got}",
        "misplaced": "{field} belongs to {got}: call that",
        "nested": "{path} holds steps of its own: list them one by one",
        "edited": "{got}. Nothing was changed: send the list again, with that in it",
        "ended": "this sub-agent has ended, and its plan with it: leave it",
        "not_shared": "step {field} is not shared with {got}",
        "judging": "a step is being verified: change the plan after that, not within",
        "skipped": "step {field} was never started: start it before you finish it",
        "reopened": "step {field} was finished: it may not be opened again",
        "rushed": "{got} steps finished at once: finish them one by one",
        "warn_skipped": "note: step {got} was never started",
        "warn_reopened": "note: step {got} had been finished",
        "warn_rushed": "note: {got} steps finished at once",
        "unverified": "step {field} is not finished: {got}",
        "unverifiable": "step {field} is verified by the program that runs this plan: finish it there",
        "internal": "the plan could not be kept ({got}); the one before it stands: go on, and tell the user",
        "storm": "The same again: nothing changed.",
        "last_stands": "Note: {got} plan calls in this turn; this is the one that stands.",
    }
)


def phrase_fault(name: str, phrase: object) -> str:
    """What is wrong with the words for a fault or a note; empty where nothing is."""
    if not isinstance(phrase, str):
        return f"is {a_kind(phrase)}: give a text"
    examples = {"got": ""} if name in _NOTES else _EXAMPLES
    try:
        phrase.format(**examples)
    except Exception as error:  # what a format string can do wrong is of many kinds
        why = clip(f"{type(error).__name__}: {error}", 50)
        return f"cannot be filled in ({why}): the places are {', '.join(examples)}"
    return ""
