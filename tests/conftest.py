from __future__ import annotations

import os
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.soaking import soaked

IN_CI = os.environ.get("CI") == "true"

signal.signal(signal.SIGINT, signal.default_int_handler)
"""A run in the background has it ignored, and so would every process that a test starts and stops by it."""

settings.register_profile(
    "suite",
    deadline=None,
    max_examples=int(os.environ.get("EXAMPLES", "100")),
    derandomize=IN_CI,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("suite")

SLOW = (
    "agent/test_",  # whole runs of the agent, each with a provider's server; not agent/work
    "cli/test_commands.py",
    "mcp/",
    "shell/test_bounds.py",
    "shell/test_interrupts.py",
    "stores/test_postgres.py",
    "test_hostile_sizes.py",
    "web/",
)
"""What is slow as a whole: `make check` leaves it out. Other slow tests have the mark `slow` themselves."""


BROWSERS = {"chromium", "firefox"}
SHARED = {"server", "served", "built"}
"""What takes seconds to start and serves the tests of a file: they run in one process, so that it starts once."""


@pytest.fixture(autouse=True, scope="session")
def _own_data(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A folder for the user's data that is not the user's: also for the processes that tests start."""
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.mktemp("data"))
    os.environ["TODOWRIGHT_STATE"] = str(tmp_path_factory.mktemp("state"))
    os.environ["TODOWRIGHT_LINGER"] = "10"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands in a slow folder or file, and share the tests out among processes."""
    here = Path(__file__).parent
    for item in items:
        inside = item.path.is_relative_to(here)
        if inside and item.path.relative_to(here).as_posix().startswith(SLOW):
            item.add_marker(pytest.mark.slow)
    share_out(items)


def share_out(items: list[pytest.Item]) -> None:
    """Tests with a browser run in two processes, and first: four browsers at once are slower than two."""
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    loads = {"browser-1": 0, "browser-2": 0}
    for path, tests in sorted(files.items(), key=lambda file: -len(file[1])):
        used = {name for test in tests for name in getattr(test, "fixturenames", ())}
        if used & BROWSERS:
            group = min(loads, key=lambda name: loads[name])
            loads[group] += len(tests)
        elif used & SHARED:
            group = path.stem
        else:
            continue
        for test in tests:
            test.add_marker(pytest.mark.xdist_group(group))
    groups = [item.get_closest_marker("xdist_group") for item in items]
    order = {
        id(item): mark.args[0] if mark else "~" for item, mark in zip(items, groups, strict=True)
    }
    items.sort(key=lambda item: order[id(item)])


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what a soak did, where there was one."""
    reports = [each for kind in ("passed", "failed") for each in terminalreporter.getreports(kind)]
    lines = soaked(reports)
    if lines:
        terminalreporter.section("what the soak did")
        for line in lines:
            terminalreporter.line(line)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a skipped test is a failed one."""
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, but nothing may be skipped in CI: {report.longrepr}"
    return report
