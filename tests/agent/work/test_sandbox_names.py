"""What the user's own git obeys is held while a command runs behind the wall, also where it was missing."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.agent.work.test_sandbox import ran, walled
from todowright.agent import Agent, ScriptedModel
from todowright.agent.work.folder import ToolFault
from todowright.agent.work.sandbox import NoSandbox, Sandbox
from todowright.agent.work.sandbox_names import _held

EVIL = "mkdir -p evil; cp -r .git/. evil/; printf '[core]\\n\\tfsmonitor = \"touch PWNED; false\"\\n' > evil/config; "
BARE = (
    "git init -q --bare x; mv x/* .; rmdir x; git config -f config core.bare false;"
    " git config -f config core.worktree .; git config -f config core.fsmonitor 'touch PWNED; false'"
)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def git(folder: Path, *words: str) -> str:
    names = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}  # fmt: skip
    environ = {**os.environ, **names, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CEILING_DIRECTORIES": str(folder.parent)}  # fmt: skip
    done = subprocess.run(
        ["git", *words], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def repository(folder: Path) -> None:
    git(folder, "init", "-q", "--template=")
    (folder / "a").write_text("a\n")
    git(folder, "add", "a")
    git(folder, "commit", "-qm", "a")


def names(folder: Path) -> list[str]:
    return sorted(str(each.relative_to(folder)) for each in folder.glob("**/*"))


def obeyed(folder: Path) -> bool:
    """Whether the user's git runs what a command left for it."""
    (folder / "PWNED").unlink(missing_ok=True)
    git(folder, "status")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "x", "--allow-empty")
    return (folder / "PWNED").exists()


@walled
@pytest.mark.parametrize(
    "command",
    [
        EVIL + "echo ../evil > .git/commondir",
        EVIL + "echo ../evil > x; mv -f x .git/commondir",
        EVIL + "rm -f .git/commondir; ln -s ../x .git/commondir; echo ../evil > x",
        "mkdir .git/hooks; printf '#!/bin/sh\\ntouch PWNED' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
        "git config --worktree core.fsmonitor 'touch PWNED; false'",
        "mv .git g; cp -r g .git; git config core.fsmonitor 'touch PWNED; false'",
        "rm .git/HEAD; " + BARE,
    ],
)
def test_no_command_has_the_users_git_run_what_it_left(work: Path, command: str) -> None:
    repository(work)
    git(work, "config", "extensions.worktreeConfig", "true")
    ran(work, command)
    assert not obeyed(work)


@walled
@pytest.mark.parametrize(
    "command",
    [
        "git init -q .; git config core.fsmonitor 'touch PWNED; false'",
        "rm -rf .git; rmdir .git; mv .git x; mkdir y; git init -q y; mv y/.git .; git config core.fsmonitor 'touch PWNED; false'",
        "git init -q y; (cd y; git config core.fsmonitor 'touch PWNED; false'); echo 'gitdir: y/.git' > .git",
        BARE,
        BARE + "; chmod 555 .",
    ],
)
def test_no_command_makes_the_work_folder_a_repository(work: Path, command: str) -> None:
    ran(work, command)
    assert not (work / ".git").exists()
    assert not obeyed(work)


@walled
def test_what_was_put_away_is_told_in_one_line(work: Path) -> None:
    told = ran(work, BARE).splitlines()[-1]
    assert told.startswith("[a command made this folder a repository, which is not allowed: HEAD is now HEAD.from-")  # fmt: skip
    assert told.split()[-1].rstrip("]") in names(work)


@walled
def test_a_folder_of_ours_is_not_made_by_a_command(work: Path) -> None:
    ran(work, "mkdir -p .todowright/agent; echo x > .todowright/agent/x.json; mv .todowright t")
    assert names(work) == []


@walled
def test_what_is_held_leaves_nothing_behind_and_git_bears_it(work: Path) -> None:
    repository(work)
    before = names(work)
    ran(work, "true")
    assert names(work) == before
    said = ran(work, "echo b >> a; export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a;"
                     " git commit -qam b && git checkout -q -b other && git gc -q; git status -s; git log --oneline | wc -l")  # fmt: skip
    assert said == "2"
    assert "nothing to commit" in git(work, "status")
    assert git(work, "fsck") == ""


