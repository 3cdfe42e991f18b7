"""Setting up a host and taking that back: shown, asked for, written with a copy, and nothing else touched."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from todowright.cli import main
from todowright.cli.install import own_command, spellings
from todowright.hosts.description import HOSTS
from todowright.hosts.doctor import examine
from todowright.hosts.places import Places

MIRRORING = ["claude", "codex", "opencode", "gemini", "qwen"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, with `todowright` on PATH and nothing else."""
    folder = tmp_path / "home"
    programs = tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    program = programs / "todowright"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nfrom todowright.cli import main\nsys.exit(main())\n"
    )
    program.chmod(0o755)
    source = str(Path(__file__).parents[2] / "src")
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "QWEN_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PYTHONPATH", source)
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / ".local/share"))
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.chdir(folder)
    return folder


def files(home: Path) -> dict[str, str]:
    return {
        str(path.relative_to(home)): path.read_text(encoding="utf-8")
        for path in home.rglob("*")
        if path.is_file()
    }


def settings(home: Path, path: str) -> dict[str, Any]:
    return dict(json.loads((home / path).read_text(encoding="utf-8")))


@pytest.mark.parametrize("host", HOSTS)
def test_a_dry_run_shows_the_changes_and_makes_none(
    host: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", host, "--dry-run"]) == 0
    assert "write " in capsys.readouterr().out
    assert files(home) == {}


@pytest.mark.parametrize("host", HOSTS)
def test_what_was_set_up_is_taken_out_without_a_trace(
    host: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", host, "--yes"]) == 0
    assert files(home)
    assert main(["install", host, "--yes"]) == 0
    assert "Nothing to do" in capsys.readouterr().out
    assert main(["uninstall", host, "--yes"]) == 0
    left = {path: text for path, text in files(home).items() if "before-todowright" not in path}
    assert {text.strip() for text in left.values()} <= {"{}", ""}


@pytest.mark.parametrize("host", MIRRORING)
def test_a_mirror_takes_the_place_of_the_tools_and_is_taken_out_too(host: str, home: Path) -> None:
    assert main(["install", host, "--yes"]) == 0
    assert main(["install", host, "--mirror", "--yes"]) == 0
    kept = "".join(text for path, text in files(home).items() if "before-" not in path)
    assert "todowright" in kept
    if host != "opencode":  # one file for both
        assert '"mcp"' not in kept
    assert main(["uninstall", host, "--yes"]) == 0
    left = {path: text for path, text in files(home).items() if "before-todowright" not in path}
    assert {text.strip() for text in left.values()} <= {"{}", ""}


def test_what_others_wrote_stays_and_a_copy_is_kept(home: Path) -> None:
    before = {
        "model": "opus",
        "permissions": {"allow": ["Bash(ls:*)"], "deny": ["WebFetch"]},
        "enabledPlugins": {"other@market": True},
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]},
    }
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps(before, indent=4))
    path.chmod(0o640)
    assert main(["install", "claude", "--yes"]) == 0
    after = settings(home, ".claude/settings.json")
    assert after["model"] == "opus"
    assert after["enabledPlugins"] == {"other@market": True, "todowright@todowright-local": True}
    assert after["permissions"]["allow"] == ["Bash(ls:*)", "mcp__plugin_todowright_todowright"]
    assert json.loads((home / ".claude/settings.json.before-todowright").read_text()) == before
    assert path.stat().st_mode & 0o777 == 0o640
    assert main(["uninstall", "claude", "--yes"]) == 0
    assert files(home) == {".claude/settings.json": json.dumps(before, indent=4)}


def test_codex_keeps_its_own_tables_and_comments(home: Path) -> None:
    before = '# mine\nmodel = "gpt"\n\n[mcp_servers.other]\ncommand = "x"\n'
    path = home / ".codex/config.toml"
    path.parent.mkdir()
    path.write_text(before)
    assert main(["install", "codex", "--yes"]) == 0
    text = path.read_text()
    found = tomllib.loads(text)
    assert text.startswith(before)
    assert found["mcp_servers"]["todowright"]["required"] is True
    assert set(found["hooks"]) == {
        "SessionStart",
        "Stop",
        "SubagentStop",
        "PreToolUse",
        "PostToolUse",
    }
    assert main(["uninstall", "codex", "--yes"]) == 0
    assert path.read_text() == before


