"""Attacks, each by somebody who may do less than they try: a table to which rows are added.

A row is the name of an attack, who tries it, and what is tried. `docs/threats.md` says what is promised to
whom, and names the tests that prove it.
"""

from __future__ import annotations

import json
import logging
import os
import re
import stat
import tracemalloc
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.shell.test_line import no_process_is_started
from todowright import StoreError, TodoWrite
from todowright.agent import Agent, ScriptedModel
from todowright.agent.calls import made
from todowright.agent.providers import ToolCall
from todowright.agent.redaction import redacted
from todowright.agent.transcript import Transcript
from todowright.stores.memory import MemoryStore

TODO = '{"todos":[{"content":"Don\'t break login","activeForm":"x","status":"pending"}]}'
KEY = "sk-ant-api03-" + "Ab1_" * 12


class Attack(NamedTuple):
    """One line that a model, or a text it read, would have a shell run."""

    name: str
    line: str


LINES = [
    Attack("an apostrophe hides a command", f"TodoWrite '{TODO}' && touch pwned \"main\""),
    Attack("an apostrophe hides a pipe", f"TodoWrite '{TODO}' | touch 'pwned'"),
    Attack(
        "the word that ends a document has a mark", f"TodoWrite <<E#\n{TODO}\nE\nE#\ntouch pwned"
    ),
    Attack("a document ends before it seems to", f"TodoWrite <<E\n{TODO}\nE\ntouch pwned\nE"),
    Attack("a sum in a here-string", "TodoWrite <<< $((0*$(touch pwned)))"),
    Attack("a sum in an argument", "TodoWrite $(( $(touch pwned) ))"),
    Attack("a process behind the argument", "TodoWrite '[]' <(touch pwned)"),
    Attack("backticks behind an escape", "TodoWrite $'[]\\u0027'`touch pwned`"),
    Attack("a continued line", "TodoWrite '[]'\\\n;touch pwned"),
    Attack("a variable with a default", 'TodoWrite "${x:-$(touch pwned)}"'),
    Attack(
        "a command in a todo", 'TodoWrite "{\\"todos\\":[{\\"content\\":\\"$(touch pwned)\\"}]}"'
    ),
    Attack("a command in broken JSON", 'TodoWrite "{\\"a\\":`touch pwned`"'),
    Attack("a redirection", f"TodoWrite '{TODO}' > pwned"),
    Attack("an assignment before the call", f"X=$(touch pwned) TodoWrite '{TODO}'"),
    Attack("a function of the same name", f"TodoWrite() {{ touch pwned; }}; TodoWrite '{TODO}'"),
    Attack("a carriage return", f"TodoWrite '{TODO}'\rtouch pwned"),
    Attack("another name that begins alike", "TodoWriter; touch pwned"),
    Attack("a NUL", f"TodoWrite '{TODO}'\0;touch pwned"),
    Attack("a long line", f"TodoWrite '{TODO}'{' ' * 200_000}; touch pwned"),
]


def agent_in(folder: Path, dialect: str = "shell", **options: Any) -> Agent:
    return Agent(ScriptedModel([]), folder=folder, dialect=dialect, **options)


@pytest.mark.parametrize("attack", LINES, ids=[attack.name for attack in LINES])
def test_what_runs_in_ask_mode_was_asked_for(attack: Attack, tmp_path: Path) -> None:
    asked: list[str] = []

    def no(tool: str, arguments: dict[str, Any], why: str) -> bool:
        asked.append(arguments["command"])
        return False

    agent = agent_in(tmp_path, mode="ask", ask=no)
    with no_process_is_started():
        made(agent, ToolCall("1", "bash", {"command": attack.line}))
    assert not (tmp_path / "pwned").exists()
    assert asked in ([], [attack.line])
    assert asked or not agent.todo.plan.todos or texts_are_kept(agent.todo)


def texts_are_kept(todo: TodoWrite) -> bool:
    return [each.content for each in todo.plan.todos] == ["Don't break login"]


