"""What a plan is, how two compare, and how one is edited."""

from todowright.plan.model import Author, Plan, Todo

__all__ = ["Author", "Plan", "Todo"]
