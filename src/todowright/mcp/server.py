"""The plan tool as an MCP server, in whichever protocol revision the host speaks."""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import anyio
import mcp.types as types
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID, client_supports_apps
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from todowright import __version__
from todowright.dialects import load_dialect
from todowright.dialects.call import Reply
from todowright.dialects.dialect import Dialect
from todowright.errors import BadName, TodowrightError
from todowright.host.hooks import read_event, respond
from todowright.host.identity import Caller, Window, host_of, note_event
from todowright.host.records import Records
from todowright.mcp.conversations import Conversations, Place
from todowright.mcp.gate import PlanGate
from todowright.mcp.http_sessions import HttpSessions
from todowright.mcp.offers import EDIT, VIEW, WIDGET, offered, tools_of_widget
from todowright.mcp.subscriptions import SCHEME, Subscriptions, session_of, uri_of
from todowright.mcp.widget import CARRIED, edit, page, view
from todowright.names import check_agent, check_session
from todowright.plan.data import as_data
from todowright.stores import Store
from todowright.text import harmless, json_text
from todowright.tool.todowrite import TodoWrite

Context = ServerRequestContext[Any, Any]
HOW = "For work of several steps, plan first, then report each step as you finish it."
INSTRUCTIONS = f"Keeps your plan: a todo or task list that tracks the progress of steps. {HOW}"
"""Hosts that show a model only the names of tools let it search in these words."""
PROMPT = "plan-first"
HOOK = "hook"
"""A tool that is not listed: a host's hooks call it over the open connection."""
NO_PLAN = "No plan yet."
OWN_LIST = 'If these are another agent\'s steps, keep a list of your own: add "_agent": "<your name>" to your calls.'
CALL_IDS = ("todowright/callId", "claudecode/toolUseId", "callId")
"""Where hosts put their own id of a call, in its `_meta`."""
_MOST_LISTED, _MOST_TOOLS = 100, 1000
_HOUR = CacheHint(ttl_ms=3_600_000, scope="public")


def sound_name(name: str) -> str:
    """A client's name as the beginning of a session's."""
    kept = "".join(char for char in name if char.isprintable() and char not in "/\\")
    return kept.strip(". -")[:60].strip() or "mcp"


def own_id(meta: object) -> str | None:
    """The host's own id of a call, where it sends one: the same call again then changes nothing."""
    if isinstance(meta, dict):
        given = [meta.get(key) for key in CALL_IDS]
        return next((each for each in given if isinstance(each, str) and each), None)
    return None


