"""The tool: what a call becomes, and the one writer of revisions."""
