"""Which command is whose, and how its argument is read."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.requirements import requirement
from tests.support import step, texts
from todowright import TodoWrite, run_command
from todowright.shell import identify
from todowright.shell.line import read_line

EMPTY = '{"todos":[]}'
DONE = "Todo list updated: 0 completed, 0 in_progress, 0 pending"
INVALID = "Error: Invalid JSON format"


@pytest.fixture
def todo() -> TodoWrite:
    return TodoWrite("shell", environ={})


@requirement("001-1")
@pytest.mark.parametrize(
    "command",
    [
        "TodoWrite",
        "  TodoWrite  ",
        f"TodoWrite '{EMPTY}'",
        f"TodoWrite'{EMPTY}'",
        'TodoWrite"x"',
        "TodoWrite\t-h",
        f"\nTodoWrite\n'{EMPTY}'",
    ],
)
def test_a_command_whose_first_word_is_exactly_todowrite_is_ours(command: str) -> None:
    assert identify(command) == "agent_shell_command"


@requirement("001-1")
@pytest.mark.parametrize(
    "command",
    ["TodoWriteFoo '{}'", "todowrite '{}'", "TODOWRITE", "Todo Write", "TodoWrite2", "TodoWrite{}",
     "echo TodoWrite", "./TodoWrite", "ls", "", "TodoWrite;ls"],
)  # fmt: skip
def test_every_other_command_is_native(command: str) -> None:
    assert identify(command) == "native_command"


@requirement("001-1")
def test_a_native_command_runs_in_a_real_shell(todo: TodoWrite, tmp_path: Path) -> None:
    result = run_command("echo $((6*7)); echo oops >&2; pwd; exit 3", todo, cwd=str(tmp_path))
    assert (result.stdout, result.stderr, result.exit_code) == (f"42\n{tmp_path}\n", "oops\n", 3)
    assert todo.plan.revision == 0
    assert run_command("todowrite_no_such_command", todo).exit_code == 127


@requirement("001-1", "001-3")
def test_ours_runs_here_on_the_given_plan_or_on_one_of_its_own(todo: TodoWrite) -> None:
    command = f"TodoWrite {shlex.quote(json.dumps({'todos': [step('a')]}))}"
    result = run_command(command, todo)
    assert result.stdout == "Todo list updated: 0 completed, 0 in_progress, 1 pending"
    assert (result.stderr, result.exit_code) == ("", 0)
    assert texts(todo.plan) == ["a"]
    assert run_command(command).stdout == result.stdout


def call(content: str, active: str = "Doing") -> dict[str, Any]:
    return {"todos": [step(content, "pending", active)]}


def quoted_in_double(text: str) -> str:
    return '"' + "".join(f"\\{char}" if char in '"\\$`' else char for char in text) + '"'


ARGUMENT = json.dumps(call("Don't stop"))
PRETTY = json.dumps(call("Don't stop"), indent=2)


@requirement("001-2")
@pytest.mark.parametrize(
    "argument",
    [
        shlex.quote(ARGUMENT),
        f"'{ARGUMENT}'",  # a bare apostrophe in single quotes, as models write it
        quoted_in_double(ARGUMENT),
        f'"{ARGUMENT}"',  # unescaped quotes in double quotes
        ARGUMENT,
        f"'{PRETTY}'",
        PRETTY,
        shlex.quote(PRETTY),
        f"'\n{PRETTY}\n'",
        f"<<EOF\n{ARGUMENT}\nEOF",
        f"<<'EOF'\n{PRETTY}\nEOF",
        f'<<-"END"\n{ARGUMENT}\n\tEND',
        f"<<< {shlex.quote(ARGUMENT)}",
        f"\"$(cat <<'EOF'\n{PRETTY}\nEOF\n)\"",
        "$'" + ARGUMENT.replace("\\", "\\\\").replace("'", "\\'") + "'",
        "\\\n  " + shlex.quote(ARGUMENT),
        f"\n  '{ARGUMENT}'",
        f"\n{PRETTY}",
    ],
)
def test_the_argument_is_read_however_it_is_quoted(todo: TodoWrite, argument: str) -> None:
    result = run_command(f"TodoWrite {argument}", todo)
    assert result.stderr == ""
    assert texts(todo.plan) == ["Don't stop"]
    after = run_command(f"TodoWrite {argument}\necho after", todo)
    assert after.stdout.splitlines()[-1] == "after"
    assert after.exit_code == 0


@requirement("001-2")
@given(
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=40
    )
)
@example('it\'s "quoted" $HOME `x` \\ && rm -rf / ; # <<EOF')
def test_any_text_survives_a_shells_own_quoting(text: str) -> None:
    if not text.strip():
        return
    todo = TodoWrite("shell", environ={})
    arguments = json.dumps(call(text), ensure_ascii=False)
    for quoted in (shlex.quote(arguments), quoted_in_double(arguments)):
        assert run_command(f"TodoWrite {quoted}", todo).stderr == ""
        assert texts(todo.plan) == [text]


@requirement("001-2", "001-4", "001-5")
@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("TodoWrite", "Error: Missing JSON parameter"),
        ("TodoWrite ''", "Error: Missing JSON parameter"),
        ("TodoWrite && echo no", "Error: Missing JSON parameter"),
        ("TodoWrite '{'", INVALID),
        ('TodoWrite \'{"todos":[', INVALID),
        ("TodoWrite [", INVALID),
        ("TodoWrite hello", INVALID),
        (
            f"TodoWrite {json.dumps(ARGUMENT)} more",
            "Error: Unexpected text after the JSON parameter",
        ),
        ('TodoWrite "[\\"$x\\"]" more', "Error: Unexpected text after the JSON parameter"),
        (f"TodoWrite '{EMPTY}' more", "Error: Unexpected text after the JSON parameter"),
        (f"TodoWrite '{EMPTY}'more", "Error: Unexpected text after the JSON parameter"),
        ("TodoWrite <<EOF\n{\nEOF", INVALID),
        ("TodoWrite '[]'", "Error: Validation failed"),
    ],
)
def test_what_cannot_be_read_is_refused_and_nothing_changes(
    todo: TodoWrite, command: str, told: str
) -> None:
    result = run_command(command, todo)
    assert result.stderr.startswith(told)
    assert result.exit_code == 1
    assert "no" not in result.stdout
    assert todo.plan.revision == 0


@requirement("001-9")
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_prints_the_document(todo: TodoWrite, option: str) -> None:
    result = run_command(f"TodoWrite {option}", todo)
    assert (result.stdout, result.stderr, result.exit_code) == (todo.dialect.prompt, "", 0)


@requirement("001-9")
def test_a_todo_that_speaks_of_help_is_a_todo(todo: TodoWrite) -> None:
    arguments = json.dumps(call("explain -h and --help"))
    assert run_command(f"TodoWrite '{arguments}'", todo).exit_code == 0
    assert texts(todo.plan) == ["explain -h and --help"]


@pytest.mark.parametrize(
    ("rest", "stdout", "code"),
    [
        ("&& echo yes", f"{DONE}\nyes\n", 0),
        ("|| echo no", f"{DONE}\n", 0),
        ("; false", f"{DONE}\n", 1),
        ("&& echo a || echo b", f"{DONE}\na\n", 0),
        ("| tr a-z A-Z", f"{DONE.upper()}\n", 0),
        ("> /dev/null && echo quiet", "quiet\n", 0),
        ("2>&1 | wc -l", "1\n", 0),
        ("&& (exit 7)", f"{DONE}\n", 7),
        (f"&& TodoWrite '{EMPTY}' && echo both", f"{DONE}\n{DONE}\nboth\n", 0),
    ],
)
def test_what_follows_on_the_line_goes_to_the_shell_after_a_success(
    todo: TodoWrite, rest: str, stdout: str, code: int
) -> None:
    result = run_command(f"TodoWrite '{EMPTY}' {rest}", todo)
    assert (result.stdout, result.exit_code) == (stdout, code)


@pytest.mark.parametrize(
    ("rest", "stdout", "code"),
    [
        ("&& echo yes", "", 1),
        ("&& echo yes || echo no", "no\n", 0),
        ("|| echo no", "no\n", 0),
        ("; echo next", "next\n", 0),
        (f"&& TodoWrite '{EMPTY}'", "", 1),
        (f"|| TodoWrite '{EMPTY}'", f"{DONE}\n", 0),
        ("2>&1 | head -n 1", "Error: Validation failed\n", 0),
    ],
)
def test_what_follows_on_the_line_goes_by_a_failure(
    todo: TodoWrite, rest: str, stdout: str, code: int
) -> None:
    result = run_command("TodoWrite '[]' " + rest, todo)
    assert (result.stdout, result.exit_code) == (stdout, code)


@pytest.mark.parametrize(
    "command",
    [
        "cd / && TodoWrite '{}'",
        "echo first; TodoWrite '{}' && echo then",
        "TodoWrite '{{\"todos\":[]}}'; true; TodoWrite '{}'",
        "echo '{}' | TodoWrite",
        "for n in 1 2; do TodoWrite '{}'; done",
        "x=$(TodoWrite '{}'); echo \"$x\"",
    ],
)
def test_a_todowrite_in_a_later_place_reaches_the_same_plan(todo: TodoWrite, command: str) -> None:
    result = run_command(command.format(json.dumps(call("later"))), todo)
    assert (result.stderr, result.exit_code) == ("", 0)
    assert "1 pending" in result.stdout
    assert texts(todo.plan) == ["later"]
    assert run_command("true; TodoWrite '{' || echo refused", todo).stdout == "refused\n"
    chain = "TodoWrite '{\"todos\":[]}' || TodoWrite '{\"todos\":[]}'; echo done"
    assert run_command(chain, todo).stdout.splitlines()[-1] == "done"
    assert run_command("true; TodoWrite --help", todo).stdout == todo.dialect.prompt + "\n"


@pytest.mark.slow
def test_a_command_that_cannot_be_run_says_why_and_one_that_lasts_is_stopped(
    todo: TodoWrite, tmp_path: Path
) -> None:
    assert run_command("echo a\x00b", todo).exit_code == 126
    assert run_command("true " + "x" * 10_000_000, todo).exit_code == 126
    assert run_command("ls", todo, cwd=str(tmp_path / "gone")).exit_code == 126
    started = time.monotonic()
    late = run_command("echo early; sleep 60 & sleep 60", todo, timeout=3)
    assert time.monotonic() - started < 30
    assert (late.stdout, late.stderr, late.exit_code) == (
        "early\n",
        "Error: stopped after 3 s",
        124,
    )
    assert run_command("printf '\\xff'", todo).stdout == "\ufffd"


def test_another_dialects_tool_answers_in_its_own_words() -> None:
    todo = TodoWrite("checklist")
    result = run_command("TodoWrite {}", todo)
    assert (result.stderr, result.exit_code) == ("Error: items required", 1)
    result = run_command("TodoWrite '" + json.dumps({"items": [step("a")]}) + "'", todo)
    assert result.stdout == "[ ] a\n\n(0/1 completed)"


def test_words_of_a_todo_are_never_run_when_the_json_is_broken(
    todo: TodoWrite, tmp_path: Path
) -> None:
    for text in ("Don't;touch pwned;echo don't", "the users' ;touch pwned", "it's && touch pwned"):
        broken = '{"todos":[{"content":"' + text + '","activeForm":"x","status":"pending"},]}'
        for quoted in (f"'{broken}'", f'"{broken}"', broken):
            result = run_command(f"TodoWrite {quoted}", todo, cwd=str(tmp_path))
            assert (result.stdout, result.exit_code) == ("", 1)
            assert result.stderr.startswith(INVALID)
    assert list(tmp_path.iterdir()) == []
    assert todo.plan.revision == 0


@pytest.mark.parametrize(
    "argument",
    [
        f"'{EMPTY}' # clear the list",
        f"<<'TODO-LIST'\n{EMPTY}\nTODO-LIST",
        f"<<\\EOF\n{EMPTY}\nEOF",
        "$'{\\x22todos\\x22:[]}'",
        "$'{\\042todos\\042:[]}'",
    ],
)
def test_rarer_ways_to_quote_are_read_as_bash_reads_them(todo: TodoWrite, argument: str) -> None:
    result = run_command(f"TodoWrite {argument}", todo)
    assert (result.stdout.strip(), result.exit_code) == (DONE, 0)


def test_a_here_document_loses_its_backslashes_as_in_a_shell(todo: TodoWrite) -> None:
    body = json.dumps(call("costs $5 \\ a"))
    for word, text in (("'EOF'", body), ("EOF", body.replace("\\", "\\\\").replace("$", "\\$"))):
        run_command(f"TodoWrite <<{word}\n{text}\nEOF", todo)
        assert texts(todo.plan) == ["costs $5 \\ a"]


def test_a_constant_that_json_does_not_have_is_not_json(todo: TodoWrite) -> None:
    assert todo("NaN").text.startswith(INVALID)
    assert todo('{"todos": Infinity}').text.startswith(INVALID)


def test_a_time_limit_is_kept_whatever_the_command_leaves_behind(todo: TodoWrite) -> None:
    started = time.monotonic()
    late = run_command("echo early; setsid sleep 60 & sleep 60", todo, timeout=0.3)
    assert time.monotonic() - started < 30
    assert late.exit_code == 124


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("", False),
        (f"'{EMPTY}'", False),
        ('\'{"todos":[', True),
        ('"{', True),
        ('{"todos":[', True),
        ('{"todos":[]}', False),
        ('\'{"a":"Don\'t"}\'', False),
        ("<<EOF\n{", True),
        ("<<EOF", True),
        (f"<<EOF\n{EMPTY}\nEOF", False),
        ("hello", False),
    ],
)
def test_a_command_that_goes_on_in_the_next_line_is_known(text: str, more: bool) -> None:
    assert read_line(f"TodoWrite {text}").is_open is more
    assert read_line(f"cd x && TodoWrite {text}").is_open is more
