"""The document against what is really answered: every key that is sent is in it, and the other way round."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from jsonschema import Draft202012Validator

from tests.web.serving import Served
from todowright.stores import open_store
from todowright.stores.usage import ModelRequest
from todowright.tasks import Claims
from todowright.web.app import build

SESSION, AGENT = "/api/sessions/told", "main/part-1"
GETS = {
    "/api/openapi.json": "/api/openapi.json",
    "/api/sessions": "/api/sessions?q=told",
    "/api/sessions/{session}": SESSION,
    "/api/sessions/{session}/plans/{agent}": f"{SESSION}/plans/main",
    "/api/sessions/{session}/history/{agent}": f"{SESSION}/history/main?limit=2",
    "/api/search": "/api/search?q=one",
    "/api/fleet": "/api/fleet",
    "/api/changes": "/api/changes?session=told",
    "/api/events": "/api/events?after=0",
}


@pytest.fixture(scope="module")
def document(server: Served) -> dict[str, Any]:
    """The document, on a server with a plan, a sub-agent at work, and one that has ended."""
    todo = server.todo("told")
    todo({"steps": ["One", "Two", "Three"]}, tool="plan")
    todo({"step": 1}, tool="done")
    todo.cancel(3)
    server.todo("told", AGENT)({"steps": ["Deep"]}, tool="plan")
    with todo.subagent("brief") as brief:
        brief({"steps": ["Short"]}, tool="plan")
    todo.store.count_requests(
        [ModelRequest(session="told", agent="main", model="m", input=9, cost=0.5)]
    )
    tasks = server.todo("shared", dialect="tasks")
    for subject in ("Build", "Test"):
        tasks({"subject": subject}, tool="TaskCreate")
    tasks({"taskId": "2", "addBlockedBy": ["1"]}, tool="TaskUpdate")
    assert Claims(tasks.store, "shared").claim("ann") is not None
    found: dict[str, Any] = server.http.get("/api/openapi.json").json()
    return found


def strict(schema: Any) -> Any:
    """The schema, with every key forbidden that it does not name."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items()}
    return made | ({"additionalProperties": False} if "properties" in schema else {})


def check(document: dict[str, Any], schema: dict[str, Any], value: Any) -> None:
    components = strict(document["components"])
    Draft202012Validator({**strict(schema), "components": components}).validate(value)


def schema_of(document: dict[str, Any], path: str, method: str, status: int) -> Any:
    (content,) = document["paths"][path][method]["responses"][str(status)]["content"].values()
    return content["schema"]


def test_it_names_every_route_that_there_is(document: dict[str, Any]) -> None:
    routes = build(open_store("memory:"), keys=None).routes
    real = {
        (re.sub(":path}", "}", route.path), method.lower())  # type: ignore[attr-defined]
        for route in routes
        for method in route.methods - {"HEAD"}  # type: ignore[attr-defined]
        if route.path.startswith("/api")  # type: ignore[attr-defined]
    }
    told = {(path, method) for path, of in document["paths"].items() for method in of}
    assert told == real
    assert {path for path, method in real if method == "get"} == set(GETS)


@pytest.mark.parametrize("path", [path for path in GETS if path != "/api/events"])
def test_every_answer_is_as_documented_key_by_key(
    server: Served, document: dict[str, Any], path: str
) -> None:
    answer = server.http.get(GETS[path])
    assert answer.status_code == 200
    check(document, schema_of(document, path, "get", 200), answer.json())


def events(answer: httpx2.Response) -> Iterator[tuple[str, Any]]:
    name = ""
    for line in answer.iter_lines():
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            yield name, json.loads(line[6:])


def test_every_event_is_as_documented(server: Served, document: dict[str, Any]) -> None:
    schemas = schema_of(document, "/api/events", "get", 200)["x-events"]
    with server.http.stream("GET", GETS["/api/events"]) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        told = events(answer)
        got = [next(told) for _ in range(6)]
    assert {name for name, _ in got} == set(schemas) - {"behind"}
    for name, data in got:
        check(document, schemas[name], data)


def test_edits_and_their_refusals_are_as_documented(
    server: Served, document: dict[str, Any]
) -> None:
    path = "/api/sessions/{session}/plans/{agent}"
    where = f"{SESSION}/plans/{AGENT}"
    good, bad = {"edits": [{"do": "complete", "step": 1}]}, {"edits": [{"do": "tick", "id": "t1"}]}
    match = {"if-match": '"1"'}
    wanted = [
        (428, server.http.patch(where, json=good)),
        (400, server.http.patch(where, content=b"{", headers=match)),
        (422, server.http.patch(where, json=bad, headers=match)),
        (404, server.http.patch("/api/sessions/no/plans/main", json=good, headers=match)),
        (200, server.http.patch(where, json=good, headers=match)),
        (412, server.http.patch(where, json=good, headers=match)),
        (413, server.http.patch(where, content=b"x" * 1_000_001, headers=match)),
    ]
    body = document["paths"][path]["patch"]["requestBody"]["content"]["application/json"]
    check(document, body["schema"], good)
    for status, answer in wanted:
        assert answer.status_code == status
        check(document, schema_of(document, path, "patch", status), answer.json())


def test_every_key_is_always_sent_and_no_schema_is_left_over(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for name, schema in schemas.items():
        if name != "Edit":
            assert set(schema["required"]) == set(schema["properties"]), name
    used = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(document)))
    assert used == set(schemas)
