"""The tool: what a call becomes, and the one writer of revisions. Its face is `todowright.TodoWrite`."""

__all__: list[str] = []
