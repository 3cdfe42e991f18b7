"""`todowright completion`.

Print a completion script for your shell.
"""

from __future__ import annotations

from typing import Any

EXAMPLES = """examples:
  todowright completion bash > ~/.local/share/bash-completion/completions/todowright
  todowright completion zsh > ~/.zfunc/_todowright"""


def add_options(parser: Any) -> None:
    parser.add_argument("shell", choices=["bash", "zsh", "tcsh"], help="which shell")


def run(options: Any) -> int:
    import shtab

    from todowright.cli import parser

    print(shtab.complete(parser(), shell=options.shell))
    return 0
