"""The JSON API: sessions, plans, history, changes since a number, edits of a person."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ParamSpec, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from todowright.errors import Conflict, Refused, TodowrightError, UnknownName
from todowright.plan.attention import SessionView
from todowright.plan.data import Plain
from todowright.plan.model import CLOSED, MAIN, Author, Plan
from todowright.stores import Store
from todowright.stores.prices import given_prices
from todowright.stores.usage import Usage
from todowright.stores.watching import Watcher
from todowright.tasks.fleet import fleet_of
from todowright.text import harmless
from todowright.tool.person import edit_as_sent
from todowright.web import history
from todowright.web.data import found_steps, hits, plan_data, plan_news, row, usage_data
from todowright.web.openapi import document
from todowright.web.places import is_foreign, names_of, projects_of, source_of, whole_name
from todowright.web.stream import EventStream

P = ParamSpec("P")
T = TypeVar("T")
MOST = 10_000
"""How many sessions are listed at most."""
MOST_FOUND = 50
_HEAVY = 4
"""How many requests read many plans at the same time."""
LONGEST_NAME = 60
CHANGED = "the plan has changed meanwhile: load it again"


@dataclass(frozen=True, slots=True)
class Asked:
    """Which sessions somebody wants to see."""

    words: str = ""
    after: int | None = None
    since: float = 0.0
    midnight: float | None = None


class Api:
    """The routes below /api, on one store."""

    def __init__(
        self, store: Store, stream: EventStream, project: str = "", root: str = "."
    ) -> None:
        self._root = root
        self._store = store
        self._stream = stream
        self._project = project
        self._watcher = Watcher(store)
        self._prices = given_prices(os.environ)
        self._few = asyncio.Semaphore(_HEAVY)

    def routes(self) -> list[Route]:
        plan = "/api/sessions/{session}/plans/{agent:path}"
        return [
            Route("/api/openapi.json", answered(self.openapi)),
            Route("/api/sessions", answered(self.sessions)),
            Route("/api/sessions/{session}", answered(self.session)),
            Route("/api/sessions/{session}/history/{agent:path}", answered(self.history)),
            Route(plan, answered(self.plan), methods=["GET"]),
            Route(plan, answered(self.edit), methods=["PATCH"]),
            Route("/api/search", answered(self.search)),
            Route("/api/fleet", answered(self.fleet)),
            Route("/api/changes", answered(self.changes)),
            Route("/api/events", self.events),
        ]

    async def openapi(self, _: Request) -> Response:
        return JSONResponse(document())

    async def sessions(self, request: Request) -> Response:
        limit = number(request, "limit", MOST, most=MOST)
        # before the rows: what comes in between is told again, not lost
        newest, now = self._stream.number, time.time()
        asked = Asked(
            request.query_params.get("q", "").casefold(),
            number(request, "after", 0) if "after" in request.query_params else None,
            float(number(request, "since", 0)),
            float(number(request, "midnight", 0)) or None,
        )
        found = await self._heavy(self._rows, asked, now)
        earlier = [each for each in found if each["state"] == "earlier"]
        if request.query_params.get("earlier") == "no" and not asked.words:
            found = [each for each in found if each["state"] != "earlier"]
        told = {"project": self._project, "total": len(found), "number": newest, "now": now}
        shown = {"sessions": found[:limit], "earlier": len(earlier), "edits": may_edit(request)}
        projects = await run_in_threadpool(projects_of, self._store)
        return await run_in_threadpool(JSONResponse, {**shown, **told, "projects": projects})

    def _rows(self, asked: Asked, now: float) -> list[Plain]:
        """The sessions that the words lead to, the last that moved first."""
        self._watcher.look(deleted=asked.after is None)
        views = self._watcher.sessions(
            now, midnight=asked.midnight, after=asked.after, since=asked.since
        )
        found = []
        for view in views:
            reasons = hits(view, asked.words) if asked.words else []
            if reasons is not None:
                found.append(self._row(view, reasons))
        return sorted(found, key=lambda each: str(each["updated_at"] or ""), reverse=True)

    def _row(self, view: SessionView, reasons: list[Plain]) -> Plain:
        return row(view, names_of(self._store, view.session, self._project), reasons)

    async def session(self, request: Request) -> Response:
        name = await self._named(request.path_params["session"])
        newest, now = self._stream.number, time.time()
        midnight = float(number(request, "midnight", 0)) or None
        plans, view, used = await run_in_threadpool(self._known, name, now, midnight)
        if not plans or view is None:
            return missing(f"there is no session {name}")
        shown = [plan_news(self._store, plan, self._watcher.record(plan)) for plan in plans]
        told = {"session": name, "plans": shown, "number": newest, "now": now}
        glance = self._row(view, [])
        usage = usage_data(used, self._prices)
        return JSONResponse({**told, "row": glance, "usage": usage, "edits": may_edit(request)})

    def _known(
        self, name: str, now: float, midnight: float | None
    ) -> tuple[Sequence[Plan], SessionView | None, Sequence[Usage]]:
        self._watcher.look()
        view = self._watcher.session(name, now, midnight=midnight)
        plans = self._store.plans(name)
        return plans, view, self._store.usage(name) if plans else ()

    async def search(self, request: Request) -> Response:
        words = request.query_params.get("q", "").strip().casefold()
        found = await self._heavy(self._steps, words) if words else []
        return JSONResponse({"found": found[:MOST_FOUND], "total": len(found)})

    def _steps(self, words: str) -> list[Plain]:
        """The steps of all sessions that have these words: the open ones first, the last that moved first."""
        self._watcher.look()
        views = sorted(self._watcher.sessions(), key=lambda view: -view.moved)
        found = [
            {"session": view.session, "agent": each.agent, **step}
            for view in views
            for each in view.agents
            for step in found_steps(each.record, words)
        ]
        return sorted(found, key=lambda each: each["status"] in CLOSED)

    async def fleet(self, request: Request) -> Response:
        asked = request.query_params.get("session")
        session = await self._named(asked) if asked else None
        found = await run_in_threadpool(fleet_of, self._store, session)
        return JSONResponse(found.to_dict())

    async def plan(self, request: Request) -> Response:
        found = await self._plan(request)
        if not found.revision:
            return missing("there is no such plan")
        headers = {"etag": f'"{found.revision}"'}
        return JSONResponse(plan_data(self._store, found), headers=headers)

    async def history(self, request: Request) -> Response:
        name = await self._named(request.path_params["session"])
        agent = request.path_params["agent"] or MAIN
        before = number(request, "before", 0)
        wanted = history.Wanted(
            name,
            agent,
            before=before or None,
            after=number(request, "after", 0),
            limit=number(request, "limit", 0, most=history.MOST) or history.PAGE,
        )
        found = await self._heavy(history.page, self._store, wanted)
        if not found["revisions"] and not await run_in_threadpool(self._store.plans, name):
            return missing("there is no such session")
        return await run_in_threadpool(JSONResponse, found)

    async def changes(self, request: Request) -> Response:
        after = number(request, "after", 0)
        if is_foreign(self._store, after):
            after = 0
        asked = request.query_params.get("session")
        session = await self._named(asked) if asked else asked
        found = await self._heavy(history.changes, self._store, after, session)
        return await run_in_threadpool(JSONResponse, found)

    async def edit(self, request: Request) -> Response:
        wanted = request.headers.get("if-match", "").strip('W/" ')
        if not wanted.isascii() or not wanted.isdigit() or len(wanted) > 12:
            return fault(428, 'say which revision you saw, with If-Match: "7"')
        try:
            body = json.loads(await request.body())
        except (ValueError, RecursionError, ClientDisconnect):
            return fault(400, 'the body is not JSON: send {"edits": [...]}')
        edits = body.get("edits") if isinstance(body, dict) else None
        before = await self._plan(request)
        if not before.revision:
            return missing("there is no such plan")
        if before.revision != int(wanted):
            return self._changed(before)
        try:
            after, note = await run_in_threadpool(self._edited, before, edits, editor(request))
        except Refused as error:
            return fault(422, str(error))
        except Conflict:
            return self._changed(await self._plan(request))
        headers = {"etag": f'"{after.revision}"'}
        return JSONResponse({**plan_data(self._store, after), "note": note}, headers=headers)

    def _changed(self, plan: Plan) -> Response:
        """What an edit is told that was made on an older revision, with the plan that stands."""
        return JSONResponse({"error": CHANGED, "plan": plan_data(self._store, plan)}, 412)

    def _edited(self, before: Plan, edits: object, by: Author) -> tuple[Plan, str]:
        """The plan after the edits, and what went wrong beside it."""
        kept = source_of(self._store, before)
        root = kept.folder or self._root
        after, failed = edit_as_sent(kept.store, kept.plan, edits, by=by, root=root)
        return replace(after, session=before.session), failed

    async def events(self, request: Request) -> Response:
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        last = request.headers.get("last-event-id") or request.query_params.get("after") or ""
        after = int(last) if last.isascii() and last.isdigit() and len(last) < 18 else None
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(
            self._stream.stream(after), media_type="text/event-stream", headers=headers
        )

    async def _heavy(self, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Do what may read much, in a thread; a few at a time, so that many do not take all memory."""
        async with self._few:
            return await run_in_threadpool(work, *args, **named)

    async def _plan(self, request: Request) -> Plan:
        name = await self._named(request.path_params["session"])
        agent = request.path_params["agent"] or MAIN
        return await run_in_threadpool(self._store.load, name, agent)

    async def _named(self, session: str) -> str:
        """The name by which a session is known here, for one that may lack its project."""
        return await run_in_threadpool(whole_name, self._store, session)


def editor(request: Request) -> Author:
    """The person who edits, by the name they give; nobody checks it."""
    given = request.headers.get("x-todowright-name", "")
    with suppress(UnicodeError):  # a header's bytes are read as Latin-1, but UTF-8 is what is sent
        given = given.encode("latin-1").decode()
    return Author("person", harmless(given).strip()[:LONGEST_NAME])


def may_edit(request: Request) -> bool:
    """Whether who asks may change plans, too."""
    return bool(request.scope.get("todowright.scope", "write") == "write")


def number(request: Request, name: str, default: int, *, most: int = 10**15) -> int:
    """A number of the query; anything else counts as not given."""
    text = request.query_params.get(name, "")
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 16 else default


def missing(text: str) -> Response:
    return fault(404, text)


def fault(status: int, text: str) -> Response:
    return JSONResponse({"error": text}, status)


Handler = Callable[[Request], Awaitable[Response]]


def answered(handler: Handler) -> Handler:
    """A handler whose store trouble becomes an answer."""

    async def safe(request: Request) -> Response:
        try:
            return await handler(request)
        except UnknownName as error:
            return missing(str(error))
        except TodowrightError as error:
            return fault(503, str(error))

    return safe
