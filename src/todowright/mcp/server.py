"""The plan tool as an MCP server, in whichever protocol revision the host speaks."""

from __future__ import annotations

import os
import threading
from importlib import resources
from typing import Any

import anyio
import mcp.types as types
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID, client_supports_apps
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError

from todowright import __version__
from todowright.dialects import load_dialect
from todowright.dialects.dialect import Dialect
from todowright.errors import BadName
from todowright.mcp.http_sessions import HttpSessions
from todowright.mcp.offers import VIEW, WIDGET, offered, view_of_widget
from todowright.mcp.subscriptions import SCHEME, Subscriptions, session_of, uri_of
from todowright.names import check_agent, check_session
from todowright.plan.data import as_data
from todowright.stores import Store
from todowright.text import harmless, json_text
from todowright.tool.todowrite import TodoWrite

Context = ServerRequestContext[Any, Any]
INSTRUCTIONS = "Keeps your plan. For work of several steps, plan first, then report each step as you finish it."
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

    A connection has a session of its own, unless one is named: by the option, or for HTTP by
    `?session=` and `?agent=` in the address.
    """

    def __init__(
        self,
        store: Store,
        *,
        dialect: str | Dialect = "lean",
        session: str | None = None,
        agent: str = "main",
        root: str | os.PathLike[str] = ".",
    ) -> None:
        self.store = store
        self.dialect = load_dialect(dialect)
        self._session = None if session is None else check_session(session)
        self._agent = check_agent(agent)
        self._root = root
        self._mark = os.urandom(4).hex()
        self._tools: dict[tuple[str, str], TodoWrite] = {}
        self._lock = threading.Lock()
        self._subscriptions = Subscriptions(store)
        self.server: Server[Any] = Server(
            "todowright",
            version=__version__,
            title="todowright",
            instructions=INSTRUCTIONS,
            cache_hints={"tools/list": _HOUR, "prompts/list": _HOUR},
            lifespan=self._subscriptions.told,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=ListenHandler(self._subscriptions.bus),
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )
        self.server.extensions[EXTENSION_ID] = {}

    def http(self) -> HttpSessions:
        """What serves it over HTTP; who checks hosts, origins and tokens stands around it."""
        return HttpSessions(self.server)

    # What is offered.

    async def _list_tools(self, context: Context, params: Any) -> types.ListToolsResult:
        apps = client_supports_apps(context)
        tools = [  # one frame for a plan, not one for each step that is done
            offered(tool, widget=apps and not n) for n, tool in enumerate(self.dialect.tools)
        ]
        return types.ListToolsResult(tools=[*tools, view_of_widget()] if apps else tools)

    async def _list_prompts(self, context: Context, params: Any) -> types.ListPromptsResult:
        about = types.PromptArgument(name="task", description="What is to be done", required=True)
        prompt = types.Prompt(
            name="plan", description="Plan a task, then do it step by step", arguments=[about]
        )
        return types.ListPromptsResult(prompts=[prompt])

    async def _get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        if params.name != "plan":
            raise MCPError(
                types.INVALID_PARAMS, f"no prompt is called {harmless(params.name)[:40]}: use plan"
            )
        task = (params.arguments or {}).get("task", "").strip() or "the task at hand"
        text = f"{task}\n\nPlan this with {self.dialect.tools[0].name} first. {INSTRUCTIONS}"
        said = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(messages=[said])

    # Calls.

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        session, agent = self._who(context)
        if params.name == VIEW:
            data = await anyio.to_thread.run_sync(self._plans, session)
            text = types.TextContent(text=json_text(data))
            return types.CallToolResult(content=[text], structured_content=data)
        todo = self.todo(session, agent)
        call_id = own_id(params.meta)
        reply = await anyio.to_thread.run_sync(
            lambda: todo(params.arguments or {}, tool=params.name, call_id=call_id)
        )
        said = types.TextContent(text=reply.text or "(nothing)")
        return types.CallToolResult(content=[said], is_error=reply.is_error)

    def todo(self, session: str, agent: str) -> TodoWrite:
        """The tool of a session's agent; those used longest ago are put away."""
        key = (session, agent)
        with self._lock:
            found = self._tools.pop(key, None) or TodoWrite(
                self.dialect,
                store=self.store,
                session=session,
                agent=agent,
                root=self._root,
                with_news=True,
            )
            self._tools[key] = found
            while len(self._tools) > _MOST_TOOLS:
                self._tools.pop(next(iter(self._tools)))
        return found

    def _who(self, context: Context) -> tuple[str, str]:
        """The session and the agent of a connection."""
        given = getattr(context.request, "query_params", {})
        session, agent = given.get("session") or None, given.get("agent") or self._agent
        if self._session is None and session is None:
            client = context.session.client_params
            name = sound_name(client.client_info.name) if client else "mcp"
            session = f"{name}-{self._connection(context)}"
        try:
            return check_session(self._session or session or "default"), check_agent(agent)
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
        own = self._who(context)[0]
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
            html = resources.files("todowright.mcp").joinpath("widget.html").read_text("utf-8")
            page = types.TextResourceContents(uri=uri, mime_type=APP_MIME_TYPE, text=html)
            return types.ReadResourceResult(contents=[page])
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
