"""Draws the rooms of the package: `python -m docs.pictures.rooms`.

The floors are the layers of the import-linter contract in pyproject.toml. What a room imports is read
from the source, so the picture shows what is, not what was meant; an import upwards is drawn in red.
"""

from __future__ import annotations

import ast
import re
import textwrap
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "todowright"
PICTURE = Path(__file__).parent / "rooms.svg"
Graph = dict[str, set[str]]

WIDTH, EDGE, GAP, PAD = 920, 20, 10, 16
NOTE = "A room imports only from the floors below it. The pills are its real imports."
BROKEN = "Red pills break the rule: a room imports only from the floors below it."
STYLE = """
text { font: 13px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #424a53; }
.name { font: bold 16px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1f2328; }
.chip { font: 11px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; }
.small { font-size: 11px; fill: #656d76; }
.paper { fill: #f6f8fa; } .room { fill: #ffffff; stroke: #d1d9e0; } .pill { fill: #eff2f5; }
.astray { stroke-dasharray: 5 4; } .mark { fill: hsl(var(--hue) 60% 46%); }
@media (prefers-color-scheme: dark) {
text { fill: #b7bdc8; } .name { fill: #f0f6fc; } .small { fill: #9198a1; }
.paper { fill: #0d1117; } .room { fill: #161b22; stroke: #3d444d; } .pill { fill: #262c36; }
.mark { fill: hsl(var(--hue) 62% 66%); }
}
.up { fill: #cf222e; } text.up, .up + .mark { fill: #ffffff; }
"""


def imports(package: Path = PACKAGE) -> Graph:
    """What each module imports of the package, also under TYPE_CHECKING and inside functions."""
    files = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        files[".".join(parts).removesuffix(".__init__")] = path
    return {module: set(_imported(module, path, files)) for module, path in files.items()}


def _imported(module: str, path: Path, files: dict[str, Path]) -> Iterator[str]:
    parents = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom):
            above = parents[: len(parents) - node.level + 1] if node.level else []
            home = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{home}.{alias.name}"
                yield from {inner if inner in files else home} & files.keys()


def cycles(graph: Graph) -> set[frozenset[str]]:
    """The modules that import each other, directly or through others, in groups."""
    reach = {module: _reached(graph, module) for module in graph}
    return {
        frozenset(other for other in reach[module] if module in reach[other])
        for module in graph
        if module in reach[module]
    }


def _reached(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def floors() -> list[list[str]]:
    """The layers of the contract, from the top; last, what stands in none."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    found = [re.findall(r"\w+", layer) for layer in layers]
    known = {name for floor in found for name in floor}
    there = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or _is_room(path)}
    return [*found, sorted(there - known - {"__init__", "__main__"})]


def _is_room(path: Path) -> bool:
    return (path / "__init__.py").exists()


def between_rooms(graph: Graph) -> Graph:
    """What each room imports of the others; the top of the package is no room."""
    found: Graph = {}
    for module, targets in graph.items():
        for room, target in ((_room(module), _room(target)) for target in targets):
            if room and target and room != target:
                found.setdefault(room, set()).add(target)
    return found


def _room(module: str) -> str:
    return [*module.split("."), ""][1]


def sentence(room: str) -> str:
    """The first sentence of the room's docstring."""
    folder = PACKAGE / room
    path = folder / "__init__.py" if _is_room(folder) else folder.with_suffix(".py")
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return re.split(r"(?<=\.)\s", text.replace("`", ""), maxsplit=1)[0]


class Drawing:
    """The picture as it grows, floor by floor from the top."""

    def __init__(self) -> None:
        self.floors = floors()
        self.uses = between_rooms(imports())
        self.order = [room for floor in self.floors for room in floor]
        self.level = {room: n for n, floor in enumerate(self.floors) for room in floor}
        self.parts: list[str] = []
        self.y = 58.0

    def svg(self) -> str:
        for floor in filter(None, self.floors):
            self._floor(floor)
        height = self.y + EDGE - GAP
        note = BROKEN if any('class="pill up"' in part for part in self.parts) else NOTE
        title = "The rooms of todowright: each imports only from the floors below it"
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{title}">',
                f"<style>{STYLE}</style>",
                '<rect class="paper" width="100%" height="100%" rx="12"/>',
                f'<text class="name" x="{EDGE}" y="36">todowright</text>',
                f'<text class="small" x="{WIDTH - EDGE}" y="35" text-anchor="end">{note}</text>',
                *self.parts,
                "</svg>\n",
            ]
        )

    def _floor(self, floor: list[str]) -> None:
        width = (WIDTH - 2 * EDGE - GAP * (len(floor) - 1)) / len(floor)
        drawn = [self._room(room, EDGE + n * (width + GAP), width) for n, room in enumerate(floor)]
        height = max(bottom for bottom, _ in drawn) - self.y
        for n, (room, (_, parts)) in enumerate(zip(floor, drawn, strict=True)):
            x = EDGE + n * (width + GAP)
            astray = " astray" if floor is self.floors[-1] else ""
            self.parts += [
                f'<g style="--hue: {self._hue(room)}">',
                f'<rect class="room{astray}" x="{x:.1f}" y="{self.y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="8"/>',
                f'<rect class="mark" x="{x:.1f}" y="{self.y + 8:.1f}" width="4" height="{height - 16:.1f}" rx="2"/>',
                *parts,
                "</g>",
            ]
        self.y += height + GAP

    def _room(self, room: str, x: float, width: float) -> tuple[float, list[str]]:
        """The inside of a room, and where it ends: name, sentence, imports."""
        left, y = x + PAD, self.y + 25
        folder = "/" if _is_room(PACKAGE / room) else ".py"
        parts = [f'<text class="name" x="{left:.1f}" y="{y:.1f}">{room}{folder}</text>']
        beside = len(room + folder) * 10 + 14
        alone = width > WIDTH / 2
        start, y = (left + beside, y) if alone else (left, y + 20)
        for line in textwrap.wrap(sentence(room), int((x + width - PAD - start) / 6.45)):
            parts.append(f'<text x="{start:.1f}" y="{y:.1f}">{escape(line)}</text>')
            y += 18
        return self._pills(room, left, x + width - PAD, y - 6, parts)

    def _pills(
        self, room: str, left: float, right: float, y: float, parts: list[str]
    ) -> tuple[float, list[str]]:
        used = sorted(self.uses.get(room, ()), key=self.order.index)
        x = left
        for other in used:
            width = len(other) * 6.7 + 26
            if x + width > right:
                x, y = left, y + 25
            up = " up" if self.level[other] <= self.level[room] else ""
            parts.append(
                f'<g style="--hue: {self._hue(other)}"><rect class="pill{up}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="20" rx="10"/>'
                f'<circle class="mark" cx="{x + 11:.1f}" cy="{y + 10:.1f}" r="4"/>'
                f'<text class="chip{up}" x="{x + 19:.1f}" y="{y + 14:.1f}">{other}</text></g>'
            )
            x += width + 6
        return y + (31 if used else 4), parts

    def _hue(self, room: str) -> int:
        return (285 + 37 * self.order.index(room)) % 360


def rooms(name: str = PICTURE.name) -> None:
    """Draw the rooms."""
    PICTURE.with_name(name).write_text(Drawing().svg(), "utf-8")


if __name__ == "__main__":
    rooms()
