"""An agent that plans: a loop, a few tools, and a plan that does not fade."""

from todowright.agent import events
from todowright.agent.agent import Agent, Limits
from todowright.agent.events import Event, as_json
from todowright.agent.providers import (
    Answer,
    Model,
    ModelError,
    Request,
    ToolCall,
    Usage,
    load_model,
)
from todowright.agent.providers.scripted import ScriptedModel

__all__ = [
    "Agent",
    "Answer",
    "Event",
    "Limits",
    "Model",
    "ModelError",
    "Request",
    "ScriptedModel",
    "ToolCall",
    "Usage",
    "as_json",
    "events",
    "load_model",
]
