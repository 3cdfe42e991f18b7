"""One reading of a line for whoever runs it or judges it: checked against a real bash."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.requirements import requirement
from tests.support import step, texts
from todowright import TodoWrite, run_command
from todowright.agent.work.grave import is_grave
from todowright.shell.line import Line, read_line

RECORDED = """
TodoWrite() { :; }
command_not_found_handle() { printf '%s\\0' "$1" >&9; }
PATH=/nonexistent
exec 2>/dev/null
"""


def ran(text: str, folder: str) -> list[str]:
    """The names of the commands that bash runs for a text; none of them is there."""
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as told:
        try:
            subprocess.run(
                ["bash", "-c", f"exec 9>&{writer}\n{RECORDED}\n{text}"],
                pass_fds=[writer],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                timeout=60,
            )
        finally:
            os.close(writer)
        return told.read().decode("utf-8", "surrogateescape").split("\0")[:-1]


started: list[str] = []


def note(event: str, arguments: object) -> None:
    if event == "subprocess.Popen":
        started.append(str(arguments))


sys.addaudithook(note)


@contextmanager
def no_process_is_started() -> Iterator[None]:
    started.clear()
    yield
    assert started == []


NASTY = ["it's", "Don't", "'a'", '"b"', "$HOME", "$5", "`x`", "$(x)", "\\", "\\'", "#", ";", "&&", "|", ">", "<", "(", ")",
         "{", "}", "[", "]", "!", "~", "*", "?", "\n", "\t", "é", "漢", "🎉"]  # fmt: skip
CONTENTS = st.lists(
    st.lists(
        st.sampled_from([*NASTY, "EOF", "\nEOF", "code", ",", ":", "}]}'", "'}"])
        | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=4),
        min_size=1,
        max_size=6,
    )
    .map(" ".join)
    .filter(str.strip),
    min_size=1,
    max_size=3,
)


def quotings(text: str) -> list[str]:
    """The ways in which a JSON text of one line may be an argument, and be told apart."""
    escaped = "".join(f"\\{char}" if char in '"\\$`' else char for char in text)
    found = [f"'{text}'", f'"{text}"', text, shlex.quote(text), f'"{escaped}"', f"' {text}\n'",
             f"<<'EOF'\n{text}\nEOF\n", f"<<< {shlex.quote(text)}", f"<<< '{text}'",
             f"\"$(cat <<'EOF'\n{text}\nEOF\n)\"", f"\\\n  '{text}'", f"\n'{text}'"]  # fmt: skip
    if "\\\\" not in text:
        found += [f"<<EOF\n{text}\nEOF\n", f'"$(cat <<EOF\n{text}\nEOF\n)"']
    return found


PLACES = ["{}", "cd . && {}", "cd .; {} && second", "{}\nsecond", "{} # it's", "( {}\n)", "x=$({}\n); second",
          "first 'a' | {} || second \"b\"", "if {}\nthen second; fi", "{{ {}\n}} > /dev/null", "TODO=1 {} ; second"]  # fmt: skip
CALLED = {"cd": "cd", "first": "first", "second": "second"}


@requirement("001-2")
@settings(max_examples=150, deadline=None)
@given(CONTENTS, st.sampled_from(PLACES), st.integers(0, 99), st.booleans())
@example(["Don't break Bob's code"], PLACES[1], 0, False)
@example(["it's", "isn't"], PLACES[2], 1, True)
def test_the_argument_is_told_apart_and_the_rest_of_the_line_stays_what_it_is(
    contents: list[str], place: str, quoting: int, ascii_only: bool
) -> None:
    text = json.dumps({"todos": [step(each) for each in contents]}, ensure_ascii=ascii_only)
    quoted = quotings(text)
    argument = quoted[quoting % len(quoted)]
    if argument.endswith("\n") and place != "{}":
        place = "{}\nsecond" if "second" in place else "cd . && {}"
    line = read_line(place.format(f"TodoWrite {argument}"))
    assert line.fault == ""
    (call,) = [each for each in line.commands if "TodoWrite" in each.words]
    assert (
        "".join(call.words[call.words.index("TodoWrite") + 1 :] or str(call.input)).strip() == text
    )
    others = [word for each in line.commands for word in each.words if word in CALLED]
    assert others == [
        name for name in CALLED if f"{name} " in f"{place} ".replace("\n", " ").replace(";", " ")
    ]
    assert read_line(line.text) == line
    assert (line.call is not None) is (place in ("{}", "{} # it's"))


@requirement("001-2")
@settings(max_examples=25, deadline=None)
@given(
    CONTENTS,
    st.sampled_from(["{}", "cd . && {}", "cd . && {} && touch done", "{}; touch done", "(cd /; {}\n) && touch done"]),
    st.integers(0, 99),
)  # fmt: skip
@example(["Don't break Bob's code"], "cd . && {} && touch done", 0)
@example(["$(touch pwned) `touch pwned`", "; touch pwned; '; touch pwned"], "cd . && {}", 1)
def test_what_is_sent_is_what_is_stored_and_only_what_is_judged_is_run(
    contents: list[str], place: str, quoting: int
) -> None:
    contents = [each[:100] for each in contents]
    if not all(each.strip() for each in contents):
        return
    text = json.dumps({"todos": [step(each) for each in contents]}, ensure_ascii=False)
    quoted = [each for each in quotings(text) if not each.endswith("\n")]
    todo = TodoWrite("shell", environ={})
    with TemporaryDirectory() as folder:
        command = place.format("TodoWrite " + quoted[quoting % len(quoted)])
        result = run_command(command, todo, cwd=folder, timeout=60)
        assert (result.stderr, result.exit_code) == ("", 0)
        assert texts(todo.plan) == contents
        assert [each.name for each in Path(folder).iterdir()] == ["done"] * ("done" in place)


PIECES = ["aa", "bb", "cc", " ", " ", "'", '"', "$(", ")", "`", ";", "&&", "||", "|", "\n", "<<E", "<<'E'", "<<-E", "<<\\E",
          "\nE\n", "\n\tE\n", "E", "{ ", "; }", "$((", "))", "((", "${x:-", "}", "#", "\\", "\\\n", "case x in x) ", ";; esac",
          "$'", "<(", "x=", "(", "<<<", "2>&1", "0", "!", "if ", "; then ", "; fi", "$x", "$", "&", "f() { ", "<<E#", "<<$(aa)",
          "TodoWrite ", "TodoWrite '{}'", "'{\"a\":\"it's\"}'", "{\"a\":", "[", "]", "\"it's\"", "TodoWrite '{\"a\":\"", "\"}'", "don't",
          "[[ a ]]", " then ", " do ", "for x ", "done ", "(x) ", "case x in ", "esac", "coproc ", "${x#", "$[", "{fd}>f ", "a[0]=", "${ ", "$\\\n"]  # fmt: skip
WHOLE = st.sampled_from(
    ["aa", "bb 'x'", 'cc "x"', "TodoWrite '{\"a\":\"it's; bb\"}'", "TodoWrite {\"a\":\"aa's\"}", "bb # it's\n", "aa \\'", "TodoWrite -h"]
)  # fmt: skip
NESTED = st.recursive(
    WHOLE,
    lambda inner: st.tuples(
        st.sampled_from(
            ["{} && {}", "{} ; {}", "{} | {}", "{}\n{}", "( {}\n)", "{{ {}\n}}", "if {}\nthen {}\nfi", "x=$({}\n)",
             "case x in x) {}\n;; (y) {}\nesac", 'aa "$({}\n)"', "aa $((1+$({}\n)))", "aa ${{x:-$({}\n)}}", "aa <({}\n)",
             "aa <<E\nit's $({}\n)\nE\n{}", "aa <<'E'\nit's {}\nE\n{}", "! {}", "f() {{ {}\n}}; f", "aa <<< \"it's\" && {}",
             "x=('a' $({}\n) )\n{}", "((1))\n{}", "[[ a == a ]] && {}", 'TodoWrite "$({}\n)"', "TodoWrite '[]' && {}",
             "if [[ a ]] then {}\nfi", "while [[ a ]] do {}\nbreak; done", "if {{ {}\n}} then {}\nfi", "case x in (x) {}\nesac",
             "for ((i=0;i<1;i++)) do {}\ndone", "set -- 1; for x do {}\ndone", "coproc {{ {}\n}}; wait", 'aa "${{x:-\'$({}\n)\'}}"',
             "aa ${{x:-<({}\n)}}; wait", "a[0]=1 {}", 'aa "$\\\n({}\n)"', "aa $[ '$' ]\n{}", "x=\"${{n//'\"'/}}\"; {}"]
        ),
        inner,
        inner,
    ).map(lambda made: made[0].format(made[1], made[2])),
    max_leaves=6,
)  # fmt: skip
LINES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join) | NESTED


def is_known(name: str, line: Line) -> bool:
    """Whether a command was foreseen; one whose name is put together when it runs cannot be."""
    words = [word for each in line.commands for word in each.words]
    ends = [word.rstrip("\\") for word in words]  # shells differ in what the last sign of a text is
    return name.rstrip("\\") in ends or any(sign in word for word in words for sign in "$`<")


@settings(max_examples=250, deadline=None)
@given(LINES)
@example('TodoWrite \'{"a":"Don\'t"}\' && aa "main"')
@example("TodoWrite <<< $((0*$(aa)))")
@example("TodoWrite <<E#\n[]\nE#\naa")
@example("TodoWrite '[]' <(aa)")
@example("TodoWrite $'[]\\u0027'`aa`")
@example("TodoWrite '[]'\\\n;aa")
@example("aa\\\n[[ a ]]")
def test_bash_runs_no_command_that_was_not_foreseen_and_for_a_plan_only_line_none(
    text: str,
) -> None:
    line = read_line(text)
    with TemporaryDirectory() as folder:
        if line.call is not None:
            with no_process_is_started():
                run_command(text, TodoWrite("shell", environ={}), cwd=folder)
            assert line.fault or ran(line.text, folder) == []
            assert list(Path(folder).iterdir()) == []
        elif line.is_clear:
            assert [name for name in ran(line.text, folder) if not is_known(name, line)] == []


@settings(max_examples=200, deadline=None)
@given(LINES, st.sampled_from(["aa", "bb", "cc"]))
def test_a_grave_command_is_seen_wherever_bash_would_run_it(text: str, name: str) -> None:
    line = read_line(text)
    if not line.is_clear or line.call is not None:
        return
    with TemporaryDirectory() as folder:
        if name in ran(line.text, folder) and any(
            each.words[:1] == [name] for each in line.commands
        ):
            assert is_grave(text.replace(name, "sudo"))


def test_a_line_with_more_levels_than_anybody_writes_is_grave_and_left_as_it_is() -> None:
    for deep in ("$(" * 60 + ")" * 60, "${x:-" * 60, "( " * 60 + "x", '"$(' * 60, "$[" * 60):
        line = read_line(f"echo {deep}")
        assert (line.is_clear, line.call, line.text) == (False, None, f"echo {deep}")
        assert is_grave(f"echo {deep}")


@pytest.mark.slow
def test_a_long_line_with_many_calls_is_read_in_one_pass() -> None:
    parts = ["TodoWrite '[]' ;", "TodoWrite '{,}' ;", "TodoWrite\n'", "TodoWrite \"$(", "TodoWrite <<E\n", "TodoWrite [",
             "TodoWrite $x ;", "TodoWrite '{\"a\":\"'", "x=(;", "a[", "$[", "<<E\\\n", "TodoWrite\n\"$(",
             "TodoWrite <<E\n[]\nE\n"]  # fmt: skip
    code = f"from todowright.shell.line import read_line\nfor part in {parts!r}: read_line('true; ' + part * 10_000)"
    # A reader that goes back and forth would take hours; this takes a few seconds.
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
