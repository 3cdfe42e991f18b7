"""No word of a todo is ever run, and what is not the argument of a call stays where it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.requirements import requirement
from tests.support import step, texts
from todowright import TodoWrite, run_command
from todowright.shell.line import read_line


@pytest.fixture
def todo() -> TodoWrite:
    return TodoWrite("shell", environ={})


def broken(text: str, end: str) -> str:
    return '{"todos":[' + json.dumps(step(text)) + end


@requirement("001-5")
@pytest.mark.parametrize("before", ["", "true; "])
@pytest.mark.parametrize("end", [",]}", "}],}", "],}"])
@pytest.mark.parametrize(
    "text", ["Fix `touch pwn` bug", "Fix $(touch pwn) bug", "${x:=$(touch pwn)}"]
)
def test_a_word_of_a_todo_is_not_run_where_its_json_is_broken(
    todo: TodoWrite, tmp_path: Path, before: str, end: str, text: str
) -> None:
    given = broken(text, end)
    escaped = given.replace('"', '\\"')
    bare = given.replace(" ", "").replace("touchpwn", "touch${IFS}pwn")
    for argument in (f'"{escaped}"', bare, f"<<EOF\n{given}\nEOF", f'"$(cat <<EOF\n{given}\nEOF\n)"',
                     f'$"{escaped}"', f"<<-EOF\n\t{given}\n\tEOF", f'"$(cat - <<EOF\n{given}\nEOF\n)"',
                     f'<<< "{escaped}"', f'"$(cat <<EOF && true\n{given}\nEOF\n)"'):  # fmt: skip
        command = f"{before}TodoWrite {argument}"
        assert read_line(command).fault == "broken", command
        result = run_command(command, todo, cwd=str(tmp_path), timeout=60)
        assert result.exit_code == 1
        assert result.stderr.startswith("Error: Invalid JSON format\nUsage: ")
    assert list(tmp_path.iterdir()) == []


@requirement("001-2")
def test_whole_json_in_a_document_that_cat_hands_over_is_not_expanded_either(
    todo: TodoWrite, tmp_path: Path
) -> None:
    given = json.dumps({"todos": [step("Fix $(touch pwn) bug")]})
    result = run_command(
        f'TodoWrite "$(cat - <<EOF\n{given}\nEOF\n)"', todo, cwd=str(tmp_path), timeout=60
    )
    assert (result.stderr, texts(todo.plan)) == ("", ["Fix $(touch pwn) bug"])
    assert list(tmp_path.iterdir()) == []


@requirement("001-2")
@pytest.mark.parametrize("text", ['say $(echo "hi") now', "a `b \\ c` d", 'x $(y "z\\n") `"`'])
def test_all_that_was_escaped_for_one_pair_of_double_quotes_is_read_back(
    todo: TodoWrite, text: str
) -> None:
    given = json.dumps({"todos": [step(text)]})
    escaped = given.replace("\\", "\\\\").replace('"', '\\"')
    result = run_command(f'TodoWrite "{escaped}"', todo)
    assert (result.stderr, texts(todo.plan)) == ("", [text])


def test_a_document_of_another_command_is_not_the_argument_of_a_call(
    todo: TodoWrite, tmp_path: Path
) -> None:
    command = 'cat > c.json <<EOF; TodoWrite -h\n{"todos":[]}\nEOF'
    run_command(command.replace(" -h", ""), todo, cwd=str(tmp_path), timeout=60)
    assert (tmp_path / "c.json").read_text() == '{"todos":[]}\n'


@pytest.mark.parametrize(
    ("command", "name"), [("touch a\\ ", "a "), ("touch a\\\\ ", "a\\"), (" touch a\\ \n", "a ")]
)
def test_a_space_behind_a_backslash_is_kept(
    todo: TodoWrite, tmp_path: Path, command: str, name: str
) -> None:
    run_command(command, todo, cwd=str(tmp_path), timeout=60)
    assert [each.name for each in tmp_path.iterdir()] == [name]


@requirement("001-5")
@pytest.mark.parametrize("before", ["", "true; "])
def test_a_call_with_more_levels_than_are_read_is_refused(
    todo: TodoWrite, tmp_path: Path, before: str
) -> None:
    given = broken("$(touch pwn)" + "$( : " * 60 + ")" * 60, "]}").replace('"', '\\"')
    result = run_command(f'{before}TodoWrite "{given}"', todo, cwd=str(tmp_path), timeout=60)
    assert (result.stdout, result.exit_code) == ("", 1)
    assert result.stderr.startswith("Error: Invalid JSON format\nUsage: ")
    assert list(tmp_path.iterdir()) == []
