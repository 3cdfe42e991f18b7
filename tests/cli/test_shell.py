"""`todowright shell`: what it keeps from line to line, and what `TodoWrite` is in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.terminal import BIN, Terminal
from tests.requirements import requirement
from tests.support import step
from todowright import TodoWrite


def todos(*contents: str) -> str:
    return "TodoWrite '" + json.dumps({"todos": [step(each) for each in contents]}) + "'"


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("TODOWRIGHT_STORE", "TODOWRIGHT_SESSION", "TODO_MAX_ITEMS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def typed(folder: Path, *lines: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(BIN / "todowright"), "shell"],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, **environ},
        timeout=60,
    )


@requirement("001-9")
@pytest.mark.parametrize("option", ["-h", "--help", "'-h'"])
@pytest.mark.parametrize("after", ["", " && true", " | cat", "; true"])
def test_help_is_told_whatever_follows_it(told: Path, option: str, after: str) -> None:
    done = typed(told, f"TodoWrite {option}{after}")
    assert (done.stdout, done.stderr) == (TodoWrite("shell").dialect.prompt + "\n", "")
    assert done.returncode == 0


@requirement("001-8")
@pytest.mark.parametrize(
    "lines",
    [
        ["export TODO_MAX_ITEMS=1", todos("a", "b")],
        ["export TODO_MAX_ITEMS=1", "cd . && " + todos("a", "it's")],
        ["TODO_MAX_ITEMS=1 " + todos("a", "b")],
        ["TODO_MAX_ITEMS=1", "export TODO_MAX_ITEMS", todos("a", "b") + " | cat"],
    ],
)
def test_a_limit_that_is_set_in_the_shell_counts(told: Path, lines: list[str]) -> None:
    done = typed(told, *lines)
    assert "- todos: Too many items (max 1)" in done.stderr
    assert done.stdout == ""


@requirement("001-8")
def test_a_limit_holds_until_it_is_unset_and_only_where_it_is_exported(told: Path) -> None:
    two, one = todos("a", "b"), todos("a")
    done = typed(told, "TODO_MAX_ITEMS=1", two)
    assert (done.stderr, done.stdout.count("2 pending")) == ("", 1)
    done = typed(
        told, two, "unset TODO_MAX_ITEMS", two, "export TODO_MAX_ITEMS=x", one, TODO_MAX_ITEMS="1"
    )
    assert (done.stderr.count("max 1"), done.stdout.count("2 pending")) == (1, 1)
    assert done.stderr.endswith("TODO_MAX_ITEMS must be a positive integer, received 'x'\n")


KEPT = [
    (["X=5", "echo $X"], "5\n"),
    (["X='a  b\n c'", 'echo "$X"'], "a  b\n c\n"),
    (["export X=5; Y=6", "echo $X$Y $(printenv X) $(printenv Y)"], "56 5\n"),
    (["a=(1 'b c' 3)", 'echo "${a[1]}" ${#a[@]}'], "b c 3\n"),
    (["declare -A m=([k]=v)", 'echo "${m[k]}"'], "v\n"),
    (["f() { echo from f $1; }", "f 1"], "from f 1\n"),
    (["mkdir -p d/e && cd d/e", "basename $PWD", "cd -", "basename $PWD"], "e\n{folder}\n{name}\n"),
    (["X=1", "X=2; false", "echo $? $X"], "1 2\n"),
    (["export GIVEN=new", "echo $GIVEN", "unset GIVEN", "echo ${GIVEN-unset}"], "new\nunset\n"),
    (["readonly R=1", "echo $R", "echo $R"], "1\n1\n"),
    (["X=1; exec true", "echo ${X-lost with the shell that became another command}"],
     "lost with the shell that became another command\n"),
    (["set -eu; X=3", "echo $X"], "3\n"),
    (["X=4; (exit 3)", "X=5 true", "echo $X $?"], "4 0\n"),
    (["IFS=,; X=1,2", "echo $X"], "1 2\n"),
    (["X=7", todos("it's") + " >/dev/null", "echo $X", "TodoWrite", "echo $X"], "7\n7\n"),
    (["X=5 &&", "Y=6", "echo $X$Y"], "56\n"),
    (["for n in 1 2", "do Z=$n", "done", "echo $Z"], "2\n"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "out"), KEPT, ids=[lines[0][:20] for lines, _ in KEPT])
def test_variables_functions_and_the_folder_are_kept(
    told: Path, lines: list[str], out: str
) -> None:
    done = typed(told, *lines, GIVEN="given")
    shown = "\n".join(row for row in done.stdout.split("\n") if row[:1] not in ("┌", "│", "└"))
    assert shown == out.format(folder=told, name=told.name)


def test_a_folder_that_is_gone_is_told_and_nothing_is_run_elsewhere(told: Path) -> None:
    (told / "keep").touch()
    done = typed(
        told, "mkdir gone && cd gone && rmdir ../gone", "rm -f keep ../keep", "echo at $PWD"
    )
    assert done.stdout == f"at {told}\n"
    assert (
        done.stderr
        == f"Error: the folder {told}/gone is gone; the shell is in {told} now, and did not run the command\n"
    )
    assert (told / "keep").exists()


def test_help_of_the_command_promises_what_is_kept() -> None:
    done = subprocess.run(
        [str(BIN / "todowright"), "shell", "--help"], capture_output=True, text=True
    )
    text = " ".join(done.stdout.split())
    assert "bash, which keeps its folder, its variables and its functions" in text


def test_a_line_with_an_apostrophe_in_its_json_goes_on_until_the_json_ends(told: Path) -> None:
    terminal = Terminal(str(BIN / "todowright"), "shell", cwd=told)
    terminal.wait_for(lambda lines: lines[-1:] == ["$"])
    terminal.type('X=kept; cd . && TodoWrite \'{"todos":[\n')
    terminal.wait_for(lambda lines: lines[-1] == ">")
    terminal.type('{"content":"it\'s","activeForm":"isn\'t","status":"pending"}]}\' && echo $X\n')
    terminal.wait_for(lambda lines: "kept" in lines)
    assert any("│ ○ it's" in line for line in terminal.lines)
    terminal.type("exit\n")
    assert terminal.ended() == 0


def test_an_interrupted_line_keeps_what_it_set_and_the_shell_goes_on(told: Path) -> None:
    terminal = Terminal(str(BIN / "todowright"), "shell", cwd=told)
    terminal.wait_for(lambda lines: lines[-1:] == ["$"])
    terminal.type("X=before\n")
    terminal.wait_for(lambda lines: lines[-1] == "$" and "$ X=before" in lines)
    terminal.type("Y=during; bash -c 'echo now; exec sleep 300'\n")  # there when it says so
    terminal.wait_for(lambda lines: lines[-1] == "now")
    terminal.interrupt()
    terminal.wait_for(lambda lines: lines[-1] == "$")
    terminal.type("echo $X $Y\n")
    terminal.wait_for(lambda lines: any(line.startswith("before") for line in lines))
    assert "before during" in terminal.lines
    terminal.type("exit\n")
    assert terminal.ended() == 0


def test_variables_with_our_prefix_are_kept_and_those_of_the_relay_are_not(told: Path) -> None:
    lines = ["TODOWRIGHT_MINE=1; export TODOWRIGHT_MORE=2", "echo $TODOWRIGHT_MINE $TODOWRIGHT_MORE $TODOWRIGHT_GIVEN",
             "TodoWrite '[]'; true", 'echo "[$TODOWRIGHT_RELAY]"']  # fmt: skip
    assert typed(told, *lines, TODOWRIGHT_GIVEN="3").stdout == "1 2 3\n[]\n"


@pytest.mark.parametrize(
    "lines",
    [
        ["cat > f <<EOF", *["it's \\"] * 300, "", "EOF", "echo done"],
        ["cat > f <<-'E F'", *["\tE"] * 300, "\tE F", "echo done"],
        ["x=$(cat <<EOF", *["a (b"] * 300, "EOF)", "echo done"],
        ["cat <<A > f <<B", *["b"] * 300, "A", *["a"] * 300, "B", "echo done"],
        ["cat > f <<EOF", *["x"] * 300, "E\\", "OF", "echo done"],
    ],
    ids=["plain", "tabs", "group", "two", "joined"],
)
def test_a_long_here_document_is_not_looked_at_anew_for_each_line(
    told: Path, lines: list[str]
) -> None:
    real = shutil.which("bash")
    (told / "bash").write_text(f"#!/bin/sh\necho >> '{told}/started'\nexec {real} \"$@\"\n")
    (told / "bash").chmod(0o755)
    done = typed(told, *lines, PATH=f"{told}:{os.environ['PATH']}")
    assert done.stdout == "done\n"
    assert len((told / "started").read_text()) < 20


def test_a_broken_list_in_a_here_document_is_refused_with_all_its_lines(told: Path) -> None:
    broken = '{"todos":[{"content":"Fix $(touch pwn)"},]}'
    done = typed(told, "TodoWrite <<EOF", broken, "touch pwn", "EOF", "echo after")
    assert done.stdout == "after\n"
    assert done.stderr.startswith("Error: Invalid JSON format\nUsage: ")
    assert "EOF" not in done.stderr
    assert list(told.iterdir()) == []
