"""The OpenAPI document of the API."""

from __future__ import annotations

from typing import Any

from todowright import __version__
from todowright.plan.editing import DEEDS, MOST_EDITS
from todowright.plan.model import LONGEST_TEXT

_TEXT, _NUMBER, _YES = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
_NULLABLE = {"type": ["string", "null"]}


def document() -> dict[str, Any]:
    """What can be asked, and what is answered."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "todowright",
            "version": __version__,
            "description": "Plans of LLM agents",
        },
        "components": {"schemas": _schemas()},
        "paths": {
            "/api/sessions": {
                "get": _get(
                    "Sessions at a glance", "Sessions", _query("q", _TEXT), _query("limit", _NUMBER)
                )
            },
            "/api/sessions/{session}": {
                "get": _get("The plans of a session", "Session", _path("session"))
            },
            "/api/sessions/{session}/plans/{agent}": {
                "get": _get("One plan", "Plan", _path("session"), _path("agent")),
                "patch": _patch(),
            },
            "/api/sessions/{session}/history/{agent}": {
                "get": _get(
                    "Every revision of a plan",
                    "History",
                    _path("session"),
                    _path("agent"),
                    _query("limit", _NUMBER),
                    _query("after", _NUMBER),
                )
            },
            "/api/changes": {
                "get": _get(
                    "Revisions behind a number",
                    "Changes",
                    _query("after", _NUMBER),
                    _query("session", _TEXT),
                )
            },
        },
    }


def _schemas() -> dict[str, Any]:
    todo = _object(
        id=_TEXT,
        content=_TEXT,
        status={"enum": ["pending", "in_progress", "completed", "cancelled"]},
        active_form=_TEXT,
    )
    plan = _object(
        session=_TEXT,
        agent=_TEXT,
        revision=_NUMBER,
        updated_at=_NULLABLE,
        by={"enum": ["", "person", "program"]},
        summary=_TEXT,
        todos=_list("Todo"),
    )
    edit = {
        "type": "object",
        "properties": {
            "do": {"enum": list(DEEDS)},
            "id": _TEXT,
            "text": {"type": "string", "maxLength": LONGEST_TEXT},
            "after": _NULLABLE,
        },
        "required": ["do"],
    }
    edits = {
        "type": "array",
        "items": {"$ref": "#/components/schemas/Edit"},
        "minItems": 1,
        "maxItems": MOST_EDITS,
    }
    change = _object(id=_TEXT, content=_TEXT, kinds={"type": "array", "items": _TEXT})
    return {
        "Todo": todo,
        "Plan": plan,
        "Change": change,
        "Edit": edit,
        "Edits": {"type": "object", "properties": {"edits": edits}, "required": ["edits"]},
        "Glance": _object(
            agent=_TEXT, revision=_NUMBER, total=_NUMBER, done=_NUMBER, now=_NULLABLE
        ),
        "Row": _object(session=_TEXT, updated_at=_NULLABLE, agents=_list("Glance")),
        "Sessions": _object(
            sessions=_list("Row"), project=_TEXT, total=_NUMBER, number=_NUMBER, edits=_YES
        ),
        "Session": _object(session=_TEXT, plans=_list("Plan"), number=_NUMBER, edits=_YES),
        "History": _object(revisions=_list("Plan")),
        "Changes": _object(changes=_list("Plan"), number=_NUMBER),
        "Error": _object(error=_TEXT),
    }


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(name: str) -> dict[str, Any]:
    return {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}


def _path(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "schema": {"type": "string", "minLength": 1},
    }


def _query(name: str, schema: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": schema}


def _answer(name: str, about: str) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{name}"}
    return {"description": about, "content": {"application/json": {"schema": schema}}}


def _get(about: str, name: str, *parameters: Any) -> dict[str, Any]:
    answers = {"200": _answer(name, about), "404": _answer("Error", "There is none")}
    return {"summary": about, "parameters": list(parameters), "responses": answers}


def _patch() -> dict[str, Any]:
    match = {"name": "If-Match", "in": "header", "required": True, "schema": _TEXT}
    body = {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Edits"}}},
    }
    answers = {"200": _answer("Plan", "The plan after the edits")}
    for status, about in {
        "400": "Not JSON", "404": "No such plan", "412": "It has changed meanwhile",
        "422": "An edit that cannot be made", "428": "If-Match is missing", "429": "Too many requests",
    }.items():  # fmt: skip
        answers[status] = _answer("Error", about)
    return {
        "summary": "Edit a plan",
        "parameters": [_path("session"), _path("agent"), match],
        "requestBody": body,
        "responses": answers,
    }
