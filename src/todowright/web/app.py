"""The whole application: the board at /, the API below /api, MCP at /mcp."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from todowright.stores import Store
from todowright.web.api import Api
from todowright.web.guard import Guard, Token
from todowright.web.news import News

_KINDS = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}


def build(
    store: Store,
    *,
    project: str = "",
    hosts: tuple[str, ...] = (),
    tokens: tuple[Token, ...] = (),
    mounted: ASGIApp | None = None,
    started: Any = None,
) -> Starlette:
    """The application on a store of a project; `mounted` answers /mcp, and `started` is entered with it."""
    news = News(store)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        news.start()
        try:
            if started is None:
                yield
            else:
                async with started():
                    yield
        finally:
            await news.stop()

    routes: list[Any] = [
        *Api(store, news, project).routes(),
        Route("/", page),
        Route("/{name}", page),
    ]
    if mounted is not None:
        routes.insert(0, Route("/mcp", endpoint=_Whole(mounted)))
    guard = Middleware(Guard, hosts=hosts, tokens=tokens)
    app = Starlette(routes=routes, lifespan=lifespan, middleware=[guard])
    app.state.news = news
    return app


class _Whole:
    """An application of its own at one address, for every method."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


async def page(request: Request) -> Response:
    """A file of the board."""
    if "token" in request.query_params:  # shown once, in the link: from here on it is in a cookie
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(
            "todowright", request.query_params["token"], httponly=True, samesite="strict"
        )
        return answer
    name = request.path_params.get("name") or "index.html"
    kind = _KINDS.get(name.rpartition(".")[2])
    file = resources.files("todowright.web").joinpath("static", name)
    if kind is None or "/" in name or "\\" in name or not file.is_file():
        return Response("There is no such page.", 404, media_type="text/plain")
    return Response(file.read_bytes(), media_type=kind, headers={"cache-control": "no-cache"})
