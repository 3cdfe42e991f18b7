r"""Forms that bash reads by rules of their own: what it runs behind them is seen, and ordinary code is not asked about.

Each line is judged, and run by a real bash in a folder of its own, where it deletes `dir`.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from todowright.agent.work.grave import is_grave

TESTS = [
    "if [[ ! $line =~ ^(#|x)$ ]]; then rm -rf dir; fi", "[[ a =~ (#) ]]; rm -rf dir", "[[ a == @(#) ]]; rm -rf dir",
    "[[ x == @( <<'EOF' ) ]]\nrm -rf dir\nEOF", "[[ x && y == @(#) ]]; rm -rf dir", "[[ x &&\n y =~ (#) ]]; rm -rf dir",
    "[[ ( a == @(#) ) ]]; rm -rf dir", "[[ a =~ \\((#) ]]; rm -rf dir", "[[ a =~ (\"#) ]]\"|#) ]]; rm -rf dir", "[[ a != !(#) ]]; rm -rf dir",
    "until [[ a =~ (#) ]]; do rm -rf dir; break; done", "! [[ a =~ (#) ]]; rm -rf dir", "time -p [[ a =~ (#) ]]; rm -rf dir",
    "f() [[ a =~ (#) ]]; rm -rf dir", "function f [[ a =~ (#) ]]; rm -rf dir", "coproc X [[ a =~ (#) ]]; rm -rf dir",
    "echo \"$([[ a =~ (#) ]]; rm -rf dir)\"", "[[ a =~ b|# ]]; rm -rf dir", "[[ a =~ (<<E) ]]\nrm -rf dir\nE",
    "echo \"$([[ a && case == b ]])\"; rm -rf dir; echo \"\"", "echo \"$(if [[ a && b ]] then case a in a) rm -rf dir;; esac fi)\"",
]  # fmt: skip
PATTERNS = [
    "shopt -s extglob\necho !(#) ; rm -rf dir", "shopt -s extglob\necho @(#) ; rm -rf dir", "shopt -s extglob\necho @(<<'EOF') \nrm -rf dir\nEOF",
    "shopt -s extglob\necho a?(#) ; rm -rf dir", "shopt -s extglob\necho !\\\n(#) ; rm -rf dir", "shopt -s extglob\necho $@(#) ; rm -rf dir",
    "shopt -s extglob\na=(@(#) x); rm -rf dir", "shopt -s extglob\ntime !()#; rm -rf dir",
    "shopt -s extglob\n!(a)#; rm -rf dir", "shopt -s extglob\nx?(${x:-a)]\nrm -rf dir", "shopt -s extglob\n!(coproc ;; afi[f() done@())\nrm -rf dir\nE", "shopt -s extglob\necho \"$(!(a) case x in y)\"; rm -rf dir; echo \"\"", "shopt -s extglob\ncase b in @(#|b)) rm -rf dir;; esac",
]  # fmt: skip
SUMS = [
    "((rm -rf dir; echo $'\\'))\\'') )", "((rm -rf dir; echo \"$(echo \"))\")\") )",
    "echo $((rm -rf dir; echo $'\\'))\\'') )", "(\\\n( 1 <<E ))\nrm -rf dir\nE", "echo $(\\\n( 1 <<E ))\nrm -rf dir\nE",
    "echo $(( 1 <<E )\\\n)\nrm -rf dir\nE",
]  # fmt: skip
CASES = [
    "case b in x) ;; b[*|b) rm -rf dir ;; *]) ;; esac", "case b in x) ;;& b[*|b) rm -rf dir ;; *]) ;; esac",
    'echo "$(case b in a) X=1 esac;; b) rm -rf dir;; esac)"',
    "echo \"$(case b in a) '}' esac;; b) rm -rf dir;; esac)\"", 'echo "$(case x in a) ;; case) ;; esac)"; rm -rf dir; echo ""',
    'echo "$(function f case b in b) rm -rf dir;; esac; f)"', 'echo "$(f (\\\n) case b in b) rm -rf dir;; esac; f)"',
    'echo "$(coproc f case b in b) rm -rf dir;; esac; wait)"', "echo \"$('for' x do case in x)\"; rm -rf dir; echo \"\"",
    'echo "$(: | time case in x)"; rm -rf dir; echo ""', "case b in a) ;\\\n; b[*|b) rm -rf dir ;; *]) ;; esac",
]  # fmt: skip
SUBSCRIPTS = [
    "time -p a[ <<'EOF' ]\nrm -rf dir\nEOF", "time -p -- a[ <<'EOF' ]\nrm -rf dir\nEOF", 'X="1" a[ <<E ]\nrm -rf dir\nE',
]  # fmt: skip
LISTS = [
    "a=(x a=(y\nrm -rf dir",
    "a=(<(b) a=(a)\nrm -rf dir",
    "f() a=({ \nrm -rf dir\nE",
    "eval a=(E x)b rm -rf dir",
    "x=(<(x=(a \\(); : <<E\n<(rm -rf dir)\nE\n) b)",
]
PROCESSES = [
    "[[ a == @(b|<(rm -rf dir)) ]]", "[[ a =~ (<(rm -rf dir)) ]]", "shopt -s extglob\nls @(a|>(rm -rf dir))", "x[<(rm -rf dir)]", "ls; x[<(rm -rf dir)]",
    ": <<E\n${x:?(a|<(rm -rf dir)):1}\nE\n", "(( [${x:-<(rm -rf dir)}] ))", "(( <(case a in a) rm -rf dir;; esac) ))",
]  # fmt: skip
OLD_SUMS = ["echo $[ ${x ]\nrm -rf dir", "shopt -s extglob\nls @($[ ) ]\nrm -rf dir # )"]
CUT = ["cat <<\\\n-'EOF'\nx\nEOF\nrm -rf dir\n-EOF"]
ORDINARY = [
    "if [[ ! $line =~ ^(#|$) ]]; then echo x; fi", "while read -r l; do [[ $l =~ ^[[:space:]]*(#.*)?$ ]] && continue; echo \"$l\"; done < f",
    "[[ $x == @(a|b) ]] && ls", "[[ $x != !(a|b) ]] && ls", "if [[ -f a && ( -d b || $x == foo[0-9]* ) ]]; then ls; fi", "[[ ${a[0]} -lt 3 ]]",
    "[[ $1 =~ ^([0-9]+)\\.([0-9]+)$ ]] && echo ${BASH_REMATCH[1]}", "[[\n a == b\n]] && ls", "[[ a < b ]] && ls", "if [[ a ]] then ls; fi",
    "case \"$1\" in\n  start|stop) echo $1 ;;\n  -h|--help)\n    echo help\n    ;;\n  *) exit 1 ;;\nesac", "case $x in [yY]*) echo y;; esac",
    "case $x in\n # it's\n (a) arr[$((i+1))]=x ;;\nesac", "case $x in a) ls ;& b) ls ;;& *) ls ;; esac", "for f in *; do case $f in *.c) ls;; esac; done",
    "echo $(( (1+2) * ${#a[@]} ))", "((i++))", "if ((i > 3)); then ls; fi", "for ((i=0;i<3;i++)); do echo $i; done", "echo $((`date +%s` - 5))",
    "a &&\\\n(ls)", "ls |\\\n cat", "if !(grep -q x f); then ls; fi", "arr[$((i + 1))]=x", "declare -A m=([a]=1 [b]=2)", "shopt -s extglob\nls !(*.txt)",
    "time -p ls", "time ls | time cat", "function g { ls; }; g", "x=$(case a in a) echo 1;; esac)",
]  # fmt: skip


def deletes(line: str, folder: Path) -> bool:
    """Whether bash deletes the folder `dir` for a line."""
    (folder / "dir").mkdir()
    subprocess.run(
        ["/bin/bash", "-c", line],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return not (folder / "dir").exists()


@pytest.mark.parametrize("line", TESTS)
def test_in_a_test_no_comment_and_no_document_hides_what_bash_runs(
    line: str, tmp_path: Path
) -> None:
    assert deletes(line, tmp_path)
    assert is_grave(line)


@pytest.mark.parametrize("line", PATTERNS)
def test_in_a_pattern_no_comment_and_no_document_hides_what_bash_runs(
    line: str, tmp_path: Path
) -> None:
    assert deletes(line, tmp_path)
    assert is_grave(line)


@pytest.mark.parametrize("line", SUMS)
def test_what_is_no_sum_for_bash_is_none_for_us(line: str, tmp_path: Path) -> None:
    assert deletes(line, tmp_path)
    assert is_grave(line)


@pytest.mark.parametrize("line", CASES)
def test_a_case_begins_and_ends_where_it_does_for_bash(line: str, tmp_path: Path) -> None:
    assert deletes(line, tmp_path)
    assert is_grave(line)


@pytest.mark.parametrize("line", SUBSCRIPTS)
def test_a_subscript_is_read_where_bash_reads_one(line: str, tmp_path: Path) -> None:
    assert deletes(line, tmp_path)
    assert is_grave(line)


@pytest.mark.parametrize("line", LISTS)
def test_a_list_that_bash_drops_hides_no_line_behind_it(line: str, tmp_path: Path) -> None:
    assert deletes(line, tmp_path)
    assert is_grave(line)


@pytest.mark.parametrize("line", PROCESSES)
def test_what_a_process_substitution_runs_is_seen_also_where_bash_reads_no_commands(
    line: str, tmp_path: Path
) -> None:
    assert deletes(line, tmp_path)
    assert is_grave(line)


@pytest.mark.parametrize("line", OLD_SUMS)
def test_a_sum_of_the_old_form_hides_no_line_behind_it(line: str, tmp_path: Path) -> None:
    assert deletes(line, tmp_path)
    assert is_grave(line)


@pytest.mark.parametrize("line", CUT)
def test_a_sign_that_is_cut_by_the_end_of_a_line_is_grave(line: str, tmp_path: Path) -> None:
    assert deletes(line, tmp_path)
    assert is_grave(line)


@pytest.mark.parametrize("line", ORDINARY)
def test_ordinary_code_with_tests_sums_and_cases_is_run_unasked(line: str) -> None:
    assert not is_grave(line)
