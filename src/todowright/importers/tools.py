"""The tools that plan, of one agent."""

from __future__ import annotations


class Tools:
    """Names of tools, and how a line of a file shows that one may be in it."""

    def __init__(self, *names: str) -> None:
        self._names = frozenset(names)
        self.marks = tuple(sorted(name.encode() for name in names))

    def __contains__(self, name: object) -> bool:
        """Whether it is one of them, also behind the name of an MCP server."""
        return isinstance(name, str) and name.rpartition("__")[2] in self._names

    def may_be_in(self, data: bytes) -> bool:
        """Whether bytes hold one of the names: what does not need not be parsed."""
        return any(mark in data for mark in self.marks)


CLAUDE = Tools("TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet")
OPENCODE = Tools("todowrite")


def shares_list(tool: str) -> bool:
    """Whether the sub-agents of Claude Code work on the list of their session with this tool."""
    return tool.startswith("Task")
