"""Ways out of the work folder, each refused; what a shell can do is not the folder's matter."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from tests.requirements import requirement
from todowright.agent import Agent, ScriptedModel, events
from todowright.agent.work.folder import ToolFault, WorkFolder

SECRET = "the secret"


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A work folder with links of all kinds, and secrets around it."""
    outside, work = tmp_path / "outside", tmp_path / "work"
    outside.mkdir()
    (outside / "secret.txt").write_text(SECRET)
    (tmp_path / "work-2").mkdir()
    (tmp_path / "work-2" / "secret.txt").write_text(SECRET)
    (work / "sub" / "deep").mkdir(parents=True)
    (work / "inside.txt").write_text("inside")
    links: dict[str, str] = {
        "up": "..",
        "up2": "sub/../..",
        "out": "../outside",
        "absolute": str(outside),
        "file": "../outside/secret.txt",
        "absolute_file": str(outside / "secret.txt"),
        "chain": "chain2",
        "chain2": "out",
        "root": "/",
        "proc": "/proc/self/root",
        "cwd": "/proc/self/cwd",
        "loop": "loop",
        "loop_a": "loop_b",
        "loop_b": "loop_a",
        "dangling": "../outside/new.txt",
        "sub/back": "../../outside",
        "sub/deep/far": "../../../outside/secret.txt",
        "dot": "./../outside",
        "double": "..//outside//",
        "sneaky": f"{work}/../outside",
        "sneaky2": f"{work}-2",
        "home": "~",
        "null": "/dev/null",
        "zero": "/dev/zero",
        "memory": "/proc/self/mem",
        "descriptor": "/dev/fd/0",
    }
    for name, target in links.items():
        (work / name).symlink_to(target)
    return work


NAMES = [
    "../outside/secret.txt",
    "../../../../../../../../etc/passwd",
    "sub/../../outside/secret.txt",
    "sub/deep/../../../outside/secret.txt",
    "./.././outside/secret.txt",
    "sub/./../.././outside/secret.txt",
    "..//outside//secret.txt",
    "nothing/../../outside/secret.txt",
    "inside.txt/../../outside/secret.txt",
    "/etc/passwd",
    "//etc/passwd",
    "{outside}/secret.txt",
    "{work}/../outside/secret.txt",
    "{work}-2/secret.txt",
    "{work}/sub/../../outside/secret.txt",
    "{work}/up/outside/secret.txt",
    "/proc/self/root{outside}/secret.txt",
    "/proc/self/cwd/../outside/secret.txt",
    "/proc/1/environ",
    "/dev/fd/0",
    "/dev/stdin",
    "up/outside/secret.txt",
    "up2/outside/secret.txt",
    "out/secret.txt",
    "absolute/secret.txt",
    "file",
    "absolute_file",
    "chain/secret.txt",
    "root{outside}/secret.txt",
    "proc{outside}/secret.txt",
    "cwd/../outside/secret.txt",
    "loop",
    "loop/x",
    "loop_a",
    "dangling",
    "sub/back/secret.txt",
    "sub/deep/far",
    "dot/secret.txt",
    "double/secret.txt",
    "sneaky/secret.txt",
    "sneaky2/secret.txt",
    "home/.bashrc",
    "null",
    "zero",
    "memory",
    "descriptor",
    "~/.bashrc",
    "~root/.bashrc",
    "$HOME/.bashrc",
    "..\\outside\\secret.txt",
    "%2e%2e/outside/secret.txt",
    "．．/outside/secret.txt",
    "․․/outside/secret.txt",
    "..\u2215outside\u2215secret.txt",
    "..\u200b/outside/secret.txt",
    "..\x00/outside/secret.txt",
    "inside.txt\x00",
    "OUT/secret.txt",
    "file:///etc/passwd",
    "file://{outside}/secret.txt",
    "",
    "/",
    "..",
    ".\x2e",
    "x" * 5000,
    "a/" * 3000 + "b",
    "\ud800",
    "sub/deep/../../..",
    "{work}/..",
    "{work}",
]


def outside(world: Path) -> dict[Path, bytes]:
    """All files around the work folder."""
    around = [world.parent / "outside", world.parent / "work-2"]
    return {
        path: path.read_bytes() for each in around for path in each.rglob("*") if path.is_file()
    }


@requirement("003-8")
@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
@pytest.mark.parametrize("tool", ["read_file", "write_file", "edit_file"])
def test_no_name_leads_out_of_the_work_folder(world: Path, name: str, tool: str) -> None:
    name = name.replace("{outside}", str(world.parent / "outside")).replace("{work}", str(world))
    rest: dict[str, Any] = {
        "read_file": {},
        "write_file": {"content": "overwritten"},
        "edit_file": {"old": SECRET, "new": "changed"},
    }[tool]
    before, etc = outside(world), Path("/etc/passwd").read_bytes()
    agent = Agent(
        ScriptedModel([{"calls": [[tool, {"path": name, **rest}]]}, {"text": "."}]), folder=world
    )

    told = next(e for e in agent.run("Go") if isinstance(e, events.Observation))

    assert SECRET not in told.text
    assert "root:" not in told.text
    assert outside(world) == before
    assert Path("/etc/passwd").read_bytes() == etc
    assert sorted(path.name for path in world.parent.iterdir()) == ["outside", "work", "work-2"]
    if tool == "read_file" and name not in ("", str(world), "home/.bashrc"):
        assert told.is_error, told.text
    assert "\n" not in told.text or tool == "read_file"


