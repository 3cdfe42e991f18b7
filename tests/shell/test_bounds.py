"""A line that is made to take long, or to go too deep, is read in bounded steps and then given up."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest

from todowright import TodoWrite, run_command
from todowright.agent.work.grave import is_grave
from todowright.agent.work.grave_words import named
from todowright.agent.work.permissions import Permissions
from todowright.shell.line import read_line

READ = "import sys; from todowright.shell.line import read_line; read_line(eval(sys.argv[1]))"


@pytest.mark.parametrize(
    "line",
    [
        '"echo " + "${ " * 40 + "}" * 40',
        '"echo " + "${| " * 40',
        '"cat <<A\\n$(" * 40',
        '"cat <<A\\n`" * 40',
        '"echo " + "${x:-<(" * 40',
        '"echo " + "$((: #(((\\n) )" * 2000',
        "'TodoWrite \"$(cat <<E\\nE\\nx)\" ;' * 4000",
        "'TodoWrite \"$(cat <<E\\n' * 4000",
        '"do " * 30_000',
        '"[[ " + "} " * 30_000',
        '"case in " + "(a) in " * 30_000',
        '"cat <<E\\n" + "$((: #(((\\n) )" * 2000',
    ],
)
def test_what_stands_in_many_levels_or_many_times_is_not_read_again_and_again(line: str) -> None:
    # What reads each level twice would take years, or minutes; this takes a second.
    subprocess.run([sys.executable, "-c", READ, line], check=True, timeout=60)


def test_the_name_of_a_command_is_looked_for_once_however_many_stand_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = 0

    def counted(words: Sequence[str]) -> tuple[str, list[str]]:
        nonlocal read
        read += sum(map(len, words))
        return named(words)

    monkeypatch.setattr("todowright.agent.work.grave.named", counted)
    text = "${x:-#git " + "`echo " * 4000
    is_grave(text)
    assert 0 < read < 20 * len(text)


def test_a_few_levels_of_each_kind_are_read() -> None:
    for text in ("echo " + "${ " * 16 + "sudo ls; " + "}" * 16, "cat <<A\n$(" * 8 + "sudo ls"):
        line = read_line(text)
        assert line.is_clear
        assert any("sudo" in each.words for each in line.commands)
        assert is_grave(text)


@pytest.mark.parametrize("part", ["a=(", "$[", "${x:-", '"$(', "a=(b=("])
def test_no_depth_raises_at_whoever_runs_or_judges_a_line(part: str) -> None:
    text = part * 2000
    assert not read_line("a=(" * 2000).is_clear
    assert run_command(text, TodoWrite("shell", environ={}), timeout=60).exit_code != 0
    assert Permissions("auto").refusal("bash", {"command": f"bash -c '{text}'"}, read_only=False)


def test_a_caller_that_is_deep_itself_is_answered_too() -> None:
    def deeper(left: int) -> bool:
        return deeper(left - 1) if left else is_grave("echo " + "$(" * 40 + ")" * 40)

    assert deeper(sys.getrecursionlimit() - 200)
