"""Every system call of a save goes wrong once: nothing acknowledged is lost, nothing is half there, and it goes on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ALL = "EIO,ENOSPC,EINTR,short,crash before,crash after,torn,power cut"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that stands between a process and the system."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("it takes Linux and a C compiler to let system calls fail")
    library = tmp_path_factory.mktemp("shim") / "shim.so"
    command = [compiler, "-shared", "-fPIC", "-w", "-o", str(library), str(HERE / "shim.c"), "-ldl"]
    subprocess.run(command, check=True, timeout=120)
    return library


def driven(shim: Path, folder: Path, *arguments: str) -> tuple[dict[str, int], list[str]]:
    """How the attempts ended, and what was violated."""
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "tests.faults.driver",
            str(folder / "x"),
            *arguments,
        ],
        env={**os.environ, "LD_PRELOAD": str(shim)},
        cwd=HERE.parent.parent,
        capture_output=True,
        text=True,
        timeout=3_600,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert lines, done.stderr
    violations = [line for line in lines if line.startswith("VIOLATION")]
    assert bool(done.returncode) == bool(violations), done.stderr
    return json.loads(lines[-1]), violations


def total(ends: dict[str, int], start: str) -> int:
    return sum(count for name, count in ends.items() if name.startswith(start))


@pytest.mark.parametrize("scenario", ["open_store", "with_receipt"])
def test_a_save_survives_a_fault_of_any_kind_at_any_system_call(
    shim: Path, tmp_path: Path, scenario: str
) -> None:
    ends, violations = driven(shim, tmp_path, scenario, ALL)
    assert violations == []
    assert ends["EIO: refused"] > 5
    assert total(ends, "EIO: acknowledged") == 2  # those behind the last call, once and lasting
    assert total(ends, "short: refused") == 0
    assert ends["crash after: died"] > 5


@pytest.mark.parametrize("scenario", ["closed_store", "with_checkpoint", "of_schema_1"])
def test_opening_upgrading_and_checkpointing_survive_faults(
    shim: Path, tmp_path: Path, scenario: str
) -> None:
    ends, violations = driven(shim, tmp_path, scenario, "ENOSPC,crash before,power cut", "7")
    assert violations == []
    assert total(ends, "crash before: died") > 2


def test_a_power_cut_that_takes_back_what_was_not_synced_is_seen(
    shim: Path, tmp_path: Path
) -> None:
    """The proof that these tests would find it: a connection that does not sync loses what it acknowledged."""
    _, violations = driven(shim, tmp_path, "careless", "power cut")
    assert any("acknowledged, and '2' stands" in line for line in violations)


@pytest.mark.soak
@pytest.mark.parametrize(
    "scenario",
    [
        "closed_store",
        "first_save",
        "with_checkpoint",
        "of_schema_1",
        "pruning",
        "backing_up",
        "restoring",
    ],
)
def test_every_fault_at_every_system_call(shim: Path, tmp_path: Path, scenario: str) -> None:
    ends, violations = driven(shim, tmp_path, scenario, ALL)
    print(f"{scenario}: {sum(ends.values())} faults, {ends}")
    assert violations == []
