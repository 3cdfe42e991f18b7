"""What the adapters say without their frameworks: which package is missing, and which part is not possible."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from todowright import TodoWrite
from todowright.adapters.frameworks import (
    FRAMEWORKS,
    PARTS,
    Framework,
    MissingPart,
    needed,
    say_what_is_missing,
)
from todowright.adapters.shapes import CLAUDE, LANGCHAIN, PYDANTIC_AI_TODO

SOURCE = Path(__file__).parents[2] / "src"


def installed(row: Framework) -> bool:
    try:
        version(row.package)
    except PackageNotFoundError:
        return False
    return True


LOOK = """
import sys
from importlib import import_module
sys.path[:] = [path for path in sys.path if "site-packages" not in path]
sys.path[:0] = [sys.argv[1], sys.argv[2]]
for name in sys.argv[3:]:
    try:
        import_module(f"todowright.adapters.{name}")
    except ImportError as error:
        print(error)
"""


def test_a_package_that_is_missing_or_too_old_gives_one_line(tmp_path: Path) -> None:
    def said() -> list[str]:
        names = [row.name for row in FRAMEWORKS]
        command = [sys.executable, "-I", "-c", LOOK, str(SOURCE), str(tmp_path), *names]
        return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()

    ends = [
        f"todowright needs {row.least} or newer: pip install -U 'todowright[{row.extra}]'"
        for row in FRAMEWORKS
    ]
    both = list(zip(FRAMEWORKS, ends, strict=True))
    assert said() == [f"{row.package} is missing: {end}" for row, end in both]
    for package in {row.package for row in FRAMEWORKS}:
        old = tmp_path / f"{package.replace('-', '_')}-0.0.9.dist-info"
        old.mkdir()
        told = f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.0.9\n"
        (old / "METADATA").write_text(told)
    assert said() == [f"{row.package} 0.0.9 is too old: {end}" for row, end in both]


@pytest.mark.parametrize("row", FRAMEWORKS, ids=lambda row: row.name)
def test_each_part_is_there_or_says_what_is_not_possible(row: Framework) -> None:
    for part in (*PARTS, "plain", "compaction"):
        kind, _, why = str(getattr(row, part)).partition(": ")
        assert kind == "yes" or (kind in ("partly", "no") and why), part


def test_what_a_framework_cannot_do_is_said_when_an_adapter_is_made() -> None:
    row = Framework(
        "f", "F", "f", "f", "1", tail="no: it keeps all that is sent", guard="partly: in `run`"
    )
    told = (
        "F has no place for the plan at the end of each request, never in the history: "
        "it keeps all that is sent. If you know: without=\\['tail'\\]"
    )
    with pytest.warns(MissingPart, match=told) as said:
        say_what_is_missing(row)
    assert len(said) == 1
    say_what_is_missing(row, without=["tail"])
    with pytest.raises(ValueError, match="no part is called 'tale': use tail, guard"):
        say_what_is_missing(row, without=["tale"])


def test_a_package_that_is_there_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = FRAMEWORKS[0]
    info = tmp_path / f"{row.package}-99.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {row.package}\nVersion: 99.1rc1\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert needed(row.name) is row


@pytest.mark.parametrize("row", FRAMEWORKS, ids=lambda row: row.name)
def test_where_the_framework_is_installed_the_adapter_can_be_imported(row: Framework) -> None:
    if installed(row):
        import_module(f"todowright.adapters.{row.name}")
    else:
        with pytest.raises(ImportError, match=f"^{row.package} is missing"):
            import_module(f"todowright.adapters.{row.name}")


def test_the_tools_that_models_know_keep_their_names_and_arguments() -> None:
    for shape, name, fields in (
        (LANGCHAIN, "write_todos", ["content", "status"]),
        (PYDANTIC_AI_TODO, "write_todos", ["content", "status", "active_form"]),
        (CLAUDE, "TodoWrite", ["content", "status", "activeForm"]),
    ):
        (tool,) = TodoWrite(shape).tools
        item = tool.input_schema["properties"]["todos"]["items"]
        assert (tool.name, list(item["properties"])) == (name, fields)
        assert name in TodoWrite(shape).prompt
    several = [{"content": name, "status": "in_progress"} for name in ("A", "B")]
    assert not TodoWrite(LANGCHAIN)({"todos": several}).is_error
    assert not TodoWrite(PYDANTIC_AI_TODO)(
        {"todos": [{"content": "A", "active_form": "Aing"}]}
    ).is_error
