"""A plan as the board, the commands and MCP show it."""

from __future__ import annotations

from todowright.plan.model import Plan

Plain = dict[str, object]
_INNER = ("issued", "log", "verified")
"""What only the tool needs."""


def as_data(plan: Plan) -> Plain:
    """A plan as plain values, for who reads it; `Plan.to_dict` has all of it."""
    return {key: value for key, value in plan.to_dict().items() if key not in _INNER}
