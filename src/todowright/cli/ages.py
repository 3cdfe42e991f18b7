"""Times and durations in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime, timedelta


def ago(moment: datetime, now: datetime | None = None) -> str:
    """How long ago a moment was."""
    from datetime import UTC, datetime

    return f"{lasting((now or datetime.now(UTC)) - moment)} ago"


def lasting(length: timedelta) -> str:
    """A duration in its two largest units: `42 s`, `3 min`, `2 h 5 min`, `4 d`."""
    seconds = max(0, int(length.total_seconds()))
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min"
    if seconds < 86400:
        minutes = seconds % 3600 // 60
        return f"{seconds // 3600} h {minutes} min" if minutes else f"{seconds // 3600} h"
    return f"{seconds // 86400} d"
