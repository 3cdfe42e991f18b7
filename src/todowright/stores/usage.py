"""What agents' requests to their models took: tokens and, where somebody tells it, money."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import isfinite

from todowright.digests import sha256
from todowright.text import shown
from todowright.values import value

MOST_TOKENS = 10_000_000_000
"""Tokens of one request; more is a mistake."""
LONGEST_MODEL = 200
MOST_COST = 1_000_000.0
"""Dollars of one request."""
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request to a model, as who made it tells it."""

    session: str
    agent: str
    model: str = ""
    input: int = 0
    """Tokens that the model read, those from a cache too."""
    output: int = 0
    """Tokens that it wrote, its thoughts too."""
    cached: int = 0
    """How many of those read came from a cache."""
    cost: float | None = None
    """Dollars, where they are known."""
    at: datetime | None = None
    id: str = ""
    """What tells it from all others of its session: one with an id is counted once."""

    def __post_init__(self) -> None:
        if not (_is_count(self.input) and _is_count(self.output) and _is_count(self.cached)):
            self._refuse_counts()
        if self.cached > self.input:
            raise ValueError(
                f"cached ({self.cached}) is more than input ({self.input}): input counts the cached tokens, too"
            )
        if self.cost is not None and not _is_cost(self.cost):
            raise ValueError(f"cost must be dollars or None, not {shown(self.cost)}")
        if self.at is not None and self.at.tzinfo is None:
            raise ValueError("at must have a time zone: datetime.now(UTC), say")
        if not (_is_text(self.session, self.agent) and _is_text(self.model, self.id)):
            self._refuse_names()
        if (
            type(self.model) is not str
            or len(self.model) > LONGEST_MODEL
            or not self.model.isascii()
        ):
            model = self.model[:LONGEST_MODEL].encode("utf-8", "replace").decode()
            object.__setattr__(self, "model", model)

    def _refuse_counts(self) -> None:
        counts = ("input", self.input), ("output", self.output), ("cached", self.cached)
        name, count = next(each for each in counts if not _is_count(each[1]))
        raise ValueError(f"{name} must be how many tokens, not {shown(count)}")

    def _refuse_names(self) -> None:
        names = [(name, getattr(self, name)) for name in ("session", "agent", "model", "id")]
        name, given = next(each for each in names if not isinstance(each[1], str))
        raise TypeError(f"{name} must be a str, not {shown(given)}")

    @property
    def mark(self) -> int:
        """64 bits that stand for its id."""
        digest = sha256(self.id.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big", signed=True)

    @property
    def microseconds(self) -> int:
        """When it was made, since 1970; 0 where nobody knows."""
        return 0 if self.at is None else (self.at - _EPOCH) // _MICROSECOND


@value
class Usage:
    """What an agent's requests to one model came to; or all of several agents, or models."""

    agent: str = ""
    model: str = ""
    requests: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    cost: float = 0.0
    """Dollars of those requests of which they are known."""
    priced: int = 0
    """How many requests that are."""
    microseconds: int = 0
    """When the last of them was made, since 1970; 0 where nobody knows."""

    @property
    def updated_at(self) -> datetime | None:
        moment = _EPOCH + timedelta(microseconds=self.microseconds)
        return moment if self.microseconds else None

    def with_request(self, more: ModelRequest) -> Usage:
        """The sum with one more request to the same model, of the same agent."""
        return Usage(
            self.agent,
            self.model,
            self.requests + 1,
            self.input + more.input,
            self.output + more.output,
            self.cached + more.cached,
            self.cost + float(more.cost or 0.0),
            self.priced + (more.cost is not None),
            max(self.microseconds, more.microseconds),
        )

    def __add__(self, more: Usage) -> Usage:
        return Usage(
            self.agent if self.agent == more.agent else "",
            self.model if self.model == more.model else "",
            self.requests + more.requests,
            self.input + more.input,
            self.output + more.output,
            self.cached + more.cached,
            self.cost + more.cost,
            self.priced + more.priced,
            max(self.microseconds, more.microseconds),
        )


def usage_of(request: ModelRequest) -> Usage:
    """One request as a sum."""
    return Usage(
        request.agent,
        request.model,
        1,
        request.input,
        request.output,
        request.cached,
        float(request.cost or 0.0),
        int(request.cost is not None),
        request.microseconds,
    )


def in_order(found: Iterable[Usage]) -> list[Usage]:
    """By agent and model, in every store."""
    return sorted(found, key=lambda each: (each.agent, each.model))


def total(found: Sequence[Usage]) -> Usage | None:
    """All of them together; None for none."""
    first, *others = found or (None,)
    for each in others:
        first = each if first is None or each is None else first + each
    return first


def beside_plans(found: Iterable[Usage], agents: Iterable[str]) -> dict[str, list[Usage]]:
    """Usage by the agents that have plans: what a sub-agent without one took counts with who it works for."""
    known, sums = list(agents), dict[str, list[Usage]]()
    for each in found:
        name = each.agent
        while name and name not in known:
            name = name.rpartition("/")[0]
        sums.setdefault(name or (known[0] if known else each.agent), []).append(each)
    return sums


def _is_count(count: object) -> bool:
    return type(count) is int and 0 <= count <= MOST_TOKENS


def _is_text(one: object, other: object) -> bool:
    return isinstance(one, str) and isinstance(other, str)


def _is_cost(cost: object) -> bool:
    if type(cost) not in (int, float):
        return False
    assert isinstance(cost, int | float)
    return isfinite(cost) and 0 <= cost <= MOST_COST