def test_a_server_that_was_put_in_by_hand_is_not_doubled(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / ".codex/config.toml"
    path.parent.mkdir()
    path.write_text('[mcp_servers.todowright]\ncommand = "todowright"\n')
    assert main(["install", "codex", "--yes"]) == 1
    assert "already: take it out" in capsys.readouterr().err
    assert path.read_text() == '[mcp_servers.todowright]\ncommand = "todowright"\n'


@pytest.mark.parametrize("text", ['{"a": 1, // mine\n}', "[1]", '{"permissions": 3}', "{"])
def test_a_file_that_no_program_should_change_is_left_as_it_is(
    text: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(text)
    assert main(["install", "claude", "--yes"]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert files(home) == {".claude/settings.json": text}


def test_without_a_person_to_ask_nothing_is_changed(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", "claude"]) == 1
    assert "say --yes" in capsys.readouterr().err
    assert files(home) == {}


def test_a_window_is_given_the_whole_path_and_a_terminal_the_name(home: Path) -> None:
    for host in ("cursor", "gemini"):
        assert main(["install", host, "--yes"]) == 0
    cursor = settings(home, ".cursor/mcp.json")["mcpServers"]["todowright"]
    assert Path(cursor["command"]).is_absolute()
    gemini = settings(home, ".gemini/extensions/todowright/gemini-extension.json")
    assert gemini["mcpServers"]["todowright"]["command"] == "todowright"


def test_a_command_in_a_virtual_environment_is_written_with_its_path(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "venv" / "bin").mkdir(parents=True)
    program = home / "venv" / "bin" / "todowright"
    program.write_text("#!/bin/sh\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    assert own_command("claude") == ["todowright"]  # it is on every PATH, for all that we know
    monkeypatch.setenv("VIRTUAL_ENV", str(home / "venv"))
    assert own_command("claude") == [str(program)]
    assert ["todowright"] in spellings("claude")  # the doctor knows both


def test_a_link_to_a_file_elsewhere_stays_a_link(home: Path) -> None:
    dotfiles = home / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "mcp.json").write_text("{}\n")
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").symlink_to(dotfiles / "mcp.json")
    assert main(["install", "cursor", "--yes"]) == 0
    assert (home / ".cursor/mcp.json").is_symlink()
    assert "todowright" in (dotfiles / "mcp.json").read_text()


# The doctor.


def doctor(capsys: pytest.CaptureFixture[str], *host: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main(["doctor", *host])
    return code, capsys.readouterr().out


def found(home: Path, host: str) -> str:
    """What is found in a host's files; the server is not started."""
    places = Places(os.environ, str(home / ".local/share/todowright"))
    findings = examine(host, places, ["todowright"], home)
    return "\n".join(f"{'ok' if each.well else 'WRONG'} {each.text}" for each in findings)


def with_program(home: Path, name: str, version: str) -> None:
    program = home.parent / "bin" / name
    program.write_text(f"#!{sys.executable}\nprint('{version} ({name})')\n")
    program.chmod(0o755)


def test_the_doctor_says_how_to_set_up_and_that_all_is_well_then(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with_program(home, "claude", "9.9.9")
    assert found(home, "claude") == "WRONG not set up: todowright install claude"
    main(["install", "claude", "--yes"])
    code, told = doctor(capsys)
    assert "ok     Claude Code: set up" in told
    assert "the server answers, with the tools plan, done" in told
    assert code == 0


def test_the_doctor_finds_what_an_older_version_wrote(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with_program(home, "gemini", "9.9.9")
    main(["install", "gemini", "--yes"])
    path = home / ".gemini/extensions/todowright/gemini-extension.json"
    path.write_text(path.read_text().replace('"version": "', '"version": "0.0.'))
    assert "WRONG set up by another version" in found(home, "gemini")


@pytest.mark.parametrize(
    ("host", "path", "change", "told"),
    [
        ("claude", ".claude/settings.json", {"disableAllHooks": True}, "disableAllHooks"),
        ("claude", ".claude/settings.json", {"env": {"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"}}, "own task tools"),
        ("qwen", ".qwen/settings.json", {"tools": {"todoWrite": {"enabled": True}}}, "own todo_write"),
        ("opencode", ".config/opencode/opencode.json", {"tools": {"todowrite": True}}, "own todowrite"),
        ("qwen", ".qwen/settings.json", {"mcp": {"excluded": ["todowright"]}}, "forbidden"),
    ],
)  # fmt: skip
def test_the_doctor_finds_rivals_and_what_is_forbidden(
    host: str,
    path: str,
    change: dict[str, Any],
    told: str,
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with_program(home, host, "99.0.0")
    main(["install", host, "--yes"])
    file = home / path
    before = settings(home, path) if file.exists() else {}
    file.write_text(json.dumps({**before, **change}))
    said = found(home, host)
    assert told in said
    assert "WRONG" in said


def test_the_doctor_finds_an_old_host_a_missing_one_and_hooks_that_nobody_trusts(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["install", "codex", "--yes"])
    assert "codex is not on PATH" in found(home, "codex")
    with_program(home, "codex", "0.1.0")
    told = found(home, "codex")
    assert "Codex 0.1.0 is older than" in told
    assert "type /hooks in Codex" in told


def test_the_doctor_finds_a_server_that_is_not_approved(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with_program(home, "claude", "9.9.9")
    main(["mcp", "--print-config", "claude"])
    (home / ".mcp.json").write_text(capsys.readouterr().out)
    assert "not approved" in found(home, "claude")
    state = {"projects": {str(home): {"enabledMcpjsonServers": ["todowright"]}}}
    (home / ".claude.json").write_text(json.dumps(state))
    assert found(home, "claude") == "ok set up by .mcp.json of this project, without hooks"


def test_the_doctor_knows_a_server_that_claude_mcp_add_wrote(home: Path) -> None:
    with_program(home, "claude", "9.9.9")
    server = {"mcpServers": {"todowright": {"command": "todowright", "args": ["mcp"]}}}
    for state in (server, {"projects": {str(home): server}}):
        (home / ".claude.json").write_text(json.dumps(state))
        assert found(home, "claude") == "ok set up by `claude mcp add`, without hooks"
    (home / ".claude.json").write_text(json.dumps({"projects": {"/elsewhere": server}}))
    assert found(home, "claude").startswith("WRONG not set up")


def test_the_doctor_is_not_misled_by_a_folder_of_that_name(home: Path) -> None:
    with_program(home, "codex", "9.9.9")
    (home / ".codex").mkdir()
    path = home / ".codex/config.toml"
    path.write_text('[projects."/home/me/todowright"]\ntrust_level = "trusted"\n')
    assert found(home, "codex") == "WRONG not set up: todowright install codex"


@pytest.mark.parametrize("path", [".codex/config.toml", ".qwen/settings.json"])
def test_a_file_that_cannot_be_read_keeps_the_doctor_from_no_other_host(
    path: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / path).mkdir(parents=True)
    (home / ".gemini").mkdir()
    (home.parent / "bin" / "todowright").write_text("#!/bin/false\n")  # no server is started
    host = path[1:].partition("/")[0]
    assert found(home, host).startswith("WRONG its configuration cannot be read: ")
    code, told = doctor(capsys)
    assert code == 1
    assert "Gemini CLI: not set up" in told
    assert "todowright mcp ends at once: it says nothing" in told


def test_the_doctor_says_why_the_server_does_not_start(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = home.parent / "bin" / "todowright"
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('todowright: mcp is missing')\n")
    code, told = doctor(capsys)
    assert code == 1
    assert "todowright mcp ends at once: todowright: mcp is missing" in told
