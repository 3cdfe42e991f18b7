"""What is said of a command line that cannot be meant: what is wrong, and what was likely meant."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import NoReturn

from todowright.text import harmless, likely


class Parser(argparse.ArgumentParser):
    """A parser that says what was likely meant, with the usage of the command that was given."""

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Read a command line; what is left over is told by the command that it was given to."""
        options, unknown = self.parse_known_args(words)
        chosen = self._chosen(options)
        for action in chosen._actions:
            # Before Python 3.13, argparse loses the text of `--output=--`.
            if not action.option_strings or action.nargs is not None:
                continue
            given = getattr(options, action.dest, None)
            several = given if isinstance(given, list) else [given]
            if given != action.default and (given == [] or [] in several or "--" in several):
                chosen.error(f"argument {action.option_strings[-1]}: expected a value")
        if unknown:
            chosen.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options

    def error(self, message: str) -> NoReturn:
        """Tell what is wrong, and end with exit code 2."""
        wrong = re.search(r"invalid choice: '([^']+)'|unrecognized arguments: (--[\w-]+)", message)
        if wrong is not None:
            known = [*self._option_string_actions, *self._commands()]
            if meant := likely(wrong[1] or wrong[2], known):
                message += f": {meant.strip()}"
        super().error(harmless(message))

    def _chosen(self, options: argparse.Namespace) -> argparse.ArgumentParser:
        """The parser of the command that was given."""
        return self._commands().get(getattr(options, "command", ""), self)

    def _commands(self) -> dict[str, argparse.ArgumentParser]:
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                return dict(action.choices)
        return {}
