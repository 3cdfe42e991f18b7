"""A process that dies in the middle of a run, for the situation of the new process."""

from __future__ import annotations

import os
from importlib import import_module

from tests.adapters.driver import Script, Turn


def main() -> None:
    driver = import_module(f"tests.adapters.drivers.{os.environ['FRAMEWORK']}").DRIVER
    turns: list[Turn] = [
        [("plan", {"steps": ["Read", "Fix"]})],
        [("done", {"finished": ["Read"]})],
        "Never said.",
    ]
    import warnings

    warnings.simplefilter("ignore")
    plan = driver.make(os.environ["STORE"])
    driver.run(plan, Script(turns, at_request={2: lambda: os._exit(7)}))


if __name__ == "__main__":
    main()
