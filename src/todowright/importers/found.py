"""What the readers find in the files of agents: planning calls, and what could not be read."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

from todowright.names import LONGEST_NAME, session_name
from todowright.plan.model import MAIN
from todowright.stores.usage import MOST_COST, MOST_TOKENS

MOST_WAITING = 200
"""Calls that wait for their results at one time; beyond that the oldest goes on without."""
_PASSED = 2
"""An agent that had an answer so many rounds later gets none to what it asked before: it was cut off there."""
_EARLIEST, _LATEST = 946_684_800, 4_102_444_800
"""Seconds from 1970 to 2000 and to 2100: a larger number is one of milliseconds."""
LONGEST_PROMPT = 400
"""Characters of a prompt that are kept: a name has room for a few words."""
_AHEAD = 300.0
"""Seconds that the clock of another machine may be ahead; a time beyond is in the future, and counts as none."""


@dataclass(frozen=True, slots=True)
class Found:
    """One planning call, as the file of an agent has it."""

    tool: str
    input: object
    session: str
    agent: str = MAIN
    id: str = ""
    """The host's own id of the call; empty where its file keeps none."""
    when: datetime | None = None
    model: str = ""
    title: str = ""
    """What the host calls the session, where it has a name."""
    result: object = None
    """What the tool answered: a text, or values; it may hold the id of a new task."""
    is_error: bool = False
    round: int = 0
    """How often the model had spoken before, as far as the file tells."""
    snapshot: bool = False
    """Whether it is a list as it stood in a file, and no call."""
    folder: str = ""
    """Where the agent worked, where its file tells that."""
    prompt: str = ""
    """What the user asked first, where its file tells that."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What one request to a model took, as the file of an agent has it."""

    id: str
    """The host's own id of the request, or of its answer."""
    session: str
    agent: str = MAIN
    model: str = ""
    input: int = 0
    """Tokens read, those from a cache too."""
    output: int = 0
    cached: int = 0
    cost: float | None = None
    when: datetime | None = None


@dataclass(frozen=True, slots=True)
class Damage:
    """A place in a file that could not be read."""

    line: int
    reason: str
    text: str = field(default="", compare=False, repr=False)
    """What stands there and behind it, where it was read: single calls in it may still be whole."""


class Waiting:
    """Calls that wait for their results; they leave in the order in which they came."""

    def __init__(self) -> None:
        self._calls: dict[str, Found] = {}
        self._answered: set[str] = set()
        self.marks: tuple[bytes, ...] = ()
        """The ids of the calls that wait, as a line of a file has them."""

    def add(self, call: Found) -> None:
        """Let a call wait; one without an id waits for nothing but those before it."""
        key = call.id or f"\0{len(self._calls)}"
        if key in self._calls:  # one message in several lines, or one call told twice
            return
        self._calls[key] = call
        if not call.id:
            self._answered.add(key)
        self._mark()

    def answer(self, call_id: str, result: object, *, is_error: bool = False) -> None:
        """Give a call its result."""
        if call_id in self._calls:
            self._calls[call_id] = replace(self._calls[call_id], result=result, is_error=is_error)
            self._answered.add(call_id)
            self._mark()

    def ready(self) -> Iterable[Found]:
        """The calls that need not wait any longer."""
        last = max(
            (self._calls[key].round for key in self._answered if key in self._calls), default=0
        )
        for key in list(self._calls):
            passed = 0 < self._calls[key].round <= last - _PASSED
            if key not in self._answered and not passed and len(self._calls) <= MOST_WAITING:
                break
            self._answered.discard(key)
            yield self._calls.pop(key)
        self._mark()

    def rest(self) -> Iterable[Found]:
        """All calls that still wait: no result will come."""
        left, self._calls = list(self._calls.values()), {}
        self._answered.clear()
        self._mark()
        return left

    def _mark(self) -> None:
        self.marks = tuple(
            key.encode("utf-8", "replace") for key in self._calls if key not in self._answered
        )


def moment(value: object) -> datetime | None:
    """A time as agents write it: ISO 8601, or seconds or milliseconds since 1970; None for one that cannot be."""
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value)
            found = found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found = datetime.fromtimestamp(value / 1000 if value > _LATEST else value, UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return found if _EARLIEST < found.timestamp() < time.time() + _AHEAD else None


def changed_at(nanoseconds: int) -> datetime:
    """When a file was changed; now, where its time is in the future."""
    return datetime.fromtimestamp(max(0.0, min(nanoseconds / 1e9, time.time())), UTC)


def text_of(value: object) -> str:
    """A value as text, where it is one; else nothing."""
    return value if isinstance(value, str) else ""


def member(value: object, *keys: str) -> object:
    """What stands under these keys, one in the other; None where something is missing."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def dicts(value: object) -> list[dict[str, object]]:
    """The objects of a list; none where it is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def count_of(value: object) -> int:
    """A number of tokens, where it is one that can be; else 0."""
    return value if type(value) is int and 0 < value <= MOST_TOKENS else 0


def cost_of(value: object) -> float | None:
    """Dollars, where they are told; hosts write 0 where they do not know."""
    if type(value) not in (int, float):
        return None
    assert isinstance(value, int | float)
    return float(value) if 0 < value <= MOST_COST else None


def names_of(found: Found | Spent, path: str) -> tuple[str, str]:
    """The names of the session and of the agent of a call or a request, as a store takes them."""
    session = session_name(found.session or Path(path).name.partition(".")[0] or "imported")
    main, *below = found.agent.split("/")
    agent = "/".join([main or MAIN, *(session_name(each)[:LONGEST_NAME] for each in below if each)])
    return session, agent


def parsed(line: bytes) -> object:
    """What a line holds; None where it is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def digest(*values: object) -> str:
    """The same for equal values, as they stand in a file, and for no others."""
    try:
        text = json.dumps(values, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        text = repr(values)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
