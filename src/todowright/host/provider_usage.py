"""What a provider or a framework told of a request, as it is told: some of it may be missing."""

from __future__ import annotations

from todowright.errors import StoreError
from todowright.host.plan_run import PlanRun
from todowright.logs import log_exception


def tell_usage(
    run: PlanRun,
    model: str | None,
    read: int | None,
    written: int | None,
    cached: int | None,
    *,
    cost: float | None = None,
    request_id: str | None = None,
) -> None:
    """Count a request as its provider told it; what cannot be kept is logged, and ends no run."""
    if not read and not written:
        return
    try:
        run.used(
            model=model or "",
            input=read or 0,
            output=written or 0,
            cached=min(cached or 0, read or 0),
            cost=cost,
            request_id=request_id or "",
        )
    except (StoreError, ValueError, TypeError):
        log_exception("what a request took could not be kept")
