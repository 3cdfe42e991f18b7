"""Worktrees of one repository: a store each, or one for all by the repository's own setting."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from todowright.cli.place import store_url


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    first, second = tmp_path / "parser", tmp_path / "parser-fix"

    def git(*command: str) -> None:
        own = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(first), *command]
        subprocess.run(own, check=True, capture_output=True)

    first.mkdir()
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "first")
    git("worktree", "add", "-q", str(second))
    return first, second


def test_a_worktree_has_a_store_of_its_own_unless_the_repository_lets_them_share(
    trees: tuple[Path, Path],
) -> None:
    first, second = trees
    inner = second / "src"
    inner.mkdir()
    assert store_url({}, str(inner)) == f"sqlite:///{second}/.todowright/plans.db"
    setting = ["git", "-C", str(second), "config", "todowright.worktrees"]
    subprocess.run([*setting, "share"], check=True)
    for folder in (first, second, inner):
        assert store_url({}, str(folder)) == f"sqlite:///{first}/.todowright/plans.db"
    subprocess.run([*setting, "own"], check=True)
    assert store_url({}, str(inner)) == f"sqlite:///{second}/.todowright/plans.db"


@pytest.mark.parametrize("told", ["", "gitdir:", "gitdir: /nowhere/.git/worktrees/x", "\0"])
def test_a_file_of_git_that_makes_no_sense_changes_nothing(tmp_path: Path, told: str) -> None:
    (tmp_path / ".git").write_text(told, "utf-8")
    assert store_url({}, str(tmp_path)) == f"sqlite:///{tmp_path}/.todowright/plans.db"
    assert [each.name for each in tmp_path.iterdir()] == [".git"]


def test_a_file_of_git_that_was_handed_over_makes_no_store_of_another_project_ones_own(
    trees: tuple[Path, Path], tmp_path: Path
) -> None:
    first, second = trees
    setting = ["git", "-C", str(first), "config", "todowright.worktrees", "share"]
    subprocess.run(setting, check=True)
    for named in ("made-up", second.name):  # one that is not there, and one that is another folder
        theirs = tmp_path / f"unpacked-{named}"
        theirs.mkdir()
        (theirs / ".git").write_text(f"gitdir: {first}/.git/worktrees/{named}\n", "utf-8")
        assert store_url({}, str(theirs)) == f"sqlite:///{theirs}/.todowright/plans.db"
