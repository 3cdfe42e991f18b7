"""The heartbeat of a worker: renews its lease, and notices when the lease is over though the store does not answer."""

from __future__ import annotations

import threading
import time

from todowright.errors import StoreError
from todowright.tasks.claims import Claim, Claims, LostClaim


class Heartbeat:
    """Renews the lease of a claim now and then, each time in a thread: a store that hangs holds nobody up."""

    def __init__(self, claims: Claims, claim: Claim, lease: float) -> None:
        self._claims = claims
        self._claim = claim
        self._lease = lease
        self._renewed = time.monotonic()
        """When the last renewal that was answered was asked for: it lasts from then on, or longer."""
        self._next = self._renewed + lease / 3
        self._asked: _Renewal | None = None
        self._why = "the store does not answer"

    def beat(self) -> Claim:
        """The claim as it is held now; raises `LostClaim` where it is lost, or its lease may be over."""
        now = time.monotonic()
        if self._asked is None and now >= self._next:
            self._asked = _Renewal(self._claims, self._claim)
        if self._asked is not None and self._asked.ended.is_set():
            self._heard(self._asked, now)
            self._asked = None
        if now - self._renewed > self._lease:
            told = f"the lease of task #{self._claim.number} is over"
            raise LostClaim(f"{told}, and could not be renewed: {self._why}")
        return self._claim

    def _heard(self, asked: _Renewal, now: float) -> None:
        if isinstance(asked.error, StoreError):  # there may be time for another try
            self._why, self._next = str(asked.error), now + self._lease / 10
        elif asked.error is not None:
            raise asked.error
        elif asked.claim is not None:
            self._claim, self._renewed = asked.claim, asked.began
            self._next = asked.began + self._lease / 3


class _Renewal:
    """One renewal, under way or answered."""

    def __init__(self, claims: Claims, claim: Claim) -> None:
        self.began = time.monotonic()
        self.ended = threading.Event()
        self.claim: Claim | None = None
        self.error: BaseException | None = None
        threading.Thread(target=self._run, args=(claims, claim), daemon=True).start()

    def _run(self, claims: Claims, claim: Claim) -> None:
        try:
            self.claim = claims.renew(claim)
        except BaseException as error:
            self.error = error
        finally:
            self.ended.set()
