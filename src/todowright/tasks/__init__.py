"""Tasks for many workers: who gets the next one, and for how long."""

from __future__ import annotations

from todowright.tasks.claims import Claim, Claims, LostClaim
from todowright.tasks.worker import Ended, Worker, WorkerOptions

__all__ = ["Claim", "Claims", "Ended", "LostClaim", "Worker", "WorkerOptions"]
