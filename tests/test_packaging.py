"""The distributions, and the lists of pinned packages."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from todowright.adapters.frameworks import FRAMEWORKS

ROOT = Path(__file__).parents[1]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
APART = sorted((ROOT / "requirements" / "adapters").glob("*.txt"))
"""Each framework has an environment of its own, and the versions that it wants."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both distributions, built as an installer builds them."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def metadata(built: Path) -> Message:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


def brought(metadata: Message, extra: str) -> set[str]:
    """The packages that an extra brings; without a name, those that are always needed."""
    mark = f"extra == '{extra}'" if extra else ""
    found = set()
    for line in metadata.get_all("Requires-Dist", []):
        package, _, condition = line.partition(";")
        if condition.strip() == mark:
            found.add(re.split(r"[^\w-]", package)[0])
    return found


def test_the_core_needs_nothing_and_each_extra_brings_all_its_commands_need(
    metadata: Message,
) -> None:
    people = {"rich", "shtab"}  # the commands for people and `completion`
    assert brought(metadata, "") == set()
    assert brought(metadata, "cli") == people
    assert brought(metadata, "agent") == people | {"anthropic", "openai"}
    assert brought(metadata, "serve") == people | {"mcp", "starlette", "uvicorn"}
    assert brought(metadata, "postgres") == {"psycopg"}
    parts = ("agent", "postgres", "serve")
    assert brought(metadata, "all") == set().union(*(brought(metadata, part) for part in parts))


def test_every_hint_names_an_extra_that_there_is(metadata: Message) -> None:
    extras = set(metadata.get_all("Provides-Extra", []))
    adapters = {row.extra for row in FRAMEWORKS}
    assert extras == {"agent", "all", "cli", "postgres", "serve", "testing"} | adapters
    for row in FRAMEWORKS:
        wanted = [
            need
            for need in metadata.get_all("Requires-Dist", [])
            if need.endswith(f"extra == '{row.extra}'")
        ]
        assert wanted[0].startswith(f"{row.package}>={row.least};")
    for file in [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]:
        for named in re.findall(r"todowright\[([\w,-]+)\]", file.read_text("utf-8")):
            assert set(named.split(",")) <= extras, file


def test_the_page_of_the_package_has_no_link_into_the_repository(metadata: Message) -> None:
    page = str(metadata.get_payload())
    assert re.findall(r"\]\((?!https?:|#)", page) == []
    assert "*Picture in the source: " in page
    assert "(`docs/integrate.md`)" in page


def test_the_source_distribution_holds_all_that_a_checkout_needs(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    for folder in ("src", "tests", "docs", "bench", "requirements"):
        kept = {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert kept - names == set()
    assert {"Makefile", "pyproject.toml", "LICENSE", "CHANGELOG.md", ".ci/run"} <= names


@pytest.mark.parametrize("lock", [*LOCKS, *APART], ids=lambda path: path.stem)
def test_every_pin_has_hashes_and_no_list_names_where_packages_come_from(lock: Path) -> None:
    text = lock.read_text("utf-8")
    assert "://" not in text
    for pin in text.replace("\\\n", " ").splitlines():
        assert re.match(
            r"[\w.-]+(\[[\w, -]+\])?==[\w.]+( ; [^\\]+?)?( +--hash=sha256:[0-9a-f]{64})+$", pin
        ), pin


def test_extras_are_pinned_with_their_packages_else_pip_asks_for_the_newest_release() -> None:
    compiled = re.findall(
        r"uv pip compile.*?\$\$name\.txt", (ROOT / "Makefile").read_text(), re.DOTALL
    )
    assert len(compiled) == 2
    assert all("--no-strip-extras" in command for command in compiled)
    assert "sqlalchemy[asyncio]==" in (ROOT / "requirements/adapters/llama_index.txt").read_text()


def test_a_package_is_pinned_to_one_version_in_all_lists() -> None:
    pins: dict[str, set[str]] = {}
    for lock in LOCKS:
        for name, version in re.findall(
            r"^([\w.-]+)(?:\[[^\]]+\])?==(\S+)", lock.read_text("utf-8"), re.MULTILINE
        ):
            pins.setdefault(name, set()).add(version)
    assert {name: found for name, found in pins.items() if len(found) > 1} == {}
    assert {lock.stem for lock in LOCKS} == {
        path.stem for path in (ROOT / "requirements").glob("*.in")
    }
