"""The picture of the rooms shows what is there, and no modules import each other in a circle."""

from __future__ import annotations

from pathlib import Path

from docs.pictures.rooms import PICTURE, Drawing, between_rooms, cycles, floors, imports


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
