"""What an agent's loop needs beside the tool: reminders, the stop guard, smaller messages."""
