"""The word `TodoWrite` wherever it stands in a line: its argument, its options, its limits."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.requirements import requirement
from tests.support import step, texts
from todowright import TodoWrite, run_command

BEFORE = ["", "true && ", "cd . && ", "cd .; ", "true\n", "if ", "( ", "{ ", "! false && ", "A=1 ",
          "for n in 1; do ", ": $(", 'echo "$(', "case x in x) ", "f() { ", "> /dev/null ", "false || "]  # fmt: skip
AFTER = {"if ": "; then true; fi", "( ": " )", "{ ": "; }", "for n in 1; do ": "; done", ": $(": ")",
         'echo "$(': ')"', "case x in x) ": " ;; esac", "f() { ": "; }; f"}  # fmt: skip


@pytest.fixture
def todo() -> TodoWrite:
    return TodoWrite("shell", environ={})


def written(*contents: str) -> str:
    return json.dumps({"todos": [step(content) for content in contents]}, ensure_ascii=False)


@requirement("001-2")
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize(
    "contents",
    [["it's"], ["Don't break Bob's code"], ["it's one", "it's two"], ["don't", "x'y'z", "'$HOME'"]],
    ids=["one", "two", "each", "many"],
)
def test_apostrophes_are_kept_wherever_the_word_stands(
    todo: TodoWrite, before: str, contents: list[str]
) -> None:
    result = run_command(f"{before}TodoWrite '{written(*contents)}'{AFTER.get(before, '')}", todo)
    assert (result.stderr, result.exit_code) == ("", 0)
    assert texts(todo.plan) == contents


@requirement("001-2")
def test_what_stands_around_a_call_with_apostrophes_runs_as_ever(
    todo: TodoWrite, tmp_path: Path
) -> None:
    call = "TodoWrite '" + written("it's", "isn't") + "'"
    line = f"echo 'a b' && {call} && echo \"it's done\" > told; {call} | tr a-z A-Z"
    result = run_command(line, todo, cwd=str(tmp_path))
    done = "Todo list updated: 0 completed, 0 in_progress, 2 pending"
    assert (result.stdout, result.stderr) == (f"a b\n{done}\n{done.upper()}\n", "")
    assert (tmp_path / "told").read_text() == "it's done\n"


@requirement("001-2")
@pytest.mark.parametrize("before", ["", "cd . && "])
@pytest.mark.parametrize("text", ["costs $5 or `x`", "$(touch pwned)", "`touch pwned`", "$HOME"])
def test_the_words_of_a_todo_are_never_expanded_however_they_are_quoted(
    todo: TodoWrite, tmp_path: Path, before: str, text: str
) -> None:
    given = written(text)
    for argument in (f"'{given}'", f'"{given}"', given, json.dumps(given), shlex.quote(given),
                     f"<<EOF\n{given}\nEOF", f"<<< '{given}'", f"\"$(cat <<EOF\n{given}\nEOF\n)\""):  # fmt: skip
        result = run_command(f"{before}TodoWrite {argument}\ntrue", todo, cwd=str(tmp_path))
        assert (result.stderr, result.exit_code) == ("", 0)
        assert texts(todo.plan) == [text]
        todo.clear()
    assert list(tmp_path.iterdir()) == []


@requirement("001-2")
@pytest.mark.parametrize(
    "argument",
    [
        '"$PLAN"',
        '"$(printf %s "$PLAN")"',
        '"$(cat <<EOF\n$PLAN\nEOF\n)"',
        "<<EOF\n$PLAN\nEOF",
        '<<< "$PLAN"',
        '\'{"todos":[{"content":"\'"$TEXT"\'","activeForm":"x","status":"pending"}]}\'',
        "'{\"todos\":'\"$LIST\"'}'",
    ],
)
def test_a_list_that_the_shell_puts_together_is_left_to_the_shell(
    todo: TodoWrite, argument: str
) -> None:
    setting = f"PLAN={shlex.quote(written('kept'))}; TEXT=kept; LIST='[{json.dumps(step('kept'))}]'"
    result = run_command(f"{setting}\nTodoWrite {argument}", todo)
    assert (result.stderr, result.exit_code) == ("", 0)
    assert texts(todo.plan) == ["kept"]


@requirement("001-5")
@pytest.mark.parametrize("before", ["", "cd . && ", "touch pwned; "])
@pytest.mark.parametrize(
    "broken", ['{"todos":[{"content":"it\'s"},', '{"a":"users\' ;touch pwned"']
)
def test_a_line_whose_json_has_no_end_is_refused_whole(
    todo: TodoWrite, tmp_path: Path, before: str, broken: str
) -> None:
    result = run_command(f"{before}TodoWrite '{broken}' && touch pwned", todo, cwd=str(tmp_path))
    assert (result.stdout, result.exit_code) == ("", 1)
    assert result.stderr.startswith("Error: Invalid JSON format\nUsage: ")
    assert list(tmp_path.iterdir()) == []


@requirement("001-5")
@pytest.mark.parametrize("before", ["", "true; "])
@pytest.mark.parametrize("broken", ["'{'", "'{\"todos\":[,]}'", "hello", '"{\\"todos\\":}"'])
def test_where_broken_json_ends_for_sure_the_line_goes_on_by_its_failure(
    todo: TodoWrite, before: str, broken: str
) -> None:
    result = run_command(f"{before}TodoWrite {broken} || echo refused", todo)
    assert (result.stdout, result.exit_code) == ("refused\n", 0)
    assert result.stderr.startswith("Error: Invalid JSON format\nUsage: ")


@requirement("001-9")
@pytest.mark.parametrize("before", ["", "true && "])
@pytest.mark.parametrize("option", ["-h", "--help", "'-h'", '"--help"'])
@pytest.mark.parametrize("after", ["", " | cat", " && true", "; true"])
def test_help_is_told_wherever_it_is_asked_for(
    todo: TodoWrite, before: str, option: str, after: str
) -> None:
    result = run_command(f"{before}TodoWrite {option}{after}", todo)
    assert (result.stdout.strip(), result.stderr) == (todo.dialect.prompt, "")


@requirement("001-8")
@pytest.mark.parametrize(
    "before",
    ["TODO_MAX_ITEMS=1 ", "export TODO_MAX_ITEMS=1; ", "export TODO_MAX_ITEMS=1 && ", "A=2 TODO_MAX_ITEMS='1' "],
)  # fmt: skip
def test_a_limit_that_is_set_in_the_line_counts(todo: TodoWrite, before: str) -> None:
    two = written("a", "it's")
    result = run_command(f"{before}TodoWrite '{two}'", todo)
    assert (result.stdout, result.exit_code) == ("", 1)
    assert result.stderr.splitlines()[1] == "- todos: Too many items (max 1)"
    assert run_command(f"TodoWrite '{written('a', 'b')}'", todo).exit_code == 0


@requirement("001-8")
def test_a_limit_is_set_for_its_call_or_taken_away_and_a_wrong_one_is_told() -> None:
    todo = TodoWrite("shell", environ={"TODO_MAX_ITEMS": "1"})
    two = f"TodoWrite '{written('a', 'b')}'"
    assert "max 1" in run_command(f"true; {two}", todo).stderr
    assert run_command(f"TODO_MAX_ITEMS=2 {two}", todo).exit_code == 0
    assert run_command(f"TODO_MAX_ITEMS=2 {two}; {two}", todo).exit_code == 1
    told = run_command(f"TODO_MAX_ITEMS=none {two}", todo).stderr
    assert told == "Error: TODO_MAX_ITEMS must be a positive integer, received 'none'\n"
    assert (
        "at most 3 char"
        in run_command(f"TODO_MAX_CONTENT_LENGTH=3 TodoWrite '{written('four')}'", todo).stderr
    )


@requirement("001-8")
def test_a_limit_of_the_programs_own_environment_can_be_unset_in_the_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TODO_MAX_ITEMS", "1")
    two = f"TodoWrite '{written('a', 'b')}'"
    assert "max 1" in run_command(two, TodoWrite("shell")).stderr
    assert "max 1" in run_command(f"true; {two}", TodoWrite("shell")).stderr
    assert run_command(f"unset TODO_MAX_ITEMS; {two}", TodoWrite("shell")).exit_code == 0
    assert run_command(f"true; {two}", TodoWrite("shell", environ={})).exit_code == 0
