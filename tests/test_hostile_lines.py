"""Lines that nobody thought of, in a real bash: what it runs was judged, and a plan-only line runs nothing.

Every command on the PATH is a stub that writes down its name. The lines are put together of quotes, documents,
here-strings, substitutions, sums, comments and continued lines, around calls whose texts have apostrophes.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.shell.test_line import LINES, is_known, no_process_is_started
from todowright.agent import Agent, ScriptedModel
from todowright.agent.calls import made
from todowright.agent.providers import ToolCall
from todowright.agent.work.grave import is_grave
from todowright.shell.line import read_line

NAMES = ("aa", "bb", "cc", "rm", "git", "sudo")
TODO = '{"todos":[{"content":"Don\'t $(cc) `cc` ; cc","activeForm":"it\'s","status":"pending"}]}'
CALLS = ["TodoWrite '{}'", 'TodoWrite "{}"', "TodoWrite {}", "TodoWrite <<E\n{}\nE", "TodoWrite <<'E'\n{}\nE", "TodoWrite <<< '{}'",
         "TodoWrite <<-E\n\t{}\n\tE", "TodoWrite \"$(cat <<'E'\n{}\nE\n)\"", "TodoWrite\n'{}'", "TodoWrite \\\n'{}'", "TodoWrite'{}'"]  # fmt: skip
MORE = ["", "", " && aa", " | bb", " ; cc", "\naa", " # it's\nbb", " \\\n; aa", " || bb 'x'", " > f", " $(aa)", " `bb`", " <(cc)", " $((0*$(aa)))",
        " <<< $(bb)", " '", ' "', " 2>&1", "; }", " )", " & cc", "\n<<E\nE\naa", " <<E#\nE\naa\nE#", "\r", "\raa", " ${x:-$(bb)}", " \\", "#aa", " $'\\n'aa"]  # fmt: skip
BEFORE = ["", "", "aa; ", "X=$(bb) ", "X=1 ", "( ", "{ ", "! ", "if ", "\\\n", "# aa\n", "cat <<E\nit's\nE\n", "aa 'it\\'s' ; ", "x() { ", "time ", ": \"'\" ; "]  # fmt: skip
PLAN_LINES = st.tuples(
    st.sampled_from(BEFORE),
    st.sampled_from(CALLS),
    st.sampled_from([TODO, "[]", TODO[:-1], TODO + "'", '{"a":"$(aa)"']),
    st.lists(st.sampled_from(MORE), max_size=3).map("".join),
).map(lambda parts: parts[0] + parts[1].replace("{}", parts[2]) + parts[3])
EVERY = LINES | PLAN_LINES
GRAVE_NAMES = {"rm": "rm -rf x", "git": "git push", "sudo": "sudo ls"}


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PATH of commands that only write down that they ran."""
    folder = tmp_path_factory.mktemp("stubs")
    for name in NAMES:
        (folder / name).write_text('#!/bin/sh\nprintf "%s\\0" "${0##*/} $*" >> "$LOG"\n')
        (folder / name).chmod(0o755)
    (folder / "cat").symlink_to("/bin/cat")
    return folder


def ran(text: str, stubs: Path, folder: str) -> list[str]:
    """What bash runs for a text, with the plan's tool as a function that does nothing."""
    log = Path(folder, "log")
    subprocess.run(
        ["/bin/bash", "-c", "TodoWrite() { :; }; " + text],
        env={"PATH": str(stubs), "LOG": str(log)},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return log.read_text("utf-8", "replace").split("\0")[:-1] if log.exists() else []


def check(text: str, stubs: Path) -> None:
    """Whatever bash runs was foreseen; and a line that may run unasked runs nothing."""
    line = read_line(text)
    with TemporaryDirectory() as folder:
        if line.call is not None:
            asked: list[str] = []

            def no(tool: str, *_: Any) -> bool:
                asked.append(tool)
                return False

            agent = Agent(ScriptedModel([]), folder=folder, dialect="shell", mode="ask", ask=no)
            with no_process_is_started():
                made(agent, ToolCall("1", "bash", {"command": text}))
            assert asked == []
            assert line.fault or "\0" in text or ran(line.text, stubs, folder) == []
        elif line.is_clear and "\0" not in text:
            names = {each.split(" ")[0] for each in ran(line.text, stubs, folder)}
            assert [name for name in names if not is_known(name, line)] == []


@settings(max_examples=150)
@given(PLAN_LINES)
@example(f"TodoWrite '{TODO}' && aa \"main\"")
@example("TodoWrite <<E#\n[]\nE\naa\nE#")
@example("TodoWrite <<< $((0*$(aa)))")
def test_what_bash_runs_beside_the_plan_was_judged(stubs: Path, text: str) -> None:
    check(text, stubs)


@pytest.mark.soak
@settings(max_examples=5_000)
@given(EVERY)
def test_what_bash_runs_beside_the_plan_was_judged_in_thousands_of_lines(
    stubs: Path, text: str
) -> None:
    check(text, stubs)


def check_grave(text: str, stubs: Path) -> None:
    """What is grave is seen wherever bash would run it."""
    line = read_line(text)
    if line.call is not None or not line.is_clear or "\0" in text:
        return
    with TemporaryDirectory() as folder:
        happened = ran(line.text, stubs, folder)
    if any(
        f"{each} ".startswith(f"{grave} ") for each in happened for grave in GRAVE_NAMES.values()
    ):
        assert is_grave(text)


GRAVE_LINES = st.tuples(EVERY, st.sampled_from(["aa", "bb", "cc"]), st.sampled_from(sorted(GRAVE_NAMES.values()))).map(
    lambda parts: parts[0].replace(parts[1], parts[2])
)  # fmt: skip


@settings(max_examples=150)
@given(GRAVE_LINES)
@example("git push``")
@example("git ``pu$()sh")
@example("aa \"${x:-'$(aa <<E\nit's $(aa\n)\nE\ngit push # it's\n\n)'}\"")
def test_a_grave_command_that_bash_runs_was_seen(stubs: Path, text: str) -> None:
    check_grave(text, stubs)


@pytest.mark.soak
@settings(max_examples=5_000)
@given(GRAVE_LINES)
def test_a_grave_command_that_bash_runs_was_seen_in_thousands_of_lines(
    stubs: Path, text: str
) -> None:
    check_grave(text, stubs)


def test_the_stubs_are_run_and_nothing_else_is(stubs: Path, tmp_path: Path) -> None:
    assert ran("aa x; rm -rf y | bb; ls; TodoWrite", stubs, str(tmp_path)) in (
        ["aa x", "rm -rf y", "bb "],
        ["aa x", "bb ", "rm -rf y"],
    )
