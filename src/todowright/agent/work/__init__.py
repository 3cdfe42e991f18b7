"""What an agent works with: a folder it cannot leave, tools for it, and what it may do unasked."""
