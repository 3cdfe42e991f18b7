"""What formats share whose calls change single items."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from todowright.errors import Unreadable
from todowright.formats.applying import METADATA, Deed, Op
from todowright.formats.items import ACTIVE_FORMS, bounded, from_text, label_of, words
from todowright.formats.reading import ToolCall
from todowright.formats.words import STATE, status_of
from todowright.text import kind, sound

_LONGEST_RESULT = 20_000
_REFUSED = re.compile(r"<tool_use_error>|Task (?:#\S{1,100} )?not found")
"""How Claude Code begins an answer to a call that it refused."""


def arguments_of(call: ToolCall) -> Mapping[str, Any]:
    """The arguments of a call; raises `Unreadable` where they are no object."""
    given = from_text(call.arguments) if isinstance(call.arguments, str) else call.arguments
    if not isinstance(given, Mapping):
        raise Unreadable(f"the arguments must be an object, not {kind(given)}")
    return given


def op_of(
    do: Deed,
    given: Mapping[str, Any],
    content: str,
    texts: Sequence[str],
    label: str,
    *,
    status: str = "status",
) -> Op:
    """The edit that the fields of a call ask for; `texts` are the extras that it may name."""
    said = given.get(content)
    if do == "add" and (said is None or not isinstance(said, (str, int))):
        raise Unreadable(f"'{content}' must be a text: it is {kind(said)}")
    form = next((given[key] for key in ACTIVE_FORMS if isinstance(given.get(key), str)), None)
    extras = [(key, bounded(given[key])) for key in texts if isinstance(given.get(key), str)]
    meaning = None
    if given.get(status) is not None:
        meaning, state = status_of(given[status])
        extras.append((STATE, state))
    metadata = given.get(METADATA)
    return Op(
        do,
        label,
        None,
        words(said) if isinstance(said, str) and said.strip() else None,
        meaning,
        None if form is None else bounded(form),
        tuple(extras),
        (),
        metadata if isinstance(metadata, dict) else None,
    )


def texts_in(result: object, depth: int = 6) -> Iterator[str]:
    """The texts of an answer, however it is wrapped."""
    if isinstance(result, str):
        yield result[:_LONGEST_RESULT]
    elif depth and isinstance(result, Mapping):
        for key in ("text", "content", "output", "llmContent", "message"):
            yield from texts_in(result.get(key), depth - 1)
    elif depth and isinstance(result, (list, tuple)):
        for each in result[:20]:
            yield from texts_in(each, depth - 1)


def refused(result: object) -> bool:
    """Whether an answer says that the agent's own tool refused the call."""
    if result is None:
        return False
    value = from_text(result) if isinstance(result, str) else result
    if isinstance(value, Mapping) and (
        value.get("is_error") is True or value.get("success") is False
    ):
        return True
    return any(_REFUSED.match(text) for text in texts_in(value))


def id_in(result: object, pattern: str) -> str:
    """The id that an answer gives a new item: as a field, or in its words; empty where it does not."""
    value = from_text(result) if isinstance(result, str) else result
    if isinstance(value, Mapping):
        task = value.get("task")
        inner = task if isinstance(task, Mapping) else value
        if label := label_of(inner.get("id", inner.get("taskId"))):
            return label
    for text in texts_in(value):
        if found := re.search(pattern, text):
            return sound(found[1])
    return ""


def wire_metadata(text: str) -> Any:
    """Metadata as the object it was; as much of it as can be told where it was none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = text
    return found if isinstance(found, dict) else {"text": text}
