"""How often somebody may ask."""

from __future__ import annotations

import time
from collections import OrderedDict

_MOST = 1_000
"""How many are remembered; who asked longest ago is forgotten first."""


class Pace:
    """So many requests a second over time, and so many at once, for each who asks."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def too_fast(self, who: str) -> bool:
        """Count a request of theirs; whether it is one too many."""
        now = time.monotonic()
        left, then = self._left.pop(who, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._rate) - 1
        self._left[who] = (max(left, 0.0), now)
        if len(self._left) > _MOST:
            self._left.popitem(last=False)
        return left < 0
