"""What tokens cost, by prices that the user gives: none are built in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import NamedTuple

from todowright.errors import UnknownName
from todowright.plan.data import Plain
from todowright.stores.usage import Usage, total
from todowright.text import shown

PRICE = "TODOWRIGHT_PRICE"
_CACHED = 0.1
"""What a token from the cache counts, where its price is not given: as a tenth."""
_MOST = 1_000_000.0
"""Dollars a million tokens: more is a slip, and sums of it would be no numbers."""


class Price(NamedTuple):
    """Dollars a million tokens: read, written, and read from a cache."""

    input: float
    output: float
    cached: float

    def of(self, read: int, written: int, cached: int) -> float:
        """Dollars for so many tokens; `read` counts the cached ones, too."""
        fresh = (read - cached) * self.input
        return (fresh + cached * self.cached + written * self.output) / 1e6


class Prices:
    """Prices by the beginnings of the names of models; one without a name is for all others."""

    def __init__(self, text: str = "") -> None:
        self._known: dict[str, Price] = {}
        for part in text.replace(";", " ").split():
            name, mark, numbers = part.rpartition("=")
            self._known[name if mark else ""] = _price(numbers, part)

    def __bool__(self) -> bool:
        return bool(self._known)

    def price(self, model: str) -> Price | None:
        """The price of a model: that of the longest name that its own begins with."""
        fitting = [name for name in self._known if model.startswith(name)]
        return self._known[max(fitting, key=len)] if fitting else None

    def cost(self, found: Iterable[Usage]) -> tuple[float | None, bool]:
        """Dollars so far, None where nothing is known of them; and whether that is all.

        What was told counts as told. Where nothing was, the price does.
        """
        cost, known, whole = 0.0, False, True
        for each in found:
            price = None if each.priced else self.price(each.model)
            if price is not None:
                cost += price.of(each.input, each.output, each.cached)
            elif each.priced:
                cost += each.cost
                whole = whole and each.priced == each.requests
            else:
                whole = False
                continue
            known = True
        if not isfinite(cost):  # of a damaged database: neither JSON nor a person can use it
            return None, False
        return (cost if known else None), known and whole

    def told(self, found: Sequence[Usage]) -> Plain | None:
        """What these came to, as plain values; None for nothing."""
        whole = total(found)
        if whole is None:
            return None
        cost, is_whole = self.cost(found)
        return {
            "models": sorted({each.model for each in found if each.model}),
            "requests": whole.requests,
            "input": whole.input,
            "output": whole.output,
            "cached": whole.cached,
            "cost": None if cost is None else round(cost, 6),
            "cost_is_whole": is_whole,
            "updated_at": whole.updated_at.isoformat() if whole.updated_at else None,
        }


def given_prices(environ: Mapping[str, str]) -> Prices:
    """The prices of the variable; none where it is not set."""
    try:
        return Prices(environ.get(PRICE, ""))
    except UnknownName as error:
        raise UnknownName(f"{PRICE}: {error}") from None


def _price(text: str, part: str) -> Price:
    try:
        numbers = [float(each) for each in text.split(",")]
    except ValueError:
        numbers = []
    sound = all(0 <= each <= _MOST for each in numbers)
    if len(numbers) not in (2, 3) or not sound:
        told = "dollars a million tokens, read and written, as 3,15 or model=3,15,0.3"
        raise UnknownName(f"'{shown(part)}' is no price: write {told}")
    read, written, *cached = numbers
    return Price(read, written, cached[0] if cached else read * _CACHED)
