"""Small files as the agents write them, made up for the tests."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from todowright import MemoryStore, Plan
from todowright.importers.bringing import Importer, Report, bring
from todowright.importers.ledger import Ledger
from todowright.stores.protocol import Store

TIME = "2026-08-01T10:00:{:02}.000Z"


def jsonl(path: Path, *records: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(each, separators=(",", ":"), ensure_ascii=False) for each in records]
    path.write_text("".join(line + "\n" for line in lines), "utf-8")
    return path


def whole(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2), "utf-8")
    return path


def todos(*statuses: str) -> list[dict[str, str]]:
    """A list of Claude Code."""
    return [
        {"content": f"Step {n}", "status": status, "activeForm": f"Doing step {n}"}
        for n, status in enumerate(statuses, 1)
    ]


def use(number: int, tool: str, given: object, session: str = "s1", **more: object) -> dict[str, Any]:  # fmt: skip
    """A line of Claude Code in which the model calls a tool."""
    block = {
        "type": "tool_use",
        "id": f"toolu_01Abc456Def789{number}",
        "name": tool,
        "input": given,
    }
    message = {
        "id": f"msg_{number}",
        "role": "assistant",
        "model": "claude-test",
        "content": [block],
    }
    return {
        "parentUuid": None,
        "isSidechain": False,
        "sessionId": session,
        "message": message,
        "type": "assistant",
        "uuid": f"u{number}",
        "timestamp": TIME.format(number),
        **more,
    }


def answer(number: int, text: str, told: object = None, **more: object) -> dict[str, Any]:
    """A line of Claude Code with the result of a call."""
    block = {
        "type": "tool_result",
        "tool_use_id": f"toolu_01Abc456Def789{number}",
        "content": text,
        **more,
    }
    return {
        "sessionId": "s1",
        "type": "user",
        "message": {"role": "user", "content": [block]},
        "timestamp": TIME.format(number),
        "toolUseResult": told,
    }


def claude(path: Path, *lists: Sequence[str], session: str = "s1", first: int = 1) -> Path:
    """A transcript in which these lists are written, one after the other."""
    lines: list[dict[str, Any]] = []
    for number, statuses in enumerate(lists, first):
        lines += [use(number, "TodoWrite", {"todos": todos(*statuses)}, session)]
        lines += [answer(number, "Todos have been modified successfully.")]
    return jsonl(path, *lines)


def codex(path: Path, *lists: Sequence[str], session: str = "c1") -> Path:
    """A rollout of Codex."""
    lines: list[dict[str, Any]] = [
        {"timestamp": TIME.format(0), "type": "session_meta", "payload": {"id": session}},
        {"timestamp": TIME.format(0), "type": "turn_context", "payload": {"model": "gpt-test"}},
    ]
    for number, statuses in enumerate(lists, 1):
        plan = [{"step": f"Step {n}", "status": each} for n, each in enumerate(statuses, 1)]
        call = {
            "type": "function_call",
            "name": "update_plan",
            "arguments": json.dumps({"plan": plan}),
            "call_id": f"call_{session}7Abc456Def789{number}",
        }
        output = {"type": "function_call_output", "call_id": f"call_{session}7Abc456Def789{number}", "output": "Plan updated"}  # fmt: skip
        when = TIME.format(number)
        lines += [
            {"timestamp": when, "type": "response_item", "payload": call},
            {"timestamp": when, "type": "response_item", "payload": output},
            {"timestamp": when, "type": "event_msg", "payload": {"type": "token_count"}},
        ]
    return jsonl(path, *lines)


def tool_part(number: int, *statuses: str) -> dict[str, Any]:
    """A part of a message of opencode."""
    listed = [
        {"content": f"Step {n}", "status": each, "priority": "high"}
        for n, each in enumerate(statuses, 1)
    ]
    state = {"status": "completed", "input": {"todos": listed}, "output": "[]"}
    return {
        "id": f"prt_{number}",
        "sessionID": "ses_1",
        "messageID": f"msg_{number}",
        "type": "tool",
        "tool": "todowrite",
        "callID": f"oc_01Abc456Def789{number}",
        "state": state | {"time": {"start": 1_785_578_400_000 + 1000 * number}},
    }


def opencode_storage(folder: Path, *lists: Sequence[str]) -> Path:
    """The storage of opencode in files."""
    storage = folder / "storage"
    whole(storage / "session" / "p1" / "ses_1.json", {"id": "ses_1", "title": "The title"})
    for number, statuses in enumerate(lists, 1):
        name = f"msg_{number}"
        message = {"id": name, "role": "assistant", "modelID": "model-test"}
        whole(storage / "message" / "ses_1" / f"{name}.json", message)
        whole(storage / "part" / name / f"prt_{number}.json", tool_part(number, *statuses))
    return storage


def opencode_database(path: Path, *lists: Sequence[str]) -> Path:
    """The database of newer opencode."""
    rows = sqlite3.connect(path)
    rows.executescript(
        """CREATE TABLE session (id TEXT, parent_id TEXT, title TEXT);
        CREATE TABLE message (id TEXT, session_id TEXT, data TEXT);
        CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
        INSERT INTO session VALUES ('ses_1', NULL, 'The title');"""
    )
    for number, statuses in enumerate(lists, 1):
        data, when = json.dumps(tool_part(number, *statuses)), 1_785_578_400_000 + 1000 * number
        about = json.dumps({"role": "assistant", "modelID": "model-test"})
        rows.execute("INSERT INTO message VALUES (?, 'ses_1', ?)", (f"msg_{number}", about))
        row = (f"prt_{number}", f"msg_{number}", "ses_1", when, when, data)
        rows.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)
    rows.commit()
    rows.close()
    return path


def imported(*paths: Path, store: Store | None = None, ledger: Ledger | None = None) -> tuple[Store, Report]:  # fmt: skip
    """What an import of these paths makes."""
    kept = store or MemoryStore()
    own = ledger or Ledger()
    report = bring([str(path) for path in paths], Importer(kept, own))
    if ledger is None:
        own.close()
    return kept, report


def shape(plan: Plan) -> list[tuple[str, str]]:
    return [(todo.content, todo.status) for todo in plan.todos]
