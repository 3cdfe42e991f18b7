"""What is said to who may not come in: a page to a person, one line of JSON to a program."""

from __future__ import annotations

import re
from html import escape

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import Scope

STRANGER = (
    "a token is needed: todowright token new NAME gives one; "
    "for a browser, todowright serve --link gives a link"
)
STRANGE_BROWSER = (
    "this browser is not known here: todowright serve --link gives a link that opens the board"
)
USUAL_PORT = 8700
_LINK = "todowright serve --link"
PUBLIC = ("/board.css", "/icon.svg")
"""What these pages need; it tells nothing."""
_HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>todowright</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="color-scheme" content="light dark"><link rel="icon" href="/icon.svg">'
    '<link rel="stylesheet" href="/board.css">'
)
_PAGE = (
    _HEAD
    + '</head><body><header><span class="brand"><img src="/icon.svg" alt="" width="22" height="22"> '
    "todowright</span></header><main><h1>{head}</h1><p>{text}</p>"
    '<p><a href="/">Try again</a></p></main></body></html>'
)
_ONWARD = (
    _HEAD + '<meta http-equiv="refresh" content="0;url=/"></head>'
    '<body><main><a href="/">To the board</a></main></body></html>'
)


def refused(scope: Scope, status: int, plain: str) -> Response:
    """A refusal, for a person or for a program."""
    text = _with_port(scope, plain)
    headers = {401: {"www-authenticate": "Bearer"}, 429: {"retry-after": "1"}}.get(status, {})
    if scope["path"] != "/" or "text/html" not in Headers(scope=scope).get("accept", ""):
        return JSONResponse({"error": text}, status, headers=headers)
    told = _with_port(scope, STRANGE_BROWSER) if plain == STRANGER else text
    head, mark, rest = told.partition(": " if ": " in told else "; ")
    page = _PAGE.format(head=_sentence(head), text=_sentence(rest) if mark else "")
    return HTMLResponse(page, status, headers)


def onward() -> Response:
    """A page that goes on to the board by itself.

    Not by a status: a browser that came from another site would not bring the new cookie along.
    """
    return HTMLResponse(_ONWARD, headers={"cache-control": "no-store"})


def _with_port(scope: Scope, text: str) -> str:
    """The text, with the port in the command that gives a link, where it is not the usual one."""
    port = (scope.get("server") or ("", USUAL_PORT))[1]
    return text if port == USUAL_PORT else text.replace(_LINK, f"{_LINK} --port {port}")


def _sentence(text: str) -> str:
    """One sentence in HTML; a command of ours in it stands out."""
    text = re.sub(f"{_LINK}( --port [0-9]+)?", r"<code>\g<0></code>", escape(text))
    return (text if text.startswith("<") else text[0].upper() + text[1:]) + "."
