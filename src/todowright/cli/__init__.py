"""The command `todowright`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = argparse.ArgumentParser(
        prog="todowright",
        description="A TodoWrite tool for LLM agents: see its dialects at work.",
        epilog="example: todowright demo --dialect checklist",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    from todowright.cli import demo

    demo.add_to(commands)
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        return _leave_quietly()
    except KeyboardInterrupt:
        return 130


def _leave_quietly() -> int:
    import os
    import sys

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
