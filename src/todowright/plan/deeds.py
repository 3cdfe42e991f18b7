"""What can be done to a single todo."""

from __future__ import annotations

from typing import Literal, get_args

from todowright.plan.model import Status

Deed = Literal["complete", "reopen", "start", "cancel", "reword", "add", "move", "remove"]
DEEDS: tuple[Deed, ...] = get_args(Deed)
STATUS_OF: dict[str, Status] = {
    "complete": "completed",
    "reopen": "pending",
    "start": "in_progress",
    "cancel": "cancelled",
}
"""The deeds that only change a status."""