def test_a_plan_call_alone_needs_no_permission(tmp_path: Path) -> None:
    agent = agent_in(tmp_path, mode="ask")
    assert not made(agent, ToolCall("1", "bash", {"command": f"TodoWrite '{TODO}'"})).is_error
    assert texts_are_kept(agent.todo)


# Keys.


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "short-one")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:pass-word@localhost:9/v1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://localhost:9")
    monkeypatch.delenv("TODOWRIGHT_PASS_KEYS", raising=False)


@pytest.mark.usefixtures("keys")
def test_a_command_has_an_environment_without_the_models_keys(tmp_path: Path) -> None:
    bash = agent_in(tmp_path, "lean").tools["bash"]
    seen = bash.run("env; TodoWrite -h")
    for hidden in (KEY, "short-one", "pass-word", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL"):
        assert hidden not in seen
    assert f"PATH={os.environ['PATH']}" in seen
    assert "ANTHROPIC_BASE_URL=http://localhost:9" in seen


@pytest.mark.usefixtures("keys")
def test_a_setting_names_the_keys_that_commands_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TODOWRIGHT_PASS_KEYS", "OPENAI_API_KEY, OPENAI_BASE_URL")
    seen = agent_in(tmp_path, "lean").tools["bash"].run("env")
    assert "OPENAI_API_KEY=short-one" in seen
    assert "OPENAI_BASE_URL=http://me:pass-word@" in seen
    assert KEY not in seen


LOOK_LIKE_KEYS = [
    KEY,
    f"\n{KEY}\n",
    f'{{"key": "{KEY}"}}',
    "ghp_" + "a1B2" * 9,
    "github_pat_" + "a1B2" * 9,
    "xoxb-123456789012-abcdefghijkl",
    "xapp-1-A0123456789-abcdef",
    "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    "sk_" + "live_" + "a1B2" * 6,
    "ya29." + "a1B2" * 9,
    "AIza" + "x" * 35,
    "Authorization: Bearer abcdefghijklmnopqrst",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEow+/=\nabc\n-----END RSA PRIVATE KEY-----",
    "postgres://me:hunter22@db/plans",
]


@pytest.mark.parametrize("text", LOOK_LIKE_KEYS)
def test_a_transcript_keeps_nothing_that_looks_like_a_key(text: str, tmp_path: Path) -> None:
    path = tmp_path / "agent" / "s.jsonl"
    transcript = Transcript(path)
    transcript.ask(f"before {text} after", [])
    transcript.add("assistant", [{"type": "text", "text": "fine"}])
    transcript.close()
    kept = path.read_text()
    assert "[redacted]" in kept
    secret = "hunter22" if "@" in text else max(re.split(r"[\s:]+", text), key=len)
    assert secret not in kept
    again = Transcript(path)
    again.close()
    said = again.messages[0]["content"][-1]["text"]
    assert said.startswith("before ")
    assert said.endswith(" after")


@pytest.mark.usefixtures("keys")
def test_a_transcript_does_not_keep_the_models_own_keys_whatever_they_look_like(
    tmp_path: Path,
) -> None:
    transcript = Transcript(tmp_path / "s.jsonl")
    transcript.ask("short-one and pass-word", [])
    transcript.close()
    kept = (tmp_path / "s.jsonl").read_text()
    assert "short-one" not in kept
    assert "pass-word" not in kept
    assert transcript.messages[0]["content"][-1]["text"] == "short-one and pass-word"


@pytest.mark.parametrize(
    "text",
    ["task-force of disk-usage", "sk-", "a@b.c: d@e", "https://example.org/a:b", "eyJ.eyJ.x"],
)
def test_what_is_no_key_is_kept(text: str) -> None:
    assert redacted(text, {}) == text


def test_a_transcript_is_for_its_owner_alone_also_one_that_was_open(tmp_path: Path) -> None:
    path = tmp_path / "agent" / "s.jsonl"
    Transcript(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o644)
    Transcript(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_transcript_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("")
    (tmp_path / "s.jsonl").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match=r"s\.jsonl"):
        Transcript(tmp_path / "s.jsonl")


@pytest.mark.usefixtures("keys")
def test_a_long_output_is_kept_without_keys_and_for_its_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "long").write_text(f"{KEY}\n" + "x" * 50_000)
    told = agent_in(tmp_path, "lean").tools["bash"].run("cat long")
    (kept,) = (tmp_path / ".todowright/output").iterdir()
    assert KEY not in kept.read_text()
    assert kept.name in told
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / ".todowright").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "url", ["http://me:pass-word@localhost:1/v1", "me:pass-word@x", "http://me:pass/word@[bad"]
)
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_password_in_a_base_url_is_never_printed(provider: str, url: str) -> None:
    from todowright.agent import load_model
    from todowright.agent.providers import ModelError

    environ = {f"{provider.upper()}_API_KEY": "x", f"{provider.upper()}_BASE_URL": url}
    with pytest.raises(ModelError) as raised:
        load_model(f"{provider}:m", environ)
    assert f"{provider.upper()}_BASE_URL" in str(raised.value)
    for secret in ("pass-word", "pass/word", "'pass'", "word@"):
        assert secret not in str(raised.value)