class PlanServer:
    """One MCP server on a store; `server` is the SDK's own object.

    With a `window` it serves one window of a host, and a call belongs to the host's conversation. Without one,
    a connection has a session of its own, unless one is named: by the option, by the host with the call, or for
    HTTP by `?session=` and `?agent=` in the address.
    """

    def __init__(
        self,
        store: Store,
        *,
        dialect: str | Dialect = "lean",
        session: str | None = None,
        agent: str = "main",
        root: str | os.PathLike[str] = ".",
        window: Window | None = None,
        records: Records | None = None,
        subscriptions: Subscriptions | None = None,
    ) -> None:
        self.store = store
        self.dialect = load_dialect(dialect)
        self._session = None if session is None else check_session(session)
        self._agent = check_agent(agent)
        self._root = root
        self._window = window
        self._records = records or Records()
        self._gate = PlanGate(
            window.folder if window else os.fspath(root), window.environ if window else os.environ
        )
        self._mark = window.mark if window else os.urandom(4).hex()
        self._tools: dict[tuple[str, str, bool], TodoWrite] = {}
        self._conversations: dict[tuple[str, ...], Conversations] = {}
        self._lock = threading.Lock()
        self._subscriptions = subscriptions or Subscriptions(store)
        self.server: Server[Any] = Server(
            "todowright",
            version=__version__,
            title="todowright",
            instructions=INSTRUCTIONS,
            cache_hints={"tools/list": _HOUR, "prompts/list": _HOUR},
            lifespan=self._lifespan,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._subscriptions.listen,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )
        self.server.extensions[EXTENSION_ID] = {}

    def http(self) -> HttpSessions:
        """What serves it over HTTP; who checks hosts, origins and tokens stands around it."""
        return HttpSessions(self.server)

    @asynccontextmanager
    async def _lifespan(self, server: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        async with self._subscriptions.told(server) as state:
            try:
                yield state
            finally:
                if self._window is not None:
                    self._subscriptions.leave(self._mark)

    # What is offered.

    async def _list_tools(self, context: Context, params: Any) -> types.ListToolsResult:
        apps = client_supports_apps(context)
        tools = [  # one frame for a plan, not one for each step that is done
            offered(tool, widget=apps and not n) for n, tool in enumerate(self.dialect.tools)
        ]
        return types.ListToolsResult(tools=[*tools, *tools_of_widget()] if apps else tools)

    async def _list_prompts(self, context: Context, params: Any) -> types.ListPromptsResult:
        """One, without arguments: a host that splits what was typed at spaces would lose all but a word."""
        about = "Plan what was asked for, then do it step by step"
        return types.ListPromptsResult(prompts=[types.Prompt(name=PROMPT, description=about)])

    async def _get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        if params.name != PROMPT:
            told = f"no prompt is called {harmless(params.name)[:40]}: use {PROMPT}"
            raise MCPError(types.INVALID_PARAMS, told)
        first = self.dialect.tools[0].name
        text = f"Plan what I asked for, or ask for next, with {first} first. {HOW}"
        said = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(messages=[said])

    # Calls.

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        conversations = self._of(context)
        if params.name in (VIEW, EDIT) and client_supports_apps(context):
            return await anyio.to_thread.run_sync(self._asked_by_widget, conversations, params)
        if params.name == HOOK:
            answer = await anyio.to_thread.run_sync(self._hook, conversations, params.arguments)
            return types.CallToolResult(content=[types.TextContent(text=answer or "{}")])
        reply, place = await anyio.to_thread.run_sync(self._answer, conversations, params)
        if not reply.is_error and reply.text != NO_PLAN:
            await self._subscriptions.saw(place.session)
        said = types.TextContent(text=reply.text or "(nothing)")
        carried = None
        if params.name == self.dialect.tools[0].name and client_supports_apps(context):
            number = conversations.copies.new(place.session, place.agent)
            copy = {"session": place.session, "agent": place.agent, "call": number}
            carried = {CARRIED: copy}
        return types.CallToolResult(content=[said], is_error=reply.is_error, _meta=carried)

    def _asked_by_widget(
        self, conversations: Conversations, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Answer a call of the widget: the plan, or what became of a person's edits."""
        given, wrong, data = params.arguments or {}, "", dict[str, Any]()
        meta = params.meta or {}
        try:
            own = "" if given.get("session") else conversations.own_session(meta)
            if params.name == VIEW:
                data = view(self.store, conversations.copies, own, given)
            else:
                root = os.fspath(self._root)
                data, wrong = edit(
                    self.store, own, given, root, lambda name: conversations.is_shown(name, meta)
                )
        except TodowrightError as error:
            wrong = str(error)
        text = types.TextContent(text=wrong or json_text(data))
        return types.CallToolResult(content=[text], structured_content=data, is_error=bool(wrong))

    def _answer(
        self, conversations: Conversations, params: types.CallToolRequestParams
    ) -> tuple[Reply, Place]:
        """Answer a call of one of the plan's tools, and tell where it belongs."""
        arguments, meta = dict(params.arguments or {}), params.meta or {}
        place = conversations.place(params.name, arguments, meta)
        with self._gate.call() as asked:
            todo = self.todo(place.session, place.agent, verified=asked.wanted)
            reply = todo(arguments, tool=params.name, call_id=own_id(meta))
        if place.taken_up and not reply.is_error:
            return todo({}, tool=params.name), place  # what it took up
        more = ""
        if reply.text == NO_PLAN:
            more = conversations.offer(place)
        elif reply.issues and reply.issues[0].code == "drops" and not place.caller.by_call:
            more = OWN_LIST
        elif asked.told:
            more = asked.told
        text = f"{reply.text.rstrip('.')}. {more}" if more else reply.text
        return replace(reply, text=text), place

    def _hook(self, conversations: Conversations, arguments: dict[str, Any] | None) -> str:
        """Take what a hook of the host tells over this connection, and answer it."""
        given, window = arguments or {}, conversations.window
        event = read_event(window.host, given)
        if event is None or not event.session:
            return ""
        title = given.get("prompt")
        pid = window.pids[0] if window.pids else 0
        note_event(self._records, pid, event, title if isinstance(title, str) else "")
        caller = Caller(event.host, event.session, event.agent, event.agent_type)
        place = conversations.of_caller(caller)
        cleared = event.kind == "start" and event.source == "clear"
        former = conversations.left_over(place) if cleared else None
        return respond(event, self.store, place.session, place.agent, former=former)

    def todo(self, session: str, agent: str, *, verified: bool = False) -> TodoWrite:
        """The tool of a session's agent; those used longest ago are put away."""
        key = (session, agent, verified)
        with self._lock:
            found = self._tools.pop(key, None) or TodoWrite(
                self.dialect,
                store=self.store,
                session=session,
                agent=agent,
                root=self._root,
                environ=self._window.environ if self._window else None,
                verify=self._gate if verified else None,
                with_news=True,
            )
            self._tools[key] = found
            while len(self._tools) > _MOST_TOOLS:
                self._tools.pop(next(iter(self._tools)))
        return found

    def _of(self, context: Context) -> Conversations:
        """The conversations of a connection."""
        given = getattr(context.request, "query_params", {})
        session, agent = given.get("session") or self._session, given.get("agent") or self._agent
        client = context.session.client_params
        name = client.client_info.name if client else "mcp"
        own = self._window or Window(str(self._root), mark=self._connection(context))
        key = (name, own.mark, session or "", agent)
        with self._lock:
            found = self._conversations.pop(key, None)
            if found is None:
                found = self._new(own._replace(host=host_of(name)), name, session, agent)
            self._conversations[key] = found
            while len(self._conversations) > _MOST_TOOLS:
                self._conversations.pop(next(iter(self._conversations)))
        return found

    def _new(self, window: Window, client: str, session: str | None, agent: str) -> Conversations:
        try:
            return Conversations(
                self.store,
                self.dialect,
                window,
                self._records,
                session=None if session is None else check_session(session),
                agent=check_agent(agent),
                otherwise="" if self._window else f"{sound_name(client)}-{window.mark}",
            )
        except BadName as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None

    def _connection(self, context: Context) -> str:
        """What tells this connection from others: its id over HTTP, else this process.

        The newest revision has no connections over HTTP: there a host goes on with its plan, also when
        the server was started anew.
        """
        headers = getattr(context.request, "headers", None)
        if headers is None:
            return self._mark
        return str(headers.get("mcp-session-id", ""))[:12] or "http"

    # Resources.

    def _plans(self, session: str) -> dict[str, Any]:
        plans = self.store.plans(session)
        return {"session": session, "plans": [as_data(plan) for plan in plans]}

    async def _list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """The plans, its own first, then the latest."""
        known = list(await anyio.to_thread.run_sync(self.store.sessions))
        own = await anyio.to_thread.run_sync(self._of(context).own_session)
        names = [own] * (own in known) + [name for name in reversed(known) if name != own]
        cursor = getattr(params, "cursor", None) or ""
        start = int(cursor) if cursor.isascii() and cursor.isdigit() and len(cursor) < 9 else 0
        found = [
            types.Resource(
                name=name, uri=uri_of(name), mime_type="application/json", title=f"Plan of {name}"
            )
            for name in names[start : start + _MOST_LISTED]
        ]
        if not start:
            widget = types.Resource(name="plan widget", uri=WIDGET, mime_type=APP_MIME_TYPE)
            found.append(widget)
        end = start + _MOST_LISTED
        more = str(end) if end < len(names) else None
        return types.ListResourcesResult(resources=found, next_cursor=more)

    async def _list_templates(
        self, context: Context, params: Any
    ) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            name="plan",
            uri_template=SCHEME + "{session}",
            description="The plans of a session, as JSON",
            mime_type="application/json",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri == WIDGET:
            html = types.TextResourceContents(
                uri=uri, mime_type=APP_MIME_TYPE, text=page(), _meta={"ui": {"prefersBorder": True}}
            )
            return types.ReadResourceResult(contents=[html])
        session = session_of(uri)
        known = await anyio.to_thread.run_sync(self.store.sessions)
        if session not in known:
            raise MCPError(
                types.INVALID_PARAMS, f"no such resource: {harmless(uri)[:100]}", data={"uri": uri}
            )
        data = await anyio.to_thread.run_sync(self._plans, session)
        text = types.TextResourceContents(
            uri=uri, mime_type="application/json", text=json_text(data)
        )
        return types.ReadResourceResult(contents=[text])

    # Subscriptions.

    async def _subscribe(
        self, context: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        uri = str(params.uri)
        if not uri.startswith(SCHEME) or len(uri) > 1000:
            raise MCPError(types.INVALID_PARAMS, f"no such resource: {harmless(uri)[:100]}")
        await self._subscriptions.subscribe(self._connection(context), uri, context.session)
        return types.EmptyResult()

    async def _unsubscribe(
        self, context: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        self._subscriptions.unsubscribe(self._connection(context), str(params.uri))
        return types.EmptyResult()
