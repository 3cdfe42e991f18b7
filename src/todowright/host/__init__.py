"""What an agent's loop needs beside the tool: its run on a plan, reminders, the stop guard, smaller messages, calls in text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from todowright.host.messages import cleared, shrunk
    from todowright.host.plan_host import PlanHost
    from todowright.host.plan_run import PlanRun, plan_event, plan_rows
    from todowright.host.reminders import Decision, Reminders, StopGuard, WorkReminders
    from todowright.host.text_calls import TextCall, calls_in_text

_HOMES = {
    "messages": ("cleared", "shrunk"),
    "plan_host": ("PlanHost",),
    "plan_run": ("PlanRun", "plan_event", "plan_rows"),
    "reminders": ("Decision", "Reminders", "StopGuard", "WorkReminders"),
    "text_calls": ("TextCall", "calls_in_text"),
}

__all__ = [
    "Decision",
    "PlanHost",
    "PlanRun",
    "Reminders",
    "StopGuard",
    "TextCall",
    "WorkReminders",
    "calls_in_text",
    "cleared",
    "plan_event",
    "plan_rows",
    "shrunk",
]


def __getattr__(name: str) -> object:
    """Load a name when it is first asked for: a hook of a coding agent needs none of them."""
    for home, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(f"todowright.host.{home}"), name)
    raise AttributeError(f"module 'todowright.host' has no attribute '{name}'")
