"""A real Firefox, Debian's, driven by the protocol that it speaks itself: Marionette."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
_KEYS = {"ArrowLeft": "\ue012", "Enter": "\ue007", "Escape": "\ue00c", "Control": "\ue009"}


class Firefox:
    """One window of a Firefox with a profile of its own."""

    def __init__(self, width: int = 1440, height: int = 900) -> None:
        assert FIREFOX, "Firefox is missing"
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        port = _free_port()
        Path(self._profile.name, "user.js").write_text(
            f'user_pref("marionette.port", {port});\nuser_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
        )
        self._process = subprocess.Popen(
            [FIREFOX, "--headless", "--marionette", "--no-remote", "-remote-allow-system-access", "--profile", self._profile.name,
             "--width", str(width), "--height", str(height)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            self._socket = _connected(port)
        except BaseException:
            self._process.kill()  # nobody else would end it
            self._process.wait(20)
            raise
        self._number, self._rest = 0, b""
        self._read()  # its greeting
        self.ask("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {}}})

    def ask(self, command: str, parameters: dict[str, Any]) -> Any:
        """Its answer to a command."""
        self._number += 1
        text = json.dumps([0, self._number, command, parameters])
        self._socket.sendall(f"{len(text.encode())}:{text}".encode())
        _, _, error, value = self._read()
        assert error is None, error
        return value

    def goto(self, url: str) -> None:
        self.ask("WebDriver:Navigate", {"url": url})

    def evaluate(self, expression: str) -> Any:
        """What the page says to an expression."""
        return self.ask("WebDriver:ExecuteScript", {"script": f"return {expression}", "args": []})[
            "value"
        ]

    def until(self, expression: str) -> None:
        """Wait until the page says so."""
        deadline = time.monotonic() + 60
        while not self.evaluate(expression):
            assert time.monotonic() < deadline, expression
            time.sleep(0.05)

    def press(self, *keys: str) -> None:
        """Press keys together, or type one letter."""
        codes = [_KEYS.get(key, key) for key in keys]
        acts = [{"type": "keyDown", "value": code} for code in codes]
        acts += [{"type": "keyUp", "value": code} for code in reversed(codes)]
        self.ask(
            "WebDriver:PerformActions", {"actions": [{"type": "key", "id": "k", "actions": acts}]}
        )

    def type(self, text: str) -> None:
        """Press one key after another."""
        for letter in text:
            self.press(letter)

    def fill(self, selector: str, text: str) -> None:
        """Put other words into a field, and leave the focus there."""
        field = f"document.querySelector({json.dumps(selector)})"
        self.until(f"{field} !== null")
        self.evaluate(f"({field}.focus(), {field}.select())")
        self.type(text)

    def hover(self, selector: str) -> None:
        """Put the pointer on the middle of an element."""
        self._point(selector, [])

    def click(self, selector: str) -> None:
        """Press the middle of an element."""
        self._point(
            selector, [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        )

    def resize(self, width: int, height: int) -> None:
        self.ask("WebDriver:SetWindowRect", {"width": width, "height": height})

    def wait(self, expression: str) -> Any:
        """What the promise of an expression comes to."""
        script = f"const done = arguments[0]; Promise.resolve({expression}).then(done, (error) => done(String(error)))"
        return self.ask("WebDriver:ExecuteAsyncScript", {"script": script, "args": []})["value"]

    def errors(self, url: str) -> list[str]:
        """What the console has of errors in the files of a server."""
        self.ask("Marionette:SetContext", {"value": "chrome"})
        found = self.evaluate(
            "Services.console.getMessageArray().filter((each) => each instanceof Ci.nsIScriptError && !(each.flags & 1)"
            f" && each.sourceName.startsWith({json.dumps(url)})).map((each) => each.errorMessage)"
        )
        self.ask("Marionette:SetContext", {"value": "content"})
        return [str(each) for each in found]

    def _point(self, selector: str, then: list[dict[str, Any]]) -> None:
        box = self.evaluate(
            f"(() => {{ const each = document.querySelector({json.dumps(selector)}); each.scrollIntoView({{block: 'center'}}); "
            "const box = each.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        x, y = (round(each) for each in box)
        acts = [{"type": "pointerMove", "x": x, "y": y, "origin": "viewport"}, *then]
        pointer = {"type": "pointer", "id": "p", "actions": acts}
        self.ask("WebDriver:PerformActions", {"actions": [pointer]})

    def close(self) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(20)
        self._profile.cleanup()

    def _read(self) -> Any:
        while b":" not in self._rest:
            self._rest += self._socket.recv(65_536)
        size, _, self._rest = self._rest.partition(b":")
        while len(self._rest) < int(size):
            self._rest += self._socket.recv(65_536)
        text, self._rest = self._rest[: int(size)], self._rest[int(size) :]
        return json.loads(text)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def _connected(port: int) -> socket.socket:
    deadline = time.monotonic() + 180  # a first start, on a busy machine
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=120)
        except OSError:
            assert time.monotonic() < deadline, "Firefox does not answer"
            time.sleep(0.2)
