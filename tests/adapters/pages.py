"""The example of a framework runs, and so does the code of its pages, in both languages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.driver import Driver

ROOT = Path(__file__).parents[2]
NAME = os.environ.get("FRAMEWORK", "")


def test_the_example_plays_its_script_and_the_guard_has_it_finish() -> None:
    file = ROOT / "examples" / f"with_{NAME}.py"
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, str(file)], env=environ, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "created, started: Read sums.py",
        "created: Explain the fix",
        "completed: Read sums.py",
        "started: Explain the fix",
        "completed: Explain the fix",
        "add subtracts: write a + b.",
    ]


@pytest.mark.parametrize("page", [f"docs/adapters/{NAME}.md", f"docs/zh/adapters/{NAME}.md"])
def test_every_block_of_the_page_runs(
    page: str, driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = re.findall(
        r"^```py\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert found
    for code in found:
        exec(compile(code, page, "exec"), {"__name__": "page", **driver.given_to_pages()})


def test_the_plan_is_there_in_three_lines_beside_the_import() -> None:
    """The object, and where it goes: the first block marks them."""
    text = (ROOT / f"docs/adapters/{NAME}.md").read_text("utf-8")
    first = re.findall(r"^```py\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[0]
    marked = [line for line in first.splitlines() if "# +" in line]
    added = [line for line in marked if not line.startswith("from ")]
    assert 1 <= len(added) <= 3, added
