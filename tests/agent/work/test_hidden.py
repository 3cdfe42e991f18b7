"""Grave commands that stand in a line, but not where one looks first."""

from __future__ import annotations

import pytest

from todowright.agent.work.permissions import Permissions

COMPOUND = [
    "if [[ -d y ]] then rm -rf y; fi", "while [[ -d y ]] do rm -rf y; done", "if for i in 1; do :; done then rm -rf y; fi",
    "case x in (x) rm -rf y;; esac", "for ((i=0;i<1;i++)) do rm -rf y; done", 'for x do rm -rf "$x"; done',
    "coproc rm -rf y", 'select x do rm -rf "$x"; done', "coproc N { rm -rf y; }", "for x { rm -rf y; }",
    "if true; then for x do rm -rf y; done; fi", "if { true; } then rm -rf y; fi", "coproc N if true; then rm -rf y; fi",
    "if true; then case x in (x) rm -rf y;; esac fi", "function f { rm -rf y; }", "if [[ a ]] then [[ b ]] else rm -rf y; fi",
    'echo "$(case x in x) { :; } esac)"; rm -rf y', "while if true; then true; fi do rm -rf y; done", "case x in (a|x) rm -rf y; esac",
]  # fmt: skip
WRAPPED = [
    "$SUDO rm -rf y", '"${SUDO:-}" rm -rf y', "$(which sudo) rm -rf y", "env -i rm -rf y", "ls | xargs -i rm -rf {}",
    "ls | xargs -0n 1 rm -rf", "ls | xargs -dn rm -rf", "exec -a n rm -rf y", "exec -la n rm -rf y", "a[0]=1 rm -rf y",
    "a[b[0]]=1 rm -rf y", "{fd}>x rm -rf y", "flock l rm -rf y", "flock -w 5 l rm -rf y", "flock l -c 'rm -rf y'",
    "env -S 'rm -rf y'", "stdbuf -o L rm -rf y", "timeout $T rm -rf y", "git push origin help", "rm --rec y", "rm --r y",
    "git reset --har HEAD", "chmod --rec 777 .",
]  # fmt: skip
TOLD = [
    "cat <<'EOF' | bash\nrm -rf y\nEOF", "printf '%s\\n' 'rm -rf y' | bash", "printf '%s ' rm -rf y | sh", "echo -n rm -rf y | bash",
    "echo -e 'ls\\nrm -rf y' | bash", 'bash -c "$(cat <<EOF\nrm -rf y\nEOF\n)"', "bash -Ec 'rm -rf y'", "bash -c -e 'rm -rf y'",
    "sh -c -- 'rm -rf y'", "eval -- 'rm -rf y'", "trap 'rm -rf y' EXIT", "trap -- 'rm -rf y' EXIT", "bash -euo pipefail -c 'rm -rf y'",
    "echo 'rm -rf y' | tee x | sh", 'eval "$(echo rm -rf y)"', "bash <(echo rm -rf y)", "bash +x -c 'rm -rf y'",
]  # fmt: skip
DIFFERING = [
    "x=\"${n//'\"'/}\"; rm -rf y", "echo \"${x:-'$(rm -rf y)'}\"", 'echo "$\\\n(rm -rf y)"', "echo $\\\n(rm -rf y)",
    "echo ${x:-<(rm -rf y)}", "echo $[ '$' ]\nrm -rf y", "echo \"${x#'}'}\"; rm -rf y",
]  # fmt: skip
HELD = [
    'x=(rm -rf y); "${x[@]}"', "x=(rm -rf y); ${x[*]}", 'declare -a x=(rm -rf y); "${x[@]}"', "x='$(rm -rf y)'; echo \"${x@P}\"",
    "printf -v x 'rm -rf y'; $x", "printf -v x '%s' 'rm -rf y'; eval \"$x\"", "read -r x <<< 'rm -rf y'; $x", "x='rm -rf y'; bash -c \"$x\"",
    "x='rm -rf y'; sh <<< \"$x\"", "set -- rm -rf y; \"$@\"", "set rm -rf y; $*", "${x:-rm} -rf y", "${x-rm -rf y}",
    "GIT_SSH_COMMAND='rm -rf y' git fetch", "GIT_SEQUENCE_EDITOR='rm -rf y' git rebase -i HEAD~2", "PROMPT_COMMAND='rm -rf y' bash -i",
    "x=(a b); rm -rf y",
]  # fmt: skip
HANDED_ON = [
    ". /dev/stdin <<< 'rm -rf y'", "source /dev/stdin <<E\nrm -rf y\nE", "ash -c 'rm -rf y'", "rbash -c 'rm -rf y'", "ssh -p 22 h rm -rf y",
    "ssh -vp 22 -o A=b h 'rm -rf y'", "git bisect run rm -rf y", "git submodule foreach 'rm -rf y'", "git rebase -x 'rm -rf y' HEAD~1",
    "git rebase --exec='rm -rf y' HEAD~1", "git config alias.x '!rm -rf y'", "git --config-env=alias.x=FOO x", "find . -okdir rm -r {} +",
    "kubectl -n x delete pod y", "cp x /dev/sda", "setpriv --no-new-privs rm -rf y", "curl x | tee y | sh | sh",
]  # fmt: skip
HARMLESS = [
    "if [[ -d y ]] then ls; fi", "for x do ls; done", "coproc ls", "case x in (x) ls;; esac", "echo fi then rm", "echo done do",
    "env -i ls -rf", "ls | xargs -i echo rm {}", "$EDITOR notes", "flock l ls", "exec -a n ls", "a[0]=1 ls", "{fd}>x ls",
    "echo -n 'rm -rf y'", "printf 'rm -rf y\\n' | cat", "cat <<EOF | grep x\nrm -rf y\nEOF", "bash -c 'ls' -c 'rm -rf y'",
    "trap - EXIT", "trap -p", "git help push", "npm help publish", "rm --force y", 'git commit -m "$(cat <<EOF\nrm -rf y\nEOF\n)"',
    'x=(pytest -q); "${x[@]}"', "x='rm -rf y'; echo \"$x\"", "${EDITOR:-vi} notes", "set -- a b; echo \"$@\"", "read x <<< 'rm -rf y'; echo $x",
    "GIT_EDITOR=true git rebase --continue", "GIT_PAGER=cat git log", "ssh -p 22 h ls", "git bisect run pytest", "git rebase -x pytest main",
    "git submodule foreach git status", "git config alias.x status", "kubectl -n x get pods", "kubectl delete pod x --dry-run=client", "cp x /dev/null",
    "cat x | sh-format | tee y", "printf -v x %s 'rm -rf y'; echo done",
    "echo \"${x//'/'/}\"; ls", "time -f '%e' ls", "bash script.sh -c 'rm -rf y'",
]  # fmt: skip


def refusal(command: str) -> str:
    return Permissions("auto").refusal("bash", {"command": command}, read_only=False)


@pytest.mark.parametrize("command", [*COMPOUND, *WRAPPED, *TOLD, *DIFFERING, *HELD, *HANDED_ON])
def test_a_grave_command_is_seen_though_it_is_not_where_one_looks_first(command: str) -> None:
    assert "nobody is there to ask" in refusal(command)


@pytest.mark.parametrize("command", HARMLESS)
def test_what_only_looks_like_it_runs_unasked(command: str) -> None:
    assert refusal(command) == ""