def test_links_that_stay_inside_are_followed(world: Path) -> None:
    folder = WorkFolder(world)
    (world / "near").symlink_to("sub/../inside.txt")
    (world / "whole").symlink_to(world / "sub")

    assert folder.read("near") == "inside"
    assert folder.read(f"{world}/inside.txt") == "inside"
    folder.write("near", "new words")
    folder.write("whole/made/here.txt", "text")

    assert (world / "near").is_symlink()
    assert (world / "inside.txt").read_text() == "new words"
    assert (world / "sub" / "made" / "here.txt").read_text() == "text"


def test_a_hard_link_is_cut_by_a_write_and_the_file_outside_stays(world: Path) -> None:
    secret = world.parent / "outside" / "secret.txt"
    os.link(secret, world / "hard.txt")

    WorkFolder(world).write("hard.txt", "mine")

    assert secret.read_text() == SECRET
    assert (world / "hard.txt").read_text() == "mine"


@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_what_is_no_file_is_neither_read_nor_written_nor_waited_for(
    world: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = world / "odd"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        monkeypatch.chdir(world)  # the name of a socket must be short
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("odd")
    folder = WorkFolder(world)

    for use in (lambda: folder.read("odd"), lambda: folder.write("odd", "x")):
        with pytest.raises(ToolFault):
            use()


@contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    """Do something over and over in another thread."""
    stop = threading.Event()

    def repeat() -> None:
        while not stop.is_set():
            work()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_a_folder_that_becomes_a_link_while_the_name_is_walked_does_not_lead_out(
    world: Path,
) -> None:
    folder = WorkFolder(world)
    (world / "moving").mkdir()
    (world / "moving" / "secret.txt").write_text("harmless")
    (world / "link").symlink_to("../outside")
    moves = [("moving", "aside"), ("link", "moving"), ("moving", "link"), ("aside", "moving")]
    read, refused = 0, 0

    with meanwhile(lambda: [(world / old).rename(world / new) for old, new in moves]):
        for turn in range(200_000):  # on a busy machine, threads may take turns seldom
            if turn >= 3000 and read and refused:
                break
            try:
                assert folder.read("moving/secret.txt") == "harmless"
                read += 1
            except ToolFault:
                refused += 1

    assert read
    assert refused


def test_a_link_that_turns_while_it_is_followed_does_not_lead_out(world: Path) -> None:
    folder = WorkFolder(world)
    (world / "fine").mkdir()

    targets = cycle(["fine", "../outside", "fine"])

    def turn() -> None:
        (world / "fresh").symlink_to(next(targets))
        (world / "fresh").replace(world / "turning")

    turn()
    written, refused = 0, 0
    with meanwhile(turn):
        for count in range(100_000):
            if count >= 1500 and written and refused:
                break
            try:
                folder.write("turning/secret.txt", "mine")
                written += 1
            except ToolFault:
                refused += 1

    assert (world.parent / "outside" / "secret.txt").read_text() == SECRET
    assert [path.name for path in (world.parent / "outside").iterdir()] == ["secret.txt"]
    assert written
    assert refused


def test_the_folder_of_the_plans_is_not_for_tools_to_write(world: Path) -> None:
    folder = WorkFolder(world)
    (world / "ours").symlink_to(".todowright")

    (world / ".todowright").mkdir()
    for name in (
        ".todowright/plans.db",
        ".Todowright/x",
        "sub/../.todowright/x",
        "ours/x",
        ".todowright",
    ):
        with pytest.raises(ToolFault, match="not for tools to write"):
            folder.write(name, "x")


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)

    with pytest.raises(ToolFault, match="No space left"):
        WorkFolder(world).write("inside.txt", "half")

    assert (world / "inside.txt").read_text() == "inside"
    assert not list(world.glob(".*.tmp"))


def test_a_file_that_is_not_utf8_is_edited_without_harm(world: Path) -> None:
    (world / "latin.txt").write_bytes(b"caf\xe9 one\r\n")
    run: Callable[..., Any] = Agent(
        ScriptedModel(
            [{"calls": [["edit_file", {"path": "latin.txt", "old": "one", "new": "two"}]]}, {}]
        ),
        folder=world,
    ).run

    list(run("Go"))

    assert (world / "latin.txt").read_bytes() == b"caf\xe9 two\r\n"
