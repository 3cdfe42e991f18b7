"""The JSON API and its stream, over HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.web.serving import Served
from todowright.stores.usage import ModelRequest


def plan_of(server: Served, session: str, *steps: str) -> Any:
    todo = server.todo(session)
    todo({"steps": list(steps)}, tool="plan")
    return todo


def test_sessions_at_a_glance_are_searched_by_name_and_by_step(server: Served) -> None:
    plan_of(server, "alpha", "Paint the fence", "Go home")
    plan_of(server, "beta", "Write docs")({"step": 1}, tool="done")

    found = server.http.get("/api/sessions", params={"q": "FENCE"}).json()

    assert [row["session"] for row in found["sessions"]] == ["alpha"]
    (glance,) = found["sessions"][0]["agents"]
    assert (glance["total"], glance["done"], glance["now"]) == (2, 0, "Paint the fence")
    beta = server.http.get("/api/sessions", params={"q": "beta"}).json()["sessions"][0]
    assert beta["agents"][0]["finished"]


def test_a_plan_has_an_etag_and_an_edit_must_name_it(server: Served) -> None:
    todo = plan_of(server, "edited", "One", "Two")
    path = "/api/sessions/edited/plans/main"
    shown = server.http.get(path)
    assert shown.headers["etag"] == '"1"'
    tick = {"edits": [{"do": "complete", "step": 2}]}

    assert server.http.patch(path, json=tick).status_code == 428
    done = server.http.patch(path, json=tick, headers={"if-match": '"1"'})
    late = server.http.patch(path, json=tick, headers={"if-match": '"1"'})
    wrong = server.http.patch(path, json={"edits": [{"do": "x"}]}, headers={"if-match": '"2"'})
    broken = server.http.patch(path, content=b"{", headers={"if-match": '"2"'})

    assert (done.status_code, done.headers["etag"]) == (200, '"2"')
    assert (late.status_code, wrong.status_code, broken.status_code) == (412, 422, 400)
    assert todo.plan.revision == 2
    assert todo.plan.todos[1].status == "completed"
    for answer in (wrong, broken):
        assert list(answer.json()) == ["error"]
    assert late.json()["plan"]["revision"] == 2


def test_history_tells_what_each_revision_did(server: Served) -> None:
    todo = plan_of(server, "past", "One", "Two")
    todo({"step": 1}, tool="done")
    todo.cancel(2)

    revisions = server.http.get("/api/sessions/past/history/main").json()["revisions"]

    assert [revision["revision"] for revision in revisions] == [1, 2, 3]
    assert revisions[1]["changes"] == [
        {"number": 1, "id": "t1", "content": "One", "kinds": ["completed"]},
        {"number": 2, "id": "t2", "content": "Two", "kinds": ["started"]},
    ]
    last = server.http.get("/api/sessions/past/history/main", params={"limit": 1}).json()[
        "revisions"
    ]
    assert [revision["revision"] for revision in last] == [3]


def test_changes_since_a_number(server: Served) -> None:
    start = server.http.get("/api/sessions").json()["number"]
    plan_of(server, "changing", "One")({"step": 1}, tool="done")

    found = server.http.get("/api/changes", params={"after": start, "session": "changing"}).json()

    assert [entry["revision"] for entry in found["changes"]] == [1, 2]
    again = server.http.get(
        "/api/changes", params={"after": found["number"], "session": "changing"}
    )
    assert again.json() == {"changes": [], "number": found["number"], "next": None}


@pytest.mark.parametrize(
    "path",
    [
        "/api/sessions/nope",
        "/api/sessions/nope/plans/main",
        "/api/sessions/nope/history/main",
        "/x.js",
    ],
)
def test_what_is_not_there_is_not_found(server: Served, path: str) -> None:
    assert server.http.get(path).status_code == 404


def test_plans_of_sub_agents_have_a_slash_in_their_name(server: Served) -> None:
    todo = server.todo("nested", "main/step-1-abcd")
    todo({"steps": ["Deep"]}, tool="plan")

    found = server.http.get("/api/sessions/nested/plans/main/step-1-abcd").json()

    assert found["agent"] == "main/step-1-abcd"


def events(response: httpx2.Response) -> Iterator[tuple[int, Any]]:
    number = 0
    for line in response.iter_lines():
        if line.startswith("id: "):
            number = int(line[4:])
        elif line.startswith("data: {"):
            yield number, json.loads(line[6:])


def until(got: Iterator[tuple[int, Any]], revision: int) -> Iterator[tuple[int, Any]]:
    for number, plan in got:
        yield number, plan
        if plan["revision"] == revision:
            return


def test_the_stream_tells_of_every_revision_and_goes_on_where_it_was(server: Served) -> None:
    todo = plan_of(server, "streamed", *[f"Step {n}" for n in range(1, 31)])
    with server.http.stream("GET", "/api/events") as response:
        got = events(response)
        for step in range(1, 11):
            todo({"step": step}, tool="done")
        first = list(until(got, 11))
    for step in range(11, 21):
        todo({"step": step}, tool="done")
    last = str(first[-1][0])
    with server.http.stream("GET", "/api/events", headers={"last-event-id": last}) as response:
        got = events(response)
        second = list(until(got, 21))

    mine = [each for each in first + second if each[1]["session"] == "streamed"]
    told = [plan["revision"] for _, plan in mine]
    assert told == list(range(told[0], 22))
    assert told[0] in (1, 2)  # the first may be told to who comes right after it
    numbers = [number for number, _ in first + second]
    assert numbers == sorted(set(numbers))


def test_an_edit_that_changes_nothing_makes_no_revision(server: Served) -> None:
    todo = plan_of(server, "still", "One", "Two")
    path = "/api/sessions/still/plans/main"
    body = {"edits": [{"do": "start", "step": 1}]}
    answer = server.http.patch(path, json=body, headers={"if-match": '"1"'})
    assert (answer.status_code, answer.headers["etag"]) == (200, '"1"')
    assert todo.plan.revision == 1


def test_long_answers_are_sent_small_and_streams_as_they_are(server: Served) -> None:
    plan_of(server, "wide", *[f"Step {n} of many" for n in range(200)])
    assert server.http.get("/api/sessions/wide").headers["content-encoding"] == "gzip"
    with server.http.stream("GET", "/api/events") as stream:
        assert "content-encoding" not in stream.headers


def test_many_writers_and_editors_lose_nothing(server: Served) -> None:
    plan_of(server, "crowded", "Start")
    path = "/api/sessions/crowded/plans/main"

    def write(name: str) -> None:
        with server.client() as http:
            for n in range(10):
                while True:
                    seen = http.get(path).headers["etag"]
                    body = {"edits": [{"do": "add", "text": f"{name} {n}"}]}
                    answer = http.patch(path, json=body, headers={"if-match": seen})
                    if answer.status_code == 200:
                        break
                    assert answer.status_code == 412

    threads = [threading.Thread(target=write, args=(f"writer {n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    found = {todo["content"] for todo in server.http.get(path).json()["todos"]}
    assert found == {"Start", *(f"writer {w} {n}" for w in range(4) for n in range(10))}


def test_a_long_absence_is_made_up_for_completely(server: Served) -> None:
    todo = plan_of(server, "absent", "One", "Two")
    start = server.http.get("/api/changes", params={"after": 0, "session": "absent"}).json()[
        "number"
    ]
    for turn in range(2300):
        todo({"now": turn % 2 + 1}, tool="plan")
    with server.http.stream(
        "GET", "/api/events", headers={"last-event-id": str(start)}
    ) as response:
        revisions = []
        for _, plan in events(response):
            if plan["session"] == "absent":
                revisions.append(plan["revision"])
            if revisions and revisions[-1] == todo.plan.revision:
                break
    assert revisions == list(range(revisions[0], todo.plan.revision + 1))
    assert revisions[0] <= 2


def test_a_number_from_another_life_of_the_store_is_no_trouble(server: Served) -> None:
    todo = plan_of(server, "reborn", *[f"Step {n}" for n in range(1, 9)])
    with server.http.stream(
        "GET", "/api/events", headers={"last-event-id": "99999999"}
    ) as response:
        got = events(response)
        todo({"step": 1}, tool="done")
        assert next(plan for _, plan in got if plan["session"] == "reborn")["revision"] in (1, 2)


def test_history_can_be_asked_for_from_a_revision_on(server: Served) -> None:
    todo = plan_of(server, "later", "One", "Two")
    todo({"step": 1}, tool="done")
    found = server.http.get("/api/sessions/later/history/main", params={"after": 1}).json()[
        "revisions"
    ]
    assert [each["revision"] for each in found] == [2]
    assert found[0]["changes"][0]["kinds"] == ["completed"]


def test_a_session_tells_what_its_requests_took(server: Served) -> None:
    todo = plan_of(server, "spent", "One")
    assert server.http.get("/api/sessions/spent").json()["usage"] is None
    todo.store.count_requests(
        [
            ModelRequest(session="spent", agent="main", model="a", input=90, cached=40, cost=0.25),
            ModelRequest(session="spent", agent="main/sub", model="b", input=10, output=7),
        ]
    )

    usage = server.http.get("/api/sessions/spent").json()["usage"]

    assert (usage["models"], usage["requests"]) == (["a", "b"], 2)
    assert (usage["input"], usage["output"], usage["cached"]) == (100, 7, 40)
    assert (usage["cost"], usage["cost_is_whole"]) == (0.25, False)
    assert [(each["agent"], each["cost"]) for each in usage["by"]] == [
        ("main", 0.25),
        ("main/sub", None),
    ]
    assert todo.plan.revision == 1
