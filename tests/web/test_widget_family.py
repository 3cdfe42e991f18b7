"""The widget of chat hosts with sub-agents: nested by name, and those that ended in one line."""

from __future__ import annotations

from typing import Any

from tests.web.browser import needed
from todowright.mcp.widget import page as page_of_widget

pytestmark = needed
HOST = """<!doctype html><title>host</title><iframe sandbox="allow-scripts" width="500" height="400"></iframe>"""
ANSWER = """plan => {
  const frame = document.querySelector("iframe");
  addEventListener("message", ({ data, source }) => {
    if (source !== frame.contentWindow || data.id === undefined) return;
    const result = data.method === "ui/initialize" ? {} : { structuredContent: plan };
    frame.contentWindow.postMessage({ jsonrpc: "2.0", id: data.id, result }, "*");
  });
}"""


def plan(agent: str, content: str = "", ended: str = "") -> dict[str, Any]:
    todos = [{"number": 1, "id": "t1", "content": content, "status": "pending"}] if content else []
    return {"agent": agent, "todos": todos, "ended": ended, "serves": 0}


def test_sub_agents_are_nested_and_who_ended_is_one_line(chromium: Any) -> None:
    widget = page_of_widget()
    plans = [
        plan("main", "The whole"),
        plan("main/part-1", "A part"),
        plan("main/gone-2/deep-3", "Deep"),
        plan("main/gone-2", ended="finished, 2 of 2 done"),
    ]
    page = chromium.new_page()
    page.set_content(HOST)
    page.evaluate(ANSWER, {"session": "s", "plans": plans})
    page.evaluate("html => { document.querySelector('iframe').srcdoc = html; }", widget)
    frame = page.frame_locator("iframe")
    frame.get_by_text("Deep", exact=True).wait_for()
    assert frame.locator("main > section").count() == 1
    assert frame.locator("section section h2").all_inner_texts() == [
        "part-1\n0 of 1 done",
        "deep-3\n0 of 1 done",
    ]
    assert frame.locator(".ended").inner_text() == "gone-2 ended: finished, 2 of 2 done"
    page.close()
