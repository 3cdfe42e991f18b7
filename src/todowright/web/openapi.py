"""The OpenAPI document of the API: a test holds it against what is really answered."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_args

from todowright import __version__
from todowright.names import ALL_DIALECTS
from todowright.plan.attention import NEED_KINDS, SESSION_STATES
from todowright.plan.changes import Kind
from todowright.plan.deeds import DEEDS
from todowright.plan.editing import MOST_EDITS
from todowright.plan.model import LONGEST_TEXT, MAKERS, STATUSES, Todo
from todowright.plan.record import Kept
from todowright.plan.stuck import AGENT_STATES
from todowright.tasks.fleet import STATES
from todowright.web import history

Schema = dict[str, Any]

_TEXT, _NUMBER, _YES = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
_COUNT = {"type": "integer", "minimum": 0}
_SECONDS, _PERHAPS = {"type": "number"}, {"type": ["number", "null"]}
_NULLABLE = {"type": ["string", "null"]}
_MOMENT = {"type": ["string", "null"], "format": "date-time"}
_REFUSALS = {
    "401": "A token is needed",
    "403": "The token may only read, or the request comes from another site",
    "421": "This is not the host that was asked for",
    "429": "Too many requests: wait a second",
    "503": "The store cannot answer now",
}
"""What every request may be told."""
_EDIT_REFUSALS = {
    "400": "The body is not JSON",
    "404": "There is no such plan",
    "412": "The plan is not at the revision that If-Match names: load it again",
    "413": "The body is too large",
    "422": "An edit that cannot be read or made, that the plan's dialect cannot spell, that breaks its "
    "rules, or that the program which verifies the plan does not accept; the error says which",
    "408": "The body took too long",
    "428": "If-Match is missing",
}


def document() -> Schema:
    """What can be asked, and what is answered."""
    about = "Plans of LLM agents"
    return {
        "openapi": "3.1.0",
        "info": {"title": "todowright", "version": __version__, "description": about},
        "components": {"schemas": _schemas()},
        "paths": _paths(),
    }


def _paths() -> Schema:
    session, agent = _path("session"), _path("agent")
    limit = _query("limit", {"type": "integer", "minimum": 0, "maximum": 10_000})
    day = _query(
        "midnight", _about(_COUNT, "When the day began for who asks, in seconds since 1970")
    )
    moved = [
        _query("after", _about(_COUNT, "Only those that moved behind this number")),
        _query(
            "since", _about(_COUNT, "With `after`: and those whose state changed by itself since")
        ),
        _query("earlier", _about({"enum": ["no"]}, "Leave out what is neither open nor of today")),
    ]
    page = _query("limit", {"type": "integer", "minimum": 1, "maximum": history.MOST,
                            "default": history.PAGE})  # fmt: skip
    before, after = _query("before", _COUNT), _query("after", _COUNT)
    plan = _get("One plan; its ETag is its revision", "Plan", session, agent)
    past = (
        "A page of a plan's revisions, oldest first: the last ones before and after these revisions"
    )
    return {
        "/api/openapi.json": {"get": _described("This document", {"type": "object"})},
        "/api/sessions": {
            "get": _get("Sessions at a glance", "Sessions", _query("q", _TEXT), limit, day, *moved)
        },
        "/api/search": {"get": _get("Steps that have these words", "Found", _query("q", _TEXT))},
        "/api/sessions/{session}": {"get": _get("The plans of a session", "Session", session, day)},
        "/api/sessions/{session}/plans/{agent}": {"get": plan, "patch": _patch(session, agent)},
        "/api/sessions/{session}/history/{agent}": {
            "get": _get(past, "History", session, agent, before, after, page)
        },
        "/api/fleet": {"get": _get("Who works on what", "Fleet", _query("session", _TEXT))},
        "/api/changes": {
            "get": _get("Revisions behind a number", "Changes", after, _query("session", _TEXT))
        },
        "/api/events": {"get": _events()},
    }


def _schemas() -> Schema:
    plan = _plan()
    return {
        "Todo": _todo(),
        "Author": _object(kind={"enum": list(MAKERS)}, name=_TEXT),
        "Plan": _object(**plan),
        "Edited": _object(**plan, note=_about(_TEXT, "What went wrong beside the edit, if anything")),
        "Numbered": _object(
            number=_about(_NUMBER, "Its number among the revisions of all plans"), **plan
        ),
        "Change": _object(
            number=_NUMBER,
            id=_TEXT,
            content=_TEXT,
            kinds={"type": "array", "items": {"enum": list(get_args(Kind))}},
        ),
        "Revision": _object(**plan, changes=_list("Change")),
        "Edit": _edit(),
        "Edits": _edits(),
        "Glance": _glance(),
        **_attention(plan),
        "Sessions": _object(
            sessions=_list("Row"), earlier=_about(_COUNT, "How many are neither open nor of today"),
            project=_TEXT, total=_COUNT, number=_NUMBER, now=_SECONDS, edits=_YES,
            projects=_about(_list("Project"), "Those that are shown, where there are many"),
        ),
        "Project": _object(
            project=_TEXT, folder=_TEXT, trouble=_about(_TEXT, "Why its plans are not shown, if they are not")
        ),
        "Session": _object(
            session=_TEXT, plans=_list("PlanNews"), row=_ref("Row"), usage=_usage(), number=_NUMBER, now=_SECONDS, edits=_YES
        ),
        "AgentUsage": _object(agent=_TEXT, **_tokens()),
        "History": _object(
            revisions=_list("Revision"),
            earlier=_about(_NULLABLE, "The address of the page in front of this one"),
        ),
        **_fleet(),
        "Changes": _object(
            changes=_list("Numbered"),
            number=_about(_NUMBER, "From here one goes on"),
            next=_about(_NULLABLE, "The address of what did not fit in here"),
        ),
        "Behind": _object(after=_NUMBER, number=_NUMBER),
        "Error": _object(error=_TEXT),
    }  # fmt: skip


_TODO_TYPES: Schema = {
    "str": _TEXT,
    "int": _NUMBER,
    "Status": {"enum": list(STATUSES)},
    "Extras": {"type": "object", "additionalProperties": _TEXT},
}
_TODO_WORDS = {
    "number": "What tells it from all other steps of its plan, now and ever",
    "id": "A label",
    "extras": "What its dialect keeps of it beside these: a priority, say",
}


def _todo() -> Schema:
    """By the fields of a todo: a new one is described by itself."""
    found = {part.name: _TODO_TYPES[str(part.type)] for part in fields(Todo)}
    return _object(
        **found | {name: _about(found[name], told) for name, told in _TODO_WORDS.items()}
    )


def _plan() -> Schema:
    deeds = {"type": "array", "items": {"enum": list(DEEDS)}}
    return {
        "session": _TEXT,
        "agent": _about(_TEXT, "`main`; a sub-agent's name has its parent's in front of a slash"),
        "revision": _COUNT,
        "updated_at": _MOMENT,
        "by": _ref("Author"),
        "dialect": _about(_TEXT, f"{', '.join(ALL_DIALECTS)}, or a program's own"),
        "serves": _about(_COUNT, "The number of the parent's step that it works on; 0 for none"),
        "ended": _about(_TEXT, "How a sub-agent ended, once it has; its list is empty then"),
        "summary": _TEXT,
        "todos": _list("Todo"),
        "deeds": _about(deeds, "The edits that the plan's dialect can spell"),
    }


def _glance() -> Schema:
    return _object(
        agent=_TEXT,
        revision=_COUNT,
        summary=_TEXT,
        total=_COUNT,
        done=_COUNT,
        now=_about(_NULLABLE, "The step in progress"),
        idle_seconds={"type": "number"},
        finished=_YES,
        state={"enum": list(AGENT_STATES)},
        steps=_about(_TEXT, "A letter for each step: d done, s stuck, n in progress, p open"),
        on_since=_about(_PERHAPS, "When the step in hand was started"),
        usual_seconds=_about(
            _PERHAPS, "What a step of an agent of this name takes; null while unknown"
        ),
        stuck_at=_about(_PERHAPS, "From when on it counts as stuck if it stays silent"),
    )


def _attention(plan: Schema) -> Schema:
    """Who needs somebody; moments are seconds since 1970."""
    state = {"enum": list(SESSION_STATES)}
    step = {"number": _NUMBER, "id": _TEXT, "content": _TEXT, "status": {"enum": list(STATUSES)}}
    kinds = {"type": "array", "items": {"enum": list(get_args(Kind))}}
    return {
        "Need": _object(kind={"enum": list(NEED_KINDS)}, agent=_TEXT, text=_TEXT, at=_SECONDS, number=_NUMBER),
        "Hit": _object(agent=_TEXT, **step),
        "FoundStep": _object(
            session=_TEXT, agent=_TEXT, **step, dropped=_about(_YES, "An open step that vanished from its agent's list")
        ),
        "Found": _object(found=_list("FoundStep"), total=_COUNT),
        "PersonEdit": _object(
            revision=_COUNT, at=_SECONDS, number=_NUMBER, content=_TEXT, kinds=kinds, by=_TEXT,
            state=_about({"enum": list(get_args(Kept))}, "Whether the agent's next list still had it"),
            judged_at=_SECONDS,
        ),
        "Dropped": _object(
            number=_NUMBER, content=_TEXT, at=_SECONDS, after=_about(_COUNT, "The step that it stood behind")
        ),
        "PlanNews": _object(
            **plan,
            heard=_about(_COUNT, "The last revision of others that its agent was told of"),
            plan_number=_about(_COUNT, "Which plan of its agent it is, as far as is known"),
            people=_list("PersonEdit"),
            dropped=_list("Dropped"),
        ),
        "Row": _object(
            session=_about(_TEXT, "What it is called in addresses: PROJECT~NAME where many projects are shown"),
            name=_about(_TEXT, "What it is called in its project"),
            title=_about(_TEXT, "What it is about, where its name says that badly; else empty"),
            project=_TEXT, updated_at=_MOMENT, state=state,
            otherwise=_about(state, "Its state once everything was looked at"),
            since=_SECONDS, began=_SECONDS, ended=_PERHAPS,
            needs=_about(_list("Need"), "Why it needs somebody, the worst first"),
            on=_about(_NULLABLE, "The agent whose step is shown"),
            steps=_TEXT, summary=_TEXT,
            activity=_about({"type": "array", "items": _COUNT}, "Revisions in twelve times five minutes"),
            agents=_list("Glance"),
            hits=_about(_list("Hit"), "Why it was found"),
        ),
    }  # fmt: skip


def _tokens() -> Schema:
    """What requests to models took."""
    return {
        "models": _about({"type": "array", "items": _TEXT}, "Those that were asked, by name"),
        "requests": _COUNT,
        "input": _about(_COUNT, "Tokens that the models read, those from a cache too"),
        "output": _COUNT,
        "cached": _about(_COUNT, "How many of those read came from a cache"),
        "cost": _about(
            _PERHAPS, "Dollars, as told, or by TODOWRIGHT_PRICE; null where nothing is known"
        ),
        "cost_is_whole": _about(_YES, "Whether the cost of every request is known"),
        "updated_at": _MOMENT,
    }


def _usage() -> Schema:
    told = _object(**_tokens(), by=_about(_list("AgentUsage"), "For each agent and model"))
    about = "What its requests to models took; null where nobody told"
    return {"anyOf": [told, {"type": "null"}], "description": about}


def _fleet() -> Schema:
    """Tasks by their sessions, as `todowright fleet --json` has them; what is done is only counted."""
    left = {"type": ["number", "null"]}
    return {
        "Blocker": _object(number=_NUMBER, owner=_TEXT),
        "FleetTask": _object(
            session=_TEXT,
            agent=_TEXT,
            number=_NUMBER,
            subject=_TEXT,
            state={"enum": list(STATES)},
            owner=_TEXT,
            since=_about(_MOMENT, "When its owner began"),
            lease_left=_about(left, "Seconds until its owner loses it; null without a lease"),
            blocked_by=_about(_list("Blocker"), "The open tasks that it waits for"),
            why=_about(_TEXT, "Why it failed"),
        ),
        "FleetSession": _object(
            session=_TEXT, counts=_object(**dict.fromkeys(STATES, _COUNT)), tasks=_list("FleetTask")
        ),
        "Fleet": _object(now=_MOMENT, sessions=_list("FleetSession")),
    }


def _edit() -> Schema:
    step = {
        "type": ["integer", "string"],
        "description": "A step's number, its label, or its words",
    }
    place = "The step behind which it goes: 0 for the first place, null for the last"
    properties = {
        "do": {"enum": list(DEEDS)},
        "step": step,
        "text": {"type": "string", "maxLength": LONGEST_TEXT},
        "after": {"type": ["integer", "string", "null"], "description": place},
        "extras": _about(
            _TODO_TYPES["Extras"], "What a new step has of those that its dialect keeps"
        ),
    }
    return _closed(properties, "do")


def _edits() -> Schema:
    edits = {**_list("Edit"), "minItems": 1, "maxItems": MOST_EDITS}
    return {"type": "object", "properties": {"edits": edits}, "required": ["edits"]}


def _closed(properties: Schema, *required: str) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _object(**properties: Any) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _about(schema: Schema, text: str) -> Schema:
    return {**schema, "description": text}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _list(name: str) -> Schema:
    return {"type": "array", "items": _ref(name)}


def _path(name: str) -> Schema:
    schema = {"type": "string", "minLength": 1}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _query(name: str, schema: Schema) -> Schema:
    return {"name": name, "in": "query", "schema": schema}


def _header(name: str, about: str, schema: Schema, *, required: bool = False) -> Schema:
    return {"name": name, "in": "header", "description": about, "required": required,
            "schema": schema}  # fmt: skip


def _answer(about: str, schema: Schema) -> Schema:
    return {"description": about, "content": {"application/json": {"schema": schema}}}


def _errors(texts: dict[str, str]) -> Schema:
    return {status: _answer(text, _ref("Error")) for status, text in sorted(texts.items())}


def _described(about: str, schema: Schema) -> Schema:
    return {"summary": about, "responses": {"200": _answer(about, schema), **_errors(_REFUSALS)}}


def _get(about: str, name: str, *parameters: Schema) -> Schema:
    found = _described(about, _ref(name))
    if any(each["in"] == "path" for each in parameters):
        found["responses"] |= _errors({"404": "There is none"})
    return {**found, "parameters": list(parameters)}


def _events() -> Schema:
    """Its answer never ends; `x-events` tells what the data of each event is, as JSON."""
    about = (
        "Every revision of every plan as it is made, as server-sent events: first `hello` with the number "
        "from which it tells, then `plan` for each revision behind that. The id of an event is its number; who comes "
        "back with it, in Last-Event-ID or `after`, misses none. Who reads too slowly is told `behind`: the revisions "
        "between `after` and `number` are left out here, and can be had from /api/changes. A comment now and then keeps it open."
    )
    stream = {
        "type": "string",
        "x-events": {"hello": _NUMBER, "plan": _ref("Numbered"), "behind": _ref("Behind")},
    }
    answer = {"description": about, "content": {"text/event-stream": {"schema": stream}}}
    last = _header("Last-Event-ID", "The last number that was got", _TEXT)
    return {
        "summary": "Revisions as they are made",
        "parameters": [_query("after", _COUNT), last],
        "responses": {"200": answer, **_errors(_REFUSALS)},
    }


def _patch(*parameters: Schema) -> Schema:
    match = _header("If-Match", "The revision that was seen", _TEXT, required=True)
    name = _header("X-Todowright-Name", "Who edits, for `by`; nobody checks it", _TEXT)
    body = {"required": True, "content": {"application/json": {"schema": _ref("Edits")}}}
    done = {"200": _answer("The plan after the edits", _ref("Edited"))}
    moved = _object(error=_TEXT, plan=_ref("Plan"))
    changed = {"412": _answer(f"{_EDIT_REFUSALS['412']}; `plan` is the one that stands", moved)}
    return {
        "summary": "Edit a plan, as a person does",
        "parameters": [*parameters, match, name],
        "requestBody": body,
        "responses": done | _errors(_REFUSALS | _EDIT_REFUSALS) | changed,
    }
