"""The JSON API: sessions, plans, history, changes since a number, edits of a person."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from todowright.errors import Conflict, Refused, TodowrightError
from todowright.plan.changes import compare
from todowright.plan.data import as_data
from todowright.plan.editing import read_edits
from todowright.plan.model import MAIN, Plan
from todowright.stores import Store
from todowright.tool.editing import dialect_of, edit_plan
from todowright.web.news import News
from todowright.web.openapi import document

MOST = 1000


class Api:
    """The routes below /api, on one store."""

    def __init__(self, store: Store, news: News, project: str = "", root: str = ".") -> None:
        self._root = root
        self._store = store
        self._news = news
        self._project = project

    def routes(self) -> list[Route]:
        plan = "/api/sessions/{session}/plans/{agent:path}"
        return [
            Route("/api/openapi.json", answered(self.openapi)),
            Route("/api/sessions", answered(self.sessions)),
            Route("/api/sessions/{session}", answered(self.session)),
            Route("/api/sessions/{session}/history/{agent:path}", answered(self.history)),
            Route(plan, answered(self.plan), methods=["GET"]),
            Route(plan, answered(self.edit), methods=["PATCH"]),
            Route("/api/changes", answered(self.changes)),
            Route("/api/events", self.events),
        ]

    async def openapi(self, _: Request) -> Response:
        return JSONResponse(document())

    async def sessions(self, request: Request) -> Response:
        wanted = request.query_params.get("q", "").casefold()
        limit = number(request, "limit", MOST, most=MOST)
        newest = self._news.number  # before the rows: what comes in between is told again, not lost
        rows = await run_in_threadpool(
            lambda: [row(self._store, each) for each in self._store.sessions()]
        )
        found = [each for each in rows if wanted in each["search"]]
        found.sort(key=lambda each: each["updated_at"] or "", reverse=True)
        shown = [{key: value for key, value in each.items() if key != "search"} for each in found]
        told = {"project": self._project, "total": len(found), "number": newest}
        return JSONResponse({"sessions": shown[:limit], "edits": may_edit(request), **told})

    async def session(self, request: Request) -> Response:
        name, newest = request.path_params["session"], self._news.number
        plans = await run_in_threadpool(self._store.plans, name)
        if not plans:
            return missing(f"there is no session {name}")
        told = {"session": name, "plans": [as_data(plan) for plan in plans], "number": newest}
        return JSONResponse({**told, "edits": may_edit(request)})

    async def plan(self, request: Request) -> Response:
        found = await self._plan(request)
        if not found.revision:
            return missing("there is no such plan")
        return JSONResponse(as_data(found), headers={"etag": f'"{found.revision}"'})

    async def history(self, request: Request) -> Response:
        name, agent = request.path_params["session"], request.path_params["agent"] or MAIN
        limit = number(request, "limit", MOST, most=MOST)
        plans = await run_in_threadpool(self._store.history, name, agent)
        if not plans and not await run_in_threadpool(self._store.plans, name):
            return missing("there is no such session")  # an agent that has ended has no history
        after = number(request, "after", 0)
        pairs = list(zip([Plan(name, agent), *plans], plans, strict=False))
        pairs = [pair for pair in pairs if pair[1].revision > after]
        pairs = pairs[max(0, len(pairs) - limit) :]
        return await run_in_threadpool(
            lambda: JSONResponse({"revisions": [revision(*pair) for pair in pairs]})
        )

    async def changes(self, request: Request) -> Response:
        after = number(request, "after", 0)
        session = request.query_params.get("session")
        entries = await run_in_threadpool(lambda: list(self._store.since(after, session=session)))
        shown = [{"number": at, **as_data(plan)} for at, plan in entries[:MOST]]
        return JSONResponse({"changes": shown, "number": shown[-1]["number"] if shown else after})

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
            return fault(412, "the plan has changed meanwhile: load it again")
        try:
            after = await run_in_threadpool(self._edited, before, edits)
        except Refused as error:
            return fault(422, str(error))
        except Conflict:
            return fault(412, "the plan has changed meanwhile: load it again")
        return JSONResponse(as_data(after), headers={"etag": f'"{after.revision}"'})

    def _edited(self, before: Plan, edits: object) -> Plan:
        try:
            wanted = read_edits(edits)
        except Refused as refused:
            raise dialect_of(before).worded(refused) from None
        return edit_plan(self._store, before, wanted, root=self._root).plan

    async def events(self, request: Request) -> Response:
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        last = request.headers.get("last-event-id") or request.query_params.get("after") or ""
        after = int(last) if last.isascii() and last.isdigit() and len(last) < 18 else None
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(
            self._news.stream(after), media_type="text/event-stream", headers=headers
        )

    async def _plan(self, request: Request) -> Plan:
        name, agent = request.path_params["session"], request.path_params["agent"] or MAIN
        return await run_in_threadpool(self._store.load, name, agent)


def row(store: Store, session: str) -> dict[str, Any]:
    """A session at a glance."""
    plans = store.plans(session)
    agents = [glance(plan) for plan in plans]
    latest = max((plan.updated_at for plan in plans if plan.updated_at), default=None)
    words = [session, *(todo.content for plan in plans for todo in plan.todos)]
    return {
        "session": session,
        "updated_at": latest.isoformat() if latest else None,
        "agents": agents,
        "search": "\n".join(words).casefold(),
    }


def glance(plan: Plan) -> dict[str, Any]:
    now = plan.current
    done, total = plan.progress
    idle = (datetime.now(UTC) - plan.updated_at).total_seconds() if plan.updated_at else 0
    return {
        "agent": plan.agent,
        "revision": plan.revision,
        "summary": plan.summary,
        "done": done,
        "total": total,
        "now": (now.active_form or now.content) if now else None,
        "idle_seconds": round(idle, 1),
        "finished": plan.finished,
    }


def revision(before: Plan, after: Plan) -> dict[str, Any]:
    """A revision, and what it did to each item."""
    items = [
        {"id": change.todo.id, "content": change.todo.content, "kinds": list(change.kinds)}
        for change in compare(before, after)
    ]
    return {**as_data(after), "changes": items}


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
        except TodowrightError as error:
            return fault(503, str(error))

    return safe
