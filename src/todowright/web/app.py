"""The whole application: the board at /, the API below /api, MCP at /mcp."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from todowright.stores import Store
from todowright.web.api import Api
from todowright.web.guard import Guard
from todowright.web.keys import Keys
from todowright.web.stream import EventStream

_KINDS = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
_SCRIPTS = (
    "address", "api", "axis", "bell", "board", "desk", "dom", "draw", "editor", "fleet", "list", "lives", "markdown",
    "palette", "past", "receipts", "rows", "session", "slider", "surface", "tree",
)  # fmt: skip
_FILES = frozenset(f"{name}.js" for name in _SCRIPTS) | {"index.html", "board.css", "icon.svg"}


def build(
    store: Store,
    *,
    keys: Keys | None,
    project: str = "",
    root: str | os.PathLike[str] = ".",
    hosts: tuple[str, ...] = (),
    mounted: ASGIApp | None = None,
    started: Any = None,
) -> Starlette:
    """The application on a store of a project; `mounted` answers /mcp, and `started` is entered with it.

    `keys` say who may come in; None lets everybody in who can reach it.
    `root` is the project's folder, under which the log of a plan that is finished here is kept.
    """
    stream = EventStream(store)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        stream.start()
        try:
            if started is None:
                yield
            else:
                async with started():
                    yield
        finally:
            await stream.stop()

    routes: list[Any] = [
        *Api(store, stream, project, str(Path(root).resolve())).routes(),
        Route("/", page),
        Route("/{name}", page),
    ]
    if mounted is not None:
        routes.insert(0, Route("/mcp", endpoint=_Whole(mounted)))
    small = Middleware(GZipMiddleware, minimum_size=2000, compresslevel=4)
    guard = Middleware(Guard, hosts=hosts, keys=keys)
    plain: Any = {404: _nothing, 405: _nothing}
    app = Starlette(
        routes=routes, lifespan=lifespan, middleware=[guard, small], exception_handlers=plain
    )
    app.state.stream = stream
    return app


async def _nothing(_: Request, error: HTTPException) -> Response:
    return JSONResponse({"error": error.detail}, error.status_code)


class _Whole:
    """An application of its own at one address, for every method."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


async def page(request: Request) -> Response:
    """A file of the board."""
    name = request.path_params.get("name") or "index.html"
    if name not in _FILES:
        return Response("There is no such page.", 404, media_type="text/plain")
    file = resources.files("todowright.web").joinpath("static", name)
    kind = _KINDS[name.rpartition(".")[2]]
    return Response(file.read_bytes(), media_type=kind, headers={"cache-control": "no-cache"})
