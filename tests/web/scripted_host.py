"""A scripted chat host: it shows a frame for each call that carries the widget, in a real browser.

What the model would do is scripted by the tests. The server behind it is ours, and so is the widget; frames, messages
and policies are as the specification of MCP Apps has them.
"""

from __future__ import annotations

import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
from mcp.client import Client
from mcp.client.extension import ClientExtension
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID

from todowright import MemoryStore
from todowright.mcp.server import PlanServer
from todowright.mcp.widget import page as page_of_widget

ADDRESS = "http://host.test/"
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'"
)
"""The strictest that the specification lets a host set, and a little more."""
CHAT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A scripted host</title>
<style>body { margin: 0; font: 14px sans-serif; } iframe { display: block; border: 0; width: 100%; height: 60px; margin: 0 0 8px; }
:root[data-theme=dark] { color-scheme: dark; background: #0e0f12; }</style><main></main><script>
window.asked = []; window.settings = {}; window.refused = 0;
const frames = new Map();
addEventListener("message", async ({ data, source }) => {
  const frame = frames.get(source);
  if (!frame || data?.jsonrpc !== "2.0") return;
  window.asked.push({ frame: frame.title, method: data.method, ...(data.params?.name && { tool: data.params.name }) });
  const answer = (result) => source.postMessage({ jsonrpc: "2.0", id: data.id, ...result }, "*");
  if (data.method === "ui/notifications/size-changed") frame.style.height = `${data.params.height}px`;
  if (data.method === "ui/notifications/initialized") { frame.ready = true; frame.tell?.(); }
  if (data.id === undefined) return;
  if (data.method === "ui/initialize")
    return answer({ result: { protocolVersion: "2026-01-26", hostInfo: { name: "scripted", version: "1" },
      hostCapabilities: settings.lets ? { serverTools: {} } : {}, hostContext: { theme: settings.theme } } });
  if (data.method !== "tools/call" || !settings.lets) return answer({ error: { code: -32601, message: "not here" } });
  if (settings.cut) return answer({ error: { code: -32000, message: "the person said no" } });
  answer({ result: JSON.parse(await serverCall(data.params.name, JSON.stringify(data.params.arguments))) });
});
window.carry = (html, input, result) => {
  const frame = document.createElement("iframe");
  frame.title = `call ${frames.size + 1}`;
  frame.setAttribute("sandbox", settings.shared ? "allow-scripts allow-same-origin" : "allow-scripts");
  frame.tell = () => {
    const say = (method, params) => frame.contentWindow.postMessage({ jsonrpc: "2.0", method, params }, "*");
    say("ui/notifications/tool-input", { arguments: input });
    say("ui/notifications/tool-result", result);
  };
  frame.srcdoc = html;
  document.querySelector("main").append(frame);
  frames.set(frame.contentWindow, frame);
};
</script></html>"""


class Apps(ClientExtension):
    """What a host says that shows widgets."""

    identifier = EXTENSION_ID

    def settings(self) -> dict[str, Any]:
        return {"mimeTypes": [APP_MIME_TYPE]}


class ScriptedHost:
    """One chat of a host, and the server behind it."""

    def __init__(
        self, browser: Any, *, width: int = 560, touch: bool = False, **settings: Any
    ) -> None:
        """`lets`: whether apps may call tools; `shared`: whether frames have one origin; `theme`; `clock`: a test's own."""
        self.store = MemoryStore()
        self.server = PlanServer(self.store, session="chat")
        self._worker = ThreadPoolExecutor(1)
        theme = settings.setdefault("theme", "light")
        self._context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, has_touch=touch,
            device_scale_factor=2, reduced_motion="reduce",
        )  # fmt: skip
        if settings.pop("clock", False):
            self._context.clock.install()
        self.page = self._context.new_page()
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on(
            "console",
            lambda said: self.complaints.append(said.text) if said.type == "error" else None,
        )
        self.page.route(ADDRESS, lambda route: route.fulfill(body=CHAT, content_type="text/html"))
        self.page.expose_function("serverCall", self._called)
        self.page.goto(ADDRESS)
        self.set(**{"lets": True, "shared": False, **settings})

    def set(self, **settings: Any) -> None:
        self.page.evaluate(
            "given => { Object.assign(settings, given); if (given.theme) document.documentElement.dataset.theme = given.theme; }",
            settings,
        )

    def restart(self) -> None:
        """Another server on the same store, as after an update."""
        self.server = PlanServer(self.store, session="chat")

    def call(self, tool: str, arguments: dict[str, Any], *, carries: bool | None = None) -> Any:
        """A call of the model; its frame, where the tool carries the widget. What came back is the answer."""
        result = self._ask(tool, arguments)
        if tool == "plan" if carries is None else carries:
            self.carry(arguments, result)
        return result

    def carry(self, arguments: dict[str, Any], result: dict[str, Any]) -> None:
        head = f'<head><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        html = page_of_widget().replace("<head>", head, 1)
        self.page.evaluate("given => carry(...given)", [html, arguments, result])

    def frame(self, number: int) -> Any:
        """The frame of a call, counted from 1."""
        return self.page.frame_locator(f"iframe[title='call {number}']")

    def asked(self, **wanted: str) -> int:
        """How often the frames asked for something."""
        found = self.page.evaluate("window.asked")
        return sum(all(each.get(key) == value for key, value in wanted.items()) for each in found)

    def close(self) -> None:
        said = list(self.complaints)
        self._context.close()  # first: a widget that looks once more must find its server
        self._worker.shutdown()
        assert said == [], said

    def _called(self, tool: str, arguments: str) -> str:
        return json.dumps(self._ask(tool, json.loads(arguments)))

    def _ask(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        async def call() -> dict[str, Any]:
            server: Any = self.server.server
            async with Client(server, mode="2026-07-28", extensions=[Apps()]) as client:
                result = await client.call_tool(tool, arguments)
            found: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
            return found

        return self._worker.submit(lambda: anyio.run(_within, call())).result(60)


async def _within(work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    with anyio.fail_after(30):
        return await work
