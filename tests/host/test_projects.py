"""The register of a user's projects."""

from __future__ import annotations

import os
import stat
import threading
import time
from pathlib import Path

import pytest

from todowright.host import projects
from todowright.host.projects import note_project, noted_projects


def marks(state: Path) -> dict[str, str]:
    return {each.mark: each.root for each in noted_projects(str(state))}


def made(folder: Path) -> str:
    folder.mkdir(parents=True)
    return str(folder)


def test_a_project_is_called_as_its_folder_and_another_of_that_name_gets_a_number(
    tmp_path: Path,
) -> None:
    state = tmp_path / "state"
    one, two = made(tmp_path / "a" / "api"), made(tmp_path / "b" / "api")
    odd = made(tmp_path / "c" / "~ my.shop!")
    for root in (one, two, odd, one, two):
        note_project(root, str(state))

    assert marks(state) == {"api": one, "api-2": two, "my-shop": odd}
    assert stat.S_IMODE((state / "projects").stat().st_mode) == 0o700
    files = list((state / "projects").iterdir())
    assert [stat.S_IMODE(each.stat().st_mode) for each in files] == [0o600] * 3


def test_a_project_that_is_absent_is_left_out_and_no_other_gets_its_mark(tmp_path: Path) -> None:
    state, root = tmp_path / "state", made(tmp_path / "a" / "api")
    note_project(root, str(state))
    Path(root).rmdir()
    assert marks(state) == {}
    other = made(tmp_path / "b" / "api")
    note_project(other, str(state))
    assert marks(state) == {"api-2": other}
    Path(root).mkdir()
    assert marks(state) == {"api": root, "api-2": other}


def test_a_project_that_is_absent_for_a_month_is_forgotten_and_the_others_keep_their_marks(
    tmp_path: Path,
) -> None:
    state, root = tmp_path / "state", made(tmp_path / "a" / "api")
    other = made(tmp_path / "b" / "api")
    note_project(root, str(state))
    note_project(other, str(state))
    Path(root).rmdir()
    for days, kept in ((29, ["api", "api-2"]), (31, ["api-2"])):
        past = time.time() - days * 24 * 3600
        for entry in (state / "projects").iterdir():
            os.utime(entry, (past, past))
        assert marks(state) == {"api-2": other}
        assert sorted(each.name for each in (state / "projects").iterdir()) == kept
    note_project(other, str(state))
    assert marks(state) == {"api-2": other}


def test_those_that_are_absent_make_room_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projects, "_MOST", 3)
    state = tmp_path / "state"
    for number in range(3):
        note_project(made(tmp_path / f"p{number}"), str(state))
        os.utime(state / "projects" / f"p{number}", (number, number))
    (tmp_path / "p2").rmdir()
    note_project(made(tmp_path / "p3"), str(state))
    assert sorted(marks(state)) == ["p0", "p1", "p3"]


def test_only_so_many_projects_are_kept_and_the_last_used_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projects, "_MOST", 3)
    state = tmp_path / "state"
    for number in range(5):
        note_project(made(tmp_path / f"p{number}"), str(state))
        os.utime(state / "projects" / f"p{number}", (number, number))
    note_project(str(tmp_path / "p3"), str(state))  # used again
    note_project(made(tmp_path / "p5"), str(state))
    assert sorted(marks(state)) == ["p3", "p4", "p5"]


def test_what_is_no_register_of_ours_is_neither_followed_nor_believed(tmp_path: Path) -> None:
    state = tmp_path / "state"
    note_project(made(tmp_path / "api"), str(state))
    secret = tmp_path / "secret"
    secret.write_text(str(tmp_path))
    register = state / "projects"
    (register / "linked").symlink_to(secret)
    (register / "odd").write_bytes(b"not/absolute")
    (register / "nul").write_bytes(b"/\0")
    os.mkfifo(register / "pipe")
    assert list(marks(state)) == ["api"]
    assert secret.exists()


def test_a_register_that_cannot_be_written_fails_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    note_project(made(tmp_path / "api"), str(tmp_path / "file" / "state"))
    assert noted_projects(str(tmp_path / "file" / "state")) == []
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "linked").symlink_to(elsewhere)
    note_project(str(tmp_path / "api"), str(tmp_path / "linked"))
    assert list(elsewhere.iterdir()) == []


def test_many_at_once_leave_one_entry_each(tmp_path: Path) -> None:
    state = tmp_path / "state"
    roots = [made(tmp_path / str(number) / "api") for number in range(8)]
    threads = [threading.Thread(target=note_project, args=(root, str(state))) for root in roots * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(marks(state).values()) == sorted(roots)
