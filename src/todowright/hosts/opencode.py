"""OpenCode's plugin: one JavaScript file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources

from todowright.hosts.description import COMMAND, VERSION


def opencode_plugin(command: Sequence[str] = COMMAND, *, mirror_only: bool = False) -> str:
    """The file's text."""
    text = resources.files("todowright.hosts").joinpath("opencode.js").read_text("utf-8")
    filled = {
        "@VERSION@": VERSION,
        "@COMMAND@": json.dumps(list(command)),
        "@MIRROR_ONLY@": "true" if mirror_only else "false",
    }
    for name, value in filled.items():
        text = text.replace(name, value)
    return text
