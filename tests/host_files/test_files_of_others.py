"""What install and uninstall leave alone: hooks, tables and bytes that are not ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.host_files.test_install import files, home, settings
from todowright.cli import main
from todowright.hosts.ours import CannotChange
from todowright.hosts.pieces import pieces
from todowright.hosts.places import Places
from todowright.hosts.writing import installing, write

__all__ = ["home"]
CLAUDE = ".claude/settings.json"


def given(home: Path, path: str, text: str) -> Path:
    file = home / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return file


@pytest.mark.parametrize(
    "command",
    [
        "/home/me/todowright-notes/my hook.sh",
        "todowright hook claude && say done",
        "todowright hooks",
        "echo todowright hook claude",
        "it's todowright hook",
    ],
)
@pytest.mark.parametrize("what", [["install", "--mirror"], ["install"], ["uninstall"]])
def test_a_hook_of_the_users_own_stays(command: str, what: list[str], home: Path) -> None:
    mine = {"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}
    given(home, CLAUDE, json.dumps({"hooks": {"PostToolUse": [mine], "Stop": []}}))
    main([what[0], "claude", "--yes", *what[1:]])
    after = settings(home, CLAUDE)["hooks"]
    assert after["PostToolUse"][0] == mine
    assert after["Stop"] == []


@pytest.mark.parametrize(
    "command", ["todowright hook", "'/a b/todowright' hook claude", "/x/python -m todowright hook"]
)
def test_of_a_group_only_our_own_hook_is_taken_out(command: str, home: Path) -> None:
    mine = {"type": "command", "command": "say done"}
    ours = {"type": "command", "command": command}
    group: dict[str, Any] = {"matcher": "TodoWrite", "hooks": [mine, ours]}
    given(home, CLAUDE, json.dumps({"hooks": {"PostToolUse": [group, {"hooks": [ours]}]}}))
    assert main(["uninstall", "claude", "--yes"]) == 0
    assert settings(home, CLAUDE)["hooks"]["PostToolUse"] == [{**group, "hooks": [mine]}]


@pytest.mark.parametrize("words", [["claude", "--x"], ["--x", "claude"], ["-q"], ["nobody", "--x"]])
def test_a_hook_ends_with_0_whatever_it_is_given(words: list[str], home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from todowright.cli import main; sys.exit(main())",
         "hook", *words],
        input=b"{}", capture_output=True, check=False, env=dict(os.environ),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert not files(home)


def test_what_another_program_wrote_while_we_asked_is_not_overwritten(home: Path) -> None:
    file = given(home, ".cursor/mcp.json", "{}\n")
    places = Places(os.environ, str(home / "data"))
    changes = installing(pieces("cursor", places, ["todowright"]))
    file.write_text('{"new": 1}\n')
    with pytest.raises(CannotChange, match=r"was changed meanwhile: run it again"):
        write(changes)
    assert files(home) == {".cursor/mcp.json": '{"new": 1}\n'}


def test_the_copy_holds_the_very_bytes_that_were_there(home: Path) -> None:
    text = '{\r\n    "a":   1}\r\n'
    given(home, ".cursor/mcp.json", text)
    assert main(["install", "cursor", "--yes"]) == 0
    assert (home / ".cursor/mcp.json.before-todowright").read_bytes() == text.encode()


def test_a_block_without_its_end_is_refused(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "codex", "--yes"]) == 0
    file = home / ".codex/config.toml"
    text = file.read_text().replace("# todowright: end\n", "") + "\n[mine]\na = 1\n"
    file.write_text(text)
    for what in ("install", "uninstall"):
        capsys.readouterr()
        assert main([what, "codex", "--yes"]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert "has no line `# todowright: end`" in line
    assert files(home) == {".codex/config.toml": text}


def test_tables_of_others_between_the_marks_stay(home: Path) -> None:
    assert main(["install", "codex", "--yes"]) == 0
    file = home / ".codex/config.toml"
    mine = '# mine\n[projects."/a b"]\ntrust_level = "trusted"\n\n'
    mine += '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say done"\n'
    text = file.read_text()
    file.write_text(text.replace("# todowright: end\n", f"\n{mine}# todowright: end\n"))
    assert installing(pieces("codex", Places(os.environ, ""), ["todowright"])) == []
    assert main(["uninstall", "codex", "--yes"]) == 0
    assert file.read_text().strip() == mine.strip()


ODD = {
    "half a character": '{"a": "\\ud83d"}',
    "too large": '{"a": 1e400}',
    "nested too deep": '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
}


@pytest.mark.parametrize("told", ODD)
@pytest.mark.parametrize("host", ["claude", "cursor"])
def test_a_file_that_cannot_be_written_again_is_left_alone(
    told: str, host: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = CLAUDE if host == "claude" else ".cursor/mcp.json"
    given(home, path, ODD[told])
    for what in ("install", "uninstall"):
        assert main([what, host, "--yes"]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert told in line
    assert main(["doctor", host]) == 1
    assert told in capsys.readouterr().out.splitlines()[0]
    assert files(home) == {path: ODD[told]}


def test_a_server_of_the_users_own_is_not_replaced(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = json.dumps({"mcpServers": {"todowright": {"command": "docker", "args": ["run", "x"]}}})
    given(home, ".cursor/mcp.json", text)
    assert main(["install", "cursor", "--yes"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "mcpServers.todowright already" in line
    assert main(["uninstall", "cursor", "--yes"]) == 0
    assert files(home) == {".cursor/mcp.json": text}


def test_of_a_new_file_one_line_is_shown_before_the_question(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", "claude"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("write ") and line.endswith(" bytes)") for line in lines) == 5
    assert len(lines) == 7
    assert main(["install", "claude", "--dry-run"]) == 0
    assert "SessionStart" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("host", "path", "text"),
    [
        ("cursor", ".cursor/mcp.json", '{\r\n    "a":   1.50, "mcpServers": {}}'),
        ("cursor", ".cursor/mcp.json", " {}"),
        ("claude", CLAUDE, '{"permissions": {"allow": []}, "b": "\\u00e9"}\n\n'),
        ("codex", ".codex/config.toml", "a = 1\r\n\r\n\r\n"),
    ],
)
def test_uninstall_leaves_the_very_bytes_that_were_there(
    host: str, path: str, text: str, home: Path
) -> None:
    file = given(home, path, text)
    assert main(["install", host, "--yes"]) == 0
    assert main(["uninstall", host, "--yes"]) == 0
    assert file.read_bytes() == text.encode()
    assert len(files(home)) == 1


@pytest.mark.parametrize("host", ["cursor", "claude", "codex", "qwen"])
def test_uninstall_deletes_the_files_that_install_made(host: str, home: Path) -> None:
    assert main(["install", host, "--yes"]) == 0
    assert main(["uninstall", host, "--yes"]) == 0
    assert files(home) == {}


def test_what_was_changed_since_install_is_kept_by_uninstall(home: Path) -> None:
    file = given(home, ".cursor/mcp.json", '{"a":   1}')
    assert main(["install", "cursor", "--yes"]) == 0
    file.write_text(json.dumps({**json.loads(file.read_text()), "b": 2}, indent=2) + "\n")
    assert main(["uninstall", "cursor", "--yes"]) == 0
    assert json.loads(file.read_text()) == {"a": 1, "b": 2}
    assert (home / ".cursor/mcp.json.before-todowright").read_text() == '{"a":   1}'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{\n    "a": {\n        "b": 1\n    }\n}\n', '\n    "a": {\n        "b": 1\n    },\n'),
        ('{\n\t"a": 1\n}', '\n\t"a": 1,\n'),
        ('{\r\n  "a": 1\r\n}\r\n', '\r\n  "a": 1,\r\n'),
    ],
)
def test_a_file_keeps_its_indentation_and_the_ends_of_its_lines(
    text: str, line: str, home: Path
) -> None:
    file = given(home, CLAUDE, text)
    assert main(["install", "claude", "--yes"]) == 0
    after = file.read_bytes().decode()
    assert line in after
    assert after.count("\r\n") in (0, after.count("\n"))


def test_our_own_files_are_there_before_a_file_of_the_host_names_them(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install", "claude", "--dry-run"]) == 0
    named = [line for line in capsys.readouterr().out.splitlines() if line.startswith("write ")]
    assert [CLAUDE in line for line in named] == [False] * (len(named) - 1) + [True]


def test_a_file_that_is_not_plain_json_is_told_with_a_way_that_works(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given(home, CLAUDE, '{"a": 1} // mine')
    assert main(["install", "claude", "--yes"]) == 1
    assert "`todowright mcp --print-config HOST` says what goes where" in capsys.readouterr().err
