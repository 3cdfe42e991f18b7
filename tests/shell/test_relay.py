"""What the relay does with messages that are none."""

from __future__ import annotations

import json
import socket

import pytest

from todowright.shell.line import Call
from todowright.shell.native import CommandResult
from todowright.shell.relay import relayed


def sent(path: str, message: bytes) -> list[object]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(path)
        connection.sendall(message)
        connection.shutdown(socket.SHUT_WR)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    found = json.loads(b"".join(parts))
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    "message",
    [b"", b"{}", b"[]", b"1", b"nothing", b"\xff", b"[" * 100_000, b'{"words":1,"input":null,"environ":{}}',
     b'{"words":[1],"input":null,"environ":{}}', b'{"words":[],"input":null,"environ":[]}',
     b'{"words":[],"input":2,"environ":{}}', b'{"words":[],"input":null,"environ":{"a":1}}'],
    ids=lambda message: message[:40].decode("latin-1"),
)  # fmt: skip
def test_a_message_that_is_no_call_is_told_so_and_the_next_one_is_answered(message: bytes) -> None:
    with relayed(lambda call, _: CommandResult(" ".join(call.words)), []) as variables:
        path = variables["TODOWRIGHT_RELAY"]
        assert sent(path, message) == ["", "Error: The call could not be read", 1]
        assert sent(path, b'{"words":["a","b"],"input":null,"environ":{}}') == ["a b", "", 0]


def test_an_answer_that_fails_is_told_so_and_the_next_one_is_answered() -> None:
    def answer(call: Call, _: object) -> CommandResult:
        return CommandResult(call.words[0])

    with relayed(answer, []) as variables:
        path = variables["TODOWRIGHT_RELAY"]
        assert sent(path, b'{"words":[],"input":null,"environ":{}}')[2] == 1
        assert sent(path, b'{"words":["a"],"input":null,"environ":{}}') == ["a", "", 0]
