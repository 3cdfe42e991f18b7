"""What an agent's loop needs beside the tool: reminders, the stop guard, smaller messages."""

from todowright.host.messages import cleared, shrunk
from todowright.host.reminders import Decision, Reminders, StopGuard, WorkReminders

__all__ = ["Decision", "Reminders", "StopGuard", "WorkReminders", "cleared", "shrunk"]
