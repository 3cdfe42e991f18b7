"""Calls that a model wrote into its text, where its server did not read them as calls."""

from __future__ import annotations

import json

from todowright.fitting.judge import Made


def written_calls(text: str) -> tuple[Made, ...]:
    """Every JSON object of the text that has a name and arguments."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while (at := text.find("{", at)) >= 0:
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        if isinstance(value, dict) and isinstance(value.get("name"), str) and "arguments" in value:
            found.append(Made(value["name"], value["arguments"]))
    return tuple(found)
