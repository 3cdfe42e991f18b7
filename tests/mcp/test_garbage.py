"""An MCP server on pipes that is sent what no host would send."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.bounds import MEGABYTES, SECONDS, most_memory, processor_seconds
from tests.damage import HOSTILE, damaged
from todowright import open_store

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def garbage(chance: random.Random) -> bytes:
    """A line for a server that speaks JSON-RPC, nearly right or not at all."""
    call: dict[str, Any] = {
        "jsonrpc": chance.choice(["2.0", "1.0", 2, None]),
        "id": chance.choice([1, "a", None, [], 1e300, -1, {}]),
        "method": chance.choice(["tools/call", "tools/list", "initialize", "resources/read", "x", "", 7, "ping"]),
        "params": chance.choice([
            None, [], {}, {"name": "plan"}, {"name": "plan", "arguments": chance.choice([None, [], "x", {"steps": 7}])},
            {"name": chance.choice(HOSTILE[:-1]).encode("utf-8", "replace").decode(), "arguments": {}},
            {"uri": chance.choice(["plan://", "file:///etc/passwd", "", "x" * 5000])}, {"protocolVersion": 7},
        ]),
    }  # fmt: skip
    for key in chance.sample(list(call), chance.randrange(3)):
        del call[key]
    line = json.dumps(chance.choice([call, [call], call, "x", 7])).encode()
    if chance.random() < 0.3:
        line = damaged(line * 20, chance).replace(b"\n", b"")
    return line + b"\n"


def ask(process: subprocess.Popen[bytes], call: dict[str, Any]) -> dict[str, Any]:
    """The answer to a call; what was said to garbage before it is read and left."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(call).encode() + b"\n")
    process.stdin.flush()
    while True:
        line = process.stdout.readline()
        assert line, "it has ended"
        answer: dict[str, Any] = json.loads(line)
        if answer.get("id") == call["id"]:
            return answer


@pytest.mark.parametrize("lines", [50, pytest.param(20_000, marks=[pytest.mark.slow, pytest.mark.soak])])  # fmt: skip
def test_an_mcp_server_that_is_sent_garbage_goes_on_and_the_plan_stays(
    tmp_path: Path, lines: int
) -> None:
    chance = random.Random(3)
    with running(tmp_path) as process:
        assert process.stdin is not None
        ask(process, {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": HELLO})
        process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        for number in range(0, lines, 50):
            before = processor_seconds(process.pid)
            for _ in range(50):
                process.stdin.write(garbage(chance))
            found = ask(
                process, {"jsonrpc": "2.0", "id": f"still {number}", "method": "tools/list"}
            )
            assert found["result"]["tools"]
            assert processor_seconds(process.pid) - before < SECONDS * 2
        assert most_memory(process.pid) < MEGABYTES
        steps = {"name": "plan", "arguments": {"steps": ["After all"]}}
        done = ask(
            process, {"jsonrpc": "2.0", "id": "end", "method": "tools/call", "params": steps}
        )
        assert not done["result"].get("isError"), done


def test_a_host_that_ends_after_two_calls_of_one_id_leaves_no_error_behind(tmp_path: Path) -> None:
    with running(tmp_path) as process:
        assert process.stdin is not None
        ask(process, {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": HELLO})
        process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' * 2)


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":7,"method":5}',
        b'{"id":7,"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":7,"method":"tools/list","params":"x"}',
        b"[" * 200_000,
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":' + b"[" * 5_000 + b"]" * 5_000 + b"}}",
    ],
    ids=["id", "method", "version", "params", "deep", "deep params"],
)  # fmt: skip
def test_a_message_that_makes_no_sense_is_answered_and_holds_up_nothing(
    tmp_path: Path, line: bytes
) -> None:
    with running(tmp_path) as process:
        assert process.stdin is not None
        ask(process, {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": HELLO})
        process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        process.stdin.write(line + b"\n")
        tools = ask(process, {"jsonrpc": "2.0", "id": "still", "method": "tools/list"})
        assert tools["result"]["tools"]  # and at its end the process ends


@pytest.mark.parametrize("shared", ["1", "0"])
def test_half_a_character_of_a_host_that_cut_a_text_is_read_as_a_mark(
    tmp_path: Path, shared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TODOWRIGHT_SHARED", shared)
    with running(tmp_path) as process:
        assert process.stdin is not None
        ask(process, {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": HELLO})
        process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        half = {"name": "plan", "arguments": {"steps": ["Ship it \ud83d", "Rest \ud83d\ude00"]}}
        done = ask(process, {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": half})
        assert done["result"]["content"][0]["text"] == "OK."
    store = open_store(f"sqlite:///{tmp_path}/plans.db")
    (session,) = store.sessions()
    (plan,) = store.plans(session)
    assert [todo.content for todo in plan.todos] == ["Ship it \ufffd", "Rest \U0001f600"]


@contextmanager
def running(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The MCP server of the folder, on pipes."""
    process = subprocess.Popen(
        [sys.executable, "-m", "todowright", "mcp", "--store", f"sqlite:///{folder}/plans.db"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        _, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert b"Traceback" not in err, err[-3000:]
