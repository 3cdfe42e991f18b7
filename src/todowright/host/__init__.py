"""What an agent's loop needs beside the tool: reminders, the stop guard, smaller messages, calls in text."""

from todowright.host.messages import cleared, shrunk
from todowright.host.reminders import Decision, Reminders, StopGuard, WorkReminders
from todowright.host.text_calls import TextCall, calls_in_text

__all__ = [
    "Decision",
    "Reminders",
    "StopGuard",
    "TextCall",
    "WorkReminders",
    "calls_in_text",
    "cleared",
    "shrunk",
]
