"""What an agent's loop needs beside the tool: its run on a plan, reminders, the stop guard, smaller messages, calls in text."""

from todowright.host.messages import cleared, shrunk
from todowright.host.plans import PlanHost
from todowright.host.reminders import Decision, Reminders, StopGuard, WorkReminders
from todowright.host.run import PlanRun, plan_event, plan_rows
from todowright.host.text_calls import TextCall, calls_in_text

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
