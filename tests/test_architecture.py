"""The picture of the rooms shows what is there, and no modules import each other in a circle."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

import todowright
from docs.pictures.rooms import PICTURE, Drawing, between_rooms, cycles, floors, imports
from tests.support import FIVE, call
from todowright import MemoryStore, Plan, TodoWrite


def package(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        path = folder / "house" / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder / "house"


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert cycles(imports()) == set()


def test_the_picture_of_the_rooms_is_the_one_that_would_be_drawn_now() -> None:
    drawn = PICTURE.read_text("utf-8")
    assert drawn == Drawing().svg(), "draw it anew: python -m docs.pictures.rooms"


def test_every_room_stands_in_a_layer() -> None:
    assert floors()[-1] == []


def test_imports_for_types_and_inside_functions_count_and_so_do_relative_ones(
    tmp_path: Path,
) -> None:
    house = package(
        tmp_path,
        attic__top="if TYPE_CHECKING:\n    from house.cellar import wine",
        attic__roof="from . import top\nfrom ..cellar.wine import red",
        cellar__wine="def red():\n    import house.attic.roof, os",
    )
    graph = imports(house)
    assert graph["house.attic.roof"] == {"house.attic.top", "house.cellar.wine"}
    assert cycles(graph) == {
        frozenset(["house.attic.roof", "house.attic.top", "house.cellar.wine"])
    }
    assert between_rooms(graph) == {"attic": {"cellar"}, "cellar": {"attic"}}


def test_modules_that_import_only_downwards_make_no_circle(tmp_path: Path) -> None:
    house = package(
        tmp_path, a="from house import b\nfrom house.c import x", b="import house.c", c=""
    )
    assert cycles(imports(house)) == set()


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (".save(", "tool/revise.py"),
        ("tool.numbering import", "tool/revise.py"),
        ("class Editor", "plan/editing.py"),
        ("plan.rewording import", "plan/matching.py"),
    ],
    ids=["saves", "gives numbers", "edits", "matches"],
)
def test_one_place_makes_revisions(words: str, place: str) -> None:
    folder = Path(todowright.__file__).parent
    found = [
        str(f.relative_to(folder)) for f in folder.rglob("*.py") if words in f.read_text("utf-8")
    ]
    assert [f for f in found if not f.startswith(("stores/", "testing"))] == [place]


@pytest.mark.parametrize("room", ["plan", "stores", "tool"])
def test_the_core_knows_the_types_of_what_it_handles(room: str) -> None:
    folder = Path(todowright.__file__).parent / room
    found = [f.name for f in folder.rglob("*.py") if re.search(r"\bAny\b", f.read_text("utf-8"))]
    assert found == []


PAGE = Path(todowright.__file__).parents[2] / "docs" / "architecture.md"


@pytest.mark.parametrize(
    "room", ["plan", "dialects", "stores", "tool", "formats", "importers", "mcp"]
)
def test_the_page_on_the_architecture_names_every_file_of_a_room(room: str) -> None:
    table = PAGE.read_text("utf-8").partition(f"| `{room}/` | |")[2].partition("\n\n")[0]
    folder = Path(todowright.__file__).parent / room
    files = {path.stem for path in folder.glob("[a-z]*") if path.suffix in ("", ".py")}
    assert files <= set(re.findall(r"`(\w+)/?`", table))


def test_what_the_page_says_to_look_for_is_there() -> None:
    part = PAGE.read_text("utf-8").partition("## Where do I find")[2].partition("Somebody")[0]
    rows = [row.split("|") for row in part.splitlines() if row.startswith("|") and "`" in row]
    assert len(rows) >= 10
    for _, _, places, names, _ in rows:
        paths = [Path(todowright.__file__).parent / each for each in _quoted(places)]
        text = "".join(path.read_text("utf-8") for path in paths if path.is_file())
        text += " ".join(each.name for path in paths if path.is_dir() for each in path.iterdir())
        assert all(each in text for name in _quoted(names) for each in name.split(".", 1)[:1])


def _quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def rooms_changed(work: Callable[[], object]) -> int:
    """How often the work goes from one room into another, there and back. A folder is a room."""
    seen: list[str] = []
    source = str(Path(todowright.__file__).parent)

    def look(frame: FrameType | None) -> None:
        while frame is not None and not frame.f_code.co_filename.startswith(source):
            frame = frame.f_back
        if frame is not None:
            room, *inside = Path(frame.f_code.co_filename).relative_to(source).parts
            if inside and seen[-1:] != [room]:
                seen.append(room)

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            look(frame)
        elif event == "return":
            look(frame.f_back)

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    return len(seen) - 1


@pytest.mark.parametrize("dialect", FIVE)
def test_a_whole_list_changes_rooms_at_most_20_times(dialect: str, tmp_path: Path) -> None:
    todo = TodoWrite(dialect, root=tmp_path, environ={})
    parts = [f"Part {n}" for n in range(10)]
    for rows in (
        parts,
        parts,
        [*parts[:9], "Something else"],
        [*((part, "completed") for part in parts[:9]), "Something else"],
        [f"As 第 {n}" for n in range(10)],
    ):
        arguments = call(dialect, *rows)
        assert rooms_changed(lambda given=arguments: todo(given)) <= 20  # type: ignore[misc]


def test_a_done_call_changes_rooms_at_most_20_times() -> None:
    lean = TodoWrite("lean")
    lean({"steps": [f"Part {n} of it" for n in range(10)]}, tool="plan")
    for steps in (["Part 0 of it"], [2], ["part 2 of it."], ["Part 4 of it", 6, 7]):
        assert rooms_changed(lambda given=steps: lean({"finished": given}, tool="done")) <= 20  # type: ignore[misc]


@pytest.mark.parametrize(
    ("dialect", "tool", "arguments"),
    [
        ("checklist", None, {"items": [{}]}),
        ("envelope", None, {"todos": []}),
        ("shell", None, "{"),
        ("lean", "done", {"step": 9}),
        ("lean", "plan", {"steps": [5]}),
        ("lean", "drop", {"steps": ["dance"]}),
    ],
)
def test_a_refusal_loads_the_plan_once(dialect: str, tool: str | None, arguments: object) -> None:
    class Counting(MemoryStore):
        loads = 0

        def load(self, session: str, agent: str) -> Plan:
            self.loads += 1
            return super().load(session, agent)

    store = Counting()
    todo = TodoWrite(dialect, store=store, environ={})
    assert todo(arguments, tool=tool).is_error
    assert store.loads == 1
