"""What a session's requests took, in one line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from todowright.text import clip, harmless

if TYPE_CHECKING:
    from todowright.stores import Store
    from todowright.stores.prices import Prices
    from todowright.stores.usage import Usage

_LONGEST_MODEL = 40
_DATE = re.compile(r"-\d{8}$", re.ASCII)
"""What many names end with: the day of their release."""


def session_usage(store: Store, session: str) -> str:
    """The line of a session in a store."""
    import os

    from todowright.stores.prices import given_prices

    return usage_line(store.usage(session), given_prices(os.environ))


def usage_line(found: Sequence[Usage], prices: Prices) -> str:
    """The model, tokens read and written, and dollars where they are known; empty where nothing was counted."""
    from todowright.stores.usage import total

    whole = total(found)
    if whole is None:
        return ""
    busiest = sorted((each for each in found if each.model), key=lambda each: -each.input)
    models = list(dict.fromkeys(each.model for each in busiest))
    names = [clip(harmless(_DATE.sub("", models[0])), _LONGEST_MODEL)] if models else []
    if len(models) > 1:
        names[0] += f" +{len(models) - 1}"
    parts = [*names, f"{tokens(whole.input)} in", f"{tokens(whole.output)} out"]
    cost, is_whole = prices.cost(found)
    if cost is not None:
        parts.append(f"{'' if is_whole else '≥ '}{dollars(cost)}")
    return " · ".join(parts)


def tokens(count: int) -> str:
    """A number of tokens, short: 950, 12.3k, 4.1M."""
    if count >= 999_950:  # what would be 1000.0k
        return f"{count / 1_000_000:.1f}M"
    return f"{count / 1000:.1f}k" if count >= 1000 else str(count)


def dollars(cost: float) -> str:
    """An amount, with cents that say something."""
    return f"{cost:.2f} $" if cost >= 0.01 or not cost else "< 0.01 $"
