"""The widget in a sandboxed frame of a real browser, beside a host that speaks its protocol."""

from __future__ import annotations

from typing import Any

from tests.web.browser import CHROMIUM, FLAGS, needed
from todowright.mcp.widget import page as page_of_widget

pytestmark = needed
HOST = """<!doctype html><title>host</title><iframe sandbox="allow-scripts" width="500" height="400"></iframe>
<script>
  window.asked = []; window.plan = {plans: []};
  const frame = document.querySelector("iframe");
  addEventListener("message", (event) => {
    if (event.source !== frame.contentWindow) return;
    const message = event.data;
    window.asked.push(message.method);
    if (message.id === undefined) return;
    const result = message.method === "ui/initialize"
      ? {protocolVersion: "2026-01-26", hostContext: {theme: "dark"}}
      : {content: [{type: "text", text: JSON.stringify(window.plan)}], structuredContent: window.plan};
    frame.contentWindow.postMessage({jsonrpc: "2.0", id: message.id, result}, "*");
  });
  window.tell = () => frame.contentWindow.postMessage({jsonrpc: "2.0", method: "ui/notifications/tool-result", params: {}}, "*");
</script>"""


def plan(*todos: tuple[str, str]) -> dict[str, Any]:
    rows = [
        {"id": f"t{n}", "content": text, "status": status} for n, (text, status) in enumerate(todos)
    ]
    return {"session": "s", "plans": [{"agent": "main", "todos": rows}]}


def test_it_shows_the_plan_follows_it_and_runs_nothing_that_a_todo_says() -> None:
    from playwright.sync_api import sync_playwright

    widget = page_of_widget()
    hostile = "<img src=x onerror=parent.owned=1><script>parent.owned=1</script>"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        said: list[str] = []
        page.on("pageerror", lambda error: said.append(str(error)))
        page.set_content(HOST)
        page.evaluate(
            "plan => { window.plan = plan; }", plan(("One", "in_progress"), (hostile, "pending"))
        )
        page.evaluate("html => { document.querySelector('iframe').srcdoc = html; }", widget)
        frame = page.frame_locator("iframe")
        frame.locator("li.in_progress", has_text="One").wait_for()

        assert frame.locator("li").all_inner_texts()[1].endswith(hostile)
        assert frame.locator("html").get_attribute("data-theme") == "dark"
        page.evaluate(
            "plan => { window.plan = plan; window.tell(); }",
            plan(("One", "completed"), ("Two", "in_progress")),
        )
        frame.locator("li.completed", has_text="One").wait_for()
        assert frame.get_by_text("1 of 2 done").count() == 1
        kept = plan(("One", "pending"))
        kept["plans"][0]["todos"][0]["extras"] = {"owner": hostile, "priority": "high"}
        page.evaluate("plan => { window.plan = plan; window.tell(); }", kept)
        frame.locator("li small", has_text=f"owner: {hostile}, priority: high").wait_for()
        assert frame.locator("img, main script").count() == 0
        asked = page.evaluate("window.asked")
        assert asked[0] == "ui/initialize"
        assert {
            "ui/notifications/initialized",
            "tools/call",
            "ui/notifications/size-changed",
        } <= set(asked)
        assert page.evaluate("window.owned") is None
        told = len(asked)
        page.evaluate("document.querySelector('iframe').width = 150")
        resized(page, told)
        browser.close()
    assert said == []


def resized(page: Any, told: int) -> None:
    """Wait until the host is told of another size."""
    for _ in range(1500):
        if "ui/notifications/size-changed" in page.evaluate("window.asked")[told:]:
            return
        page.wait_for_timeout(20)
    raise AssertionError("no word of the size")


def test_where_the_host_lets_it_look_at_nothing_it_shows_what_the_model_sent() -> None:
    from playwright.sync_api import sync_playwright

    widget = page_of_widget()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        page.set_content(
            HOST.replace(
                ", result}",
                ", ...(message.method === 'tools/call' ? {error: {code: 1, message: 'no'}} : {result})}",
            )
        )
        page.evaluate("html => { document.querySelector('iframe').srcdoc = html; }", widget)
        for _ in range(1500):
            if "tools/call" in page.evaluate("window.asked"):
                break
            page.wait_for_timeout(20)
        page.evaluate(
            """document.querySelector('iframe').contentWindow.postMessage({jsonrpc: "2.0",
            method: "ui/notifications/tool-input", params: {arguments: {steps: ["One", "Two"]}}}, "*")"""
        )
        frame = page.frame_locator("iframe")
        frame.locator("li", has_text="Two").wait_for()
        assert frame.get_by_text("0 of 2 done").count() == 1
        browser.close()
