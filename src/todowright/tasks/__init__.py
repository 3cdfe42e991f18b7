"""Tasks for many workers: who gets the next one, for how long, and who works on what."""

from __future__ import annotations

from todowright.tasks.claims import Claim, Claims, LostClaim
from todowright.tasks.fleet import Fleet, FleetTask, fleet_of
from todowright.tasks.worker import Ended, Worker, WorkerOptions

__all__ = [
    "Claim",
    "Claims",
    "Ended",
    "Fleet",
    "FleetTask",
    "LostClaim",
    "Worker",
    "WorkerOptions",
    "fleet_of",
]
