"""Models: what is sent to one, what comes back, and where to find one by its name.

A conversation is kept in the form of the Messages API (`text`, `tool_use` and `tool_result` blocks);
a provider that speaks another form translates. A new provider is one file with a `connect`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from todowright.agent.redaction import redacted
from todowright.dialects.dialect import Tool
from todowright.errors import TodowrightError, UnknownName
from todowright.text import clip, harmless, shown, sound

Message = dict[str, Any]
_ODD = re.compile(r"[^a-zA-Z0-9_-]")
OnText = Callable[[str], object]
"""Hears the model's words as they come."""
PROVIDERS = ("anthropic", "openai", "scripted")
DEFAULTS = {"ANTHROPIC_API_KEY": "anthropic:claude-sonnet-5-5", "OPENAI_API_KEY": "openai:gpt-5.5"}
"""The model where none is named, by the key that is there."""


class ModelError(TodowrightError):
    """The model could not be asked, or gave no answer.

    `transient`: worth another try, after so many seconds to `wait`; `too_long`: it did not fit.
    """

    def __init__(
        self, text: str, transient: bool = False, wait: float | None = None, too_long: bool = False
    ) -> None:
        super().__init__(text)
        self.transient, self.wait, self.too_long = transient, wait, too_long


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a model read, how many of them from the provider's cache, and wrote."""

    read: int = 0
    written: int = 0
    cached: int = 0

    @property
    def total(self) -> int:
        return self.read + self.written

    def __add__(self, more: Usage) -> Usage:
        return Usage(self.read + more.read, self.written + more.written, self.cached + more.cached)


@dataclass(frozen=True, slots=True)
class Request:
    """All that a model is given for one answer."""

    system: str
    messages: list[Message]
    tools: tuple[Tool, ...] = ()
    max_tokens: int = 8000
    tail: tuple[str, ...] = ()
    """Texts behind the last message, for this one request: they are not kept."""
    seconds: float | None = None
    """How long the whole answer may take; None: as long as the client waits."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model wants made."""

    id: str
    name: str
    arguments: dict[str, Any]
    fault: str = ""
    """Why it cannot be made as it came: cut off, or not JSON."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    stop: str = "end"
    """`end`, `tools`, `cut` (out of tokens), `full` (out of context) or `refusal`."""
    kept: tuple[Message, ...] = ()
    """Blocks that the provider wants back before the text, as they are."""

    def __post_init__(self) -> None:
        """Make what came sound: text that can be written, an id of its own for every call."""
        ids: set[str] = set()
        calls = []
        for call in self.calls:
            identity = sound(call.id)
            if not identity or identity in ids:
                identity = f"call_{os.urandom(6).hex()}"
            ids.add(identity)
            calls.append(replace(call, id=identity, name=sound(call.name)))
        object.__setattr__(self, "text", sound(self.text))
        object.__setattr__(self, "calls", tuple(calls))

    @property
    def content(self) -> list[Message]:
        """The answer as it stands in the conversation, in a form that providers take back."""
        said = self.text if self.text.strip() else "" if self.calls else "(no answer)"
        blocks: list[Message] = [*self.kept]
        blocks += [{"type": "text", "text": said}] if said else []
        for call in self.calls:
            name = _ODD.sub("_", call.name)[:64] or "unknown"
            blocks.append(
                {"type": "tool_use", "id": call.id, "name": name, "input": call.arguments}
            )
        return blocks


def words(role: str, *texts: str) -> Message:
    """A message of nothing but texts."""
    return {"role": role, "content": [{"type": "text", "text": text} for text in texts]}


class Model(Protocol):
    """Something that answers."""

    name: str

    def answer(self, request: Request, on_text: OnText) -> Answer:
        """The model's answer; raises `ModelError`."""
        ...


def asked(model: Model, request: Request, on_text: OnText) -> Answer:
    """A model's answer; whatever a provider of one's own raises becomes a `ModelError`."""
    unheard: list[Exception] = []

    def heard(text: str) -> None:
        try:
            on_text(text)
        except Exception as error:  # the listener's own fault: the answer is not to blame
            unheard.append(error)

    try:
        answer = model.answer(request, heard)
    except ModelError:
        raise
    except Exception as error:
        why = clip(harmless(redacted(str(error))), 200)
        told = f"{model.name}: {type(error).__name__}: {why}"
        raise ModelError(told) from error
    if not isinstance(answer, Answer):
        raise ModelError(f"{model.name} gave a {type(answer).__name__}, not an Answer")
    if unheard:
        raise unheard[0]
    return answer


def model_name(name: str | None = None, environ: Mapping[str, str] | None = None) -> str:
    """The name in full of the model that is meant: the one named, the variable's, or that of the key there is."""
    environ = os.environ if environ is None else environ
    by_key = next((model for key, model in DEFAULTS.items() if environ.get(key)), None)
    name = name or environ.get("TODOWRIGHT_MODEL") or by_key
    if name is None and environ.get("OPENAI_BASE_URL"):
        raise ModelError("OPENAI_BASE_URL is set: name its model, with --model openai:NAME")
    if name is None:
        keys = " or ".join(DEFAULTS)
        raise ModelError(f"no model: set {keys}, or name one in TODOWRIGHT_MODEL or with --model")
    provider, _, model = name.partition(":")
    if provider not in PROVIDERS or not model:
        known = ", ".join(f"{known}:NAME" for known in PROVIDERS)
        raise UnknownName(f"no model is called '{shown(name)}': use {known}")
    return f"scripted:{Path(model).absolute()}" if provider == "scripted" else name


def load_model(name: str | None = None, environ: Mapping[str, str] | None = None) -> Model:
    """The model of a name like `anthropic:claude-sonnet-5-5`, `openai:gpt-5.5` or `scripted:FILE`.

    Its key and its server are tried at once: what is missing is said before anything else happens.
    """
    environ = os.environ if environ is None else environ
    provider, _, model = model_name(name, environ).partition(":")
    found: Model = import_module(f"todowright.agent.providers.{provider}").connect(model, environ)
    return found