@walled
def test_git_and_we_bear_what_a_killed_command_leaves_and_the_next_one_takes_it_away(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from todowright.agent.work import sandbox_names
    from todowright.cli.place import project_root

    repository(work)
    (work / "sub").mkdir()
    before = names(work)
    with monkeypatch.context() as killed:
        killed.setattr(sandbox_names, "_remove", lambda *_: None)
        ran(work, "true")
        ran(work / "sub", "true")
    assert {".git/commondir", ".git/hooks", "sub/.git", "sub/.todowright"} <= set(names(work))
    assert project_root(str(work / "sub")) == str(work)
    assert git(work, "status", "-s") == ""
    git(work, "commit", "-q", "--allow-empty", "-m", "b")
    assert git(work, "log", "--oneline").count("\n") == 2
    ran(work, "true")
    ran(work / "sub", "true")
    assert {each for each in names(work) if "objects" not in each} - {".git/ORIG_HEAD"} == {each for each in before if "objects" not in each}  # fmt: skip


@walled
def test_commands_at_the_same_time_hold_until_the_last_has_ended(work: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        done = [
            pool.submit(ran, work, f"sleep {0.2 * n}; git init -q . || echo refused")
            for n in range(4)
        ]
        assert all("refused" in each.result() for each in done)
    assert names(work) == []


@walled
def test_what_the_user_makes_meanwhile_stays(work: Path) -> None:
    wall = Sandbox(str(work))
    with wall.holding():
        git(work, "init", "-q")
    assert (work / ".git" / "HEAD").exists()
    assert "No commits yet" in git(work, "status")


@walled
@pytest.mark.parametrize("extension", ["false", "true"])
def test_what_the_users_git_replaces_while_a_command_runs_is_not_left_to_the_command(
    work: Path, extension: str
) -> None:
    repository(work)
    git(work, "config", "extensions.worktreeConfig", extension)
    kind = "--worktree" if extension == "true" else "--local"
    before = (work / ".git" / "config").read_text()
    write = "printf '[core]\\n\\tfsmonitor = touch PWNED; false\\n' >> .git/"
    command = f"touch started; until [ -e go ]; do sleep 0.05; done; {write}config; {write}config.worktree"
    with ThreadPoolExecutor(1) as pool:
        said = pool.submit(ran, work, command)
        while not (work / "started").exists():
            assert not said.done(), said.result()
            time.sleep(0.02)
        git(work, "config", kind, "user.name", "me")
        (work / "go").touch()
        assert "was replaced while the command ran" in said.result(timeout=60)
    assert not obeyed(work)
    assert (work / ".git" / "config").read_text() == before
    (aside,) = (work / ".git").glob("config*.from-a-command-*")
    assert "name = me" in aside.read_text()  # nothing of the user's is lost


@walled
def test_a_folder_that_goes_while_its_names_are_held_is_told(work: Path) -> None:
    with pytest.raises(NoSandbox, match="the folder of"), _held(f"{work}/.git/hooks", []):
        pass


@walled
def test_the_file_of_a_worktree_is_not_led_elsewhere(work: Path) -> None:
    repository(work)
    git(work, "worktree", "add", "-q", "../tree")
    tree, was = work.parent / "tree", (work.parent / "tree/.git").read_text()
    ran(tree, "echo 'gitdir: evil' > .git; rm -f .git; mv .git x")
    assert (tree / ".git").read_text() == was
    listed = names(work / ".git/worktrees")
    ran(work, "echo ../../../evil > .git/worktrees/tree/commondir; mkdir .git/worktrees/x")
    assert names(work / ".git/worktrees") == listed
    assert (work / ".git/worktrees/tree/commondir").read_text() == "../..\n"


def _in_git(work: Path) -> Path:
    (work / ".git" / "sub").mkdir(parents=True)
    return work / ".git" / "sub"


def _in_ours(work: Path) -> Path:
    (work / ".todowright").mkdir()
    return work / ".todowright"


def _bare(work: Path) -> Path:
    git(work, "init", "-q", "--bare")
    return work


def _linked(work: Path) -> Path:
    repository(work)
    (work / ".git/hooks").symlink_to(work)
    return work


def _inside(work: Path) -> Path:
    git(work, "init", "-q", "--separate-git-dir", "inside")
    return work


@walled
@pytest.mark.parametrize("made", [_in_git, _in_ours, _bare, _linked, _inside])
def test_a_folder_that_cannot_be_held_gets_no_wall(
    work: Path, made: Callable[[Path], Path]
) -> None:
    with pytest.raises(NoSandbox, match=r"^no sandbox .*\S$"):
        Sandbox(str(made(work)))


@walled
@pytest.mark.parametrize("name", [".git/config", "sub/.GIT/config", "HEAD", "x/../.git/config"])
def test_with_a_wall_no_tool_writes_what_git_obeys(work: Path, name: str) -> None:
    (work / "x").mkdir()
    repository(work)
    was = (work / ".git/config").read_text()
    tools = Agent(ScriptedModel([]), folder=work, sandbox=True).tools
    with pytest.raises(ToolFault, match="what git obeys is not for tools to write"):
        tools["write_file"].run(name, "x")
    assert (work / ".git/config").read_text() == was
    assert not (work / "HEAD").exists()
