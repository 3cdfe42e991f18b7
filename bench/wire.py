"""What a request carries beside arguments and results: the definitions of the tools, and what wraps each call.

The wrappers are those that the two makers have published for their models: OpenAI's harmony format, and Anthropic's tags.
A special token counts as one. Each call is charged the dearer of the two.
"""

from __future__ import annotations

from functools import cache

from bench.tokens import compact, tokens
from todowright.dialects import Dialect

OFFERED = {
    "TodoWrite": 2_117,  # Claude Code 1.0.128: 2,000 of description, 117 of name and schema
    "write_todos": 1_278,  # LangChain 1.4, with the prompt that its middleware adds
    "todowrite": 583,  # opencode 1.18
    "update_plan": 129,  # Codex
}
"""Definitions of other tools as their hosts send them, counted in the packages."""
BARE = 117
"""Of a tool whose description is not known, the name and the schema alone: less than any of them takes."""


@cache
def definitions_of(tool: str | Dialect) -> int:
    """The tokens of a tool's definition, or of all tools of a dialect."""
    if isinstance(tool, Dialect):
        tools = [
            {"name": each.name, "description": each.description, "input_schema": each.input_schema}
            for each in tool.tools
        ]
        return tokens(compact(tools))
    return OFFERED.get(tool, BARE)


@cache
def overhead(tool: str) -> int:
    """The tokens around the arguments and the result of one call."""
    return max(_harmony(tool), _tags(tool))


def _harmony(tool: str) -> int:
    call = f"assistant|commentary to=functions.{tool} |json"
    result = f"functions.{tool} to=assistant|commentary"
    specials = 5 + 4  # start, channel, constrain, message, call; start, channel, message, end
    return sum(tokens(part) for part in (*call.split("|"), *result.split("|"))) + specials


def _tags(tool: str) -> int:
    call = f'<function_calls>\n<invoke name="{tool}">\n</invoke>\n</function_calls>'
    result = f"<function_results>\n<result>\n<name>{tool}</name>\n<output></output>\n</result>\n</function_results>"
    return tokens(call) + tokens(result)
