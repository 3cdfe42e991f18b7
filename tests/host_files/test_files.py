"""The files for hosts: made from one description, and the same as those in the repository."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.hosts import wire
from todowright.cli.hook import PLAN_TOOLS
from todowright.hosts import folders
from todowright.hosts.description import OWN_PLAN_TOOLS, VERSION
from todowright.hosts.doctor import TESTED
from todowright.hosts.opencode import opencode_plugin
from todowright.hosts.plugin import gemini_files, plugin_files

ROOT = Path(__file__).parents[2]


def test_the_folder_hosts_is_what_the_description_makes() -> None:
    made = folders()
    there = {
        str(path.relative_to(ROOT / "hosts")): path.read_text(encoding="utf-8")
        for path in (ROOT / "hosts").rglob("*")
        if path.is_file() and path.name != "README.md"
    }
    assert there == made, "run: python -m todowright.hosts hosts"


def test_no_file_holds_a_path_of_a_machine_or_a_time_out() -> None:
    for path, text in folders().items():
        assert "/home/" not in text, path
        assert "/usr/" not in text, path
        assert '"timeout"' not in text, path


def test_one_plugin_serves_three_hosts() -> None:
    files = {path: text for path, text in plugin_files().items() if path.endswith(".json")}
    manifest = json.loads(files["todowright/.claude-plugin/plugin.json"])
    assert manifest["version"] == VERSION
    server = manifest["mcpServers"]["todowright"]
    shown = {"alwaysLoad": True, "alwaysLoadTools": True, "omit_tools_from": ["deferred"]}
    assert server.items() >= shown.items()
    hooks = json.loads(files["todowright/hooks/hooks.json"])["hooks"]
    starts = hooks["SessionStart"][0]["matcher"].split("|")
    assert starts == ["startup", "resume", "clear", "compact", "fork"]


def test_hooks_of_claude_code_call_our_server_and_never_another_hosts_tool() -> None:
    hooks = json.loads(plugin_files()["todowright/hooks/hooks.json"])["hooks"]
    by_tool = [group for groups in hooks.values() for group in groups if group["hooks"][0]["type"] == "mcp_tool"]  # fmt: skip
    (group,) = by_tool
    assert re.fullmatch(group["matcher"], "mcp__plugin_todowright_todowright__plan")
    assert not re.fullmatch(group["matcher"], "mcp__todowright__plan")
    assert group["hooks"][0]["input"]["tool_use_id"] == "${tool_use_id}"


def test_every_plan_tool_that_hooks_are_asked_for_is_mirrored() -> None:
    assert set(OWN_PLAN_TOOLS) == set(PLAN_TOOLS)


def test_gemini_is_given_names_of_events_that_it_knows() -> None:
    hooks = json.loads(gemini_files()["hooks/hooks.json"])["hooks"]
    known = {"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"}
    assert set(hooks) == known
    assert json.loads(gemini_files()["gemini-extension.json"])["excludeTools"] == ["write_todos"]


@pytest.mark.skipif(shutil.which("node") is None, reason="node reads JavaScript")
@pytest.mark.parametrize("mirror", [False, True])
def test_the_plugin_for_opencode_is_sound_javascript(mirror: bool, tmp_path: Path) -> None:
    file = tmp_path / "todowright.mjs"
    file.write_text(opencode_plugin(["/a b/todowright"], mirror_only=mirror), encoding="utf-8")
    ran = subprocess.run(["node", "--check", str(file)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "@" not in re.sub(r"//.*", "", file.read_text(encoding="utf-8"))


def test_the_tables_of_what_it_costs_are_made_of_what_the_hosts_sent() -> None:
    records = json.loads(wire.KEPT.read_text("utf-8"))
    assert set(records) == set(TESTED)
    for path, head in wire.PAGES.items():
        text = path.read_text("utf-8")
        assert wire.page(text, records, head) == text, "run: python -m tests.hosts.wire"


def test_the_hosts_that_are_driven_are_those_that_the_doctor_knows() -> None:
    packages = json.loads((ROOT / "tests/hosts/node/package.json").read_text("utf-8"))
    named = {
        "claude": "@anthropic-ai/claude-code",
        "codex": "@openai/codex",
        "opencode": "opencode-ai",
        "gemini": "@google/gemini-cli",
        "qwen": "@qwen-code/qwen-code",
    }
    assert {host: packages["dependencies"][name] for host, name in named.items()} == TESTED