# Sizes and logs.


def test_ten_megabytes_of_newlines_are_read_without_taking_them_apart(tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(b"\n" * 10_000_000)
    read = agent_in(tmp_path, "lean").tools["read_file"].run
    tracemalloc.start()
    try:
        assert (
            read("lines", line=9_999_990, lines=5)
            == "\n" * 5 + "\n[6 lines more, from line 9999995]"
        )
        assert read("lines").startswith("\n" * 2000 + "\n[9998000 lines more")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 60_000_000  # the bytes and the text, and not a hundred for each line


class Full(MemoryStore):
    """A store that cannot be written."""

    @staticmethod
    def fault() -> Exception:
        return StoreError("the disk is full: make room")

    def save(self, *_: Any, **__: Any) -> Any:
        raise type(self).fault()


def test_a_failed_save_takes_one_line_of_the_log_each_time(
    caplog: pytest.LogCaptureFixture,
) -> None:
    todo = TodoWrite("lean", store=Full())
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert todo({"steps": ["a"]}, tool="plan").is_error
    assert [record.getMessage() for record in caplog.records] == [
        "a plan call failed: the disk is full: make room"
    ] * 3
    assert "Traceback" not in caplog.text


def test_a_fault_that_nobody_foresaw_is_still_logged_with_where_it_is(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Full, "fault", lambda: ZeroDivisionError("odd"))
    assert TodoWrite("lean", store=Full())({"steps": ["a"]}, tool="plan").is_error
    assert "Traceback" in caplog.text


# The page of threats.


def test_every_test_that_the_page_of_threats_names_is_there() -> None:
    root = Path(__file__).parent
    page = (root.parent / "docs/threats.md").read_text("utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    source = "\n".join(path.read_text("utf-8") for path in root.rglob("test_*.py"))
    there = set(re.findall(r"^(?:async )?def (test_\w+)", source, re.MULTILINE))
    assert len(named) > 20
    assert named - there == set()


def test_an_answer_of_a_model_is_data_until_it_is_asked_for(tmp_path: Path) -> None:
    """A model may write anything: what changes something waits for a person in `ask`."""
    calls = [
        ["bash", {"command": "touch pwned"}],
        ["write_file", {"path": "pwned", "content": "x"}],
    ]
    model = ScriptedModel([{"calls": calls}, {"text": "done"}])
    agent = Agent(model, folder=tmp_path, mode="ask", ask=lambda *_: False)
    list(agent.run("Go"))
    assert not (tmp_path / "pwned").exists()
    assert json.dumps(agent.messages).count("the user said no") == 2
