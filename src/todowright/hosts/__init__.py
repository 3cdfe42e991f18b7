"""Files for coding agents, and how they get to their places."""
