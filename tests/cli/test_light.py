"""What a process loads that an agent starts for every plan: it must start fast."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import call

MOST_MODULES = 58
"""Of ours: to find, read and run one takes longer than to keep a plan in memory."""
NEEDLESS = {"ast", "dis", "tokenize", "linecache", "asyncio", "logging", "argparse", "pathlib",
            "subprocess", "shutil", "tempfile", "importlib.metadata", "rich"}  # fmt: skip
if sys.version_info >= (3, 13):  # which loads it for every `-c`
    NEEDLESS -= {"linecache"}


def ran(folder: Path, code: str, *arguments: str) -> str:
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TODOWRIGHT_STORE": f"sqlite:///{folder}/plans.db",
    }
    done = subprocess.run(
        # without the modules that other packages have every process load
        [sys.executable, "-S", "-c", code, *arguments],
        env=environ, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout


def test_a_plan_typed_in_a_shell_loads_little(tmp_path: Path) -> None:
    code = (
        "import sys; from todowright.cli.todowrite import main; assert main() == 0; "
        "from types import ModuleType; "
        "print(*(name for name, it in sys.modules.items() if type(it) is ModuleType))"
    )
    given = json.dumps(call("shell", "Write the parser", "Write the tests"))
    for _ in range(2):  # the first makes the file
        loaded = set(ran(tmp_path, code, given).splitlines()[-1].split())
        assert loaded & {*NEEDLESS, "inspect"} == set()
        ours = sorted(name for name in loaded if name.startswith("todowright"))
        assert len(ours) <= MOST_MODULES, ours


def test_the_library_loads_little() -> None:
    code = "import sys; from todowright import TodoWrite; print(*sys.modules)"
    loaded = set(ran(Path("/nonexistent"), code).split())
    assert loaded & (NEEDLESS - {"ast", "dis", "tokenize", "linecache"}) == set()
    assert "sqlite3" not in loaded
    assert len([name for name in loaded if name.startswith("todowright")]) <= 40


@pytest.mark.parametrize(
    "use",
    [
        "str(inspect.signature(lambda a, b: None)) == '(a, b)'",
        "inspect.isfunction(print) is False",
        "inspect.__file__.endswith('inspect.py')",
        "inspect.get_annotations(Path) == {}",
        "inspect.get_annotations(Named) == {'name': 'str'}",
        "inspect.get_annotations(Named, eval_str=True) == {'name': str}",
        "inspect.get_annotations(function) == {'a': 'int'}",
        "repr(Undocumented(1)) == 'Undocumented(a=1)'",
        "Undocumented.__doc__ == \"Undocumented(a: 'int')\"",
    ],
)
def test_what_needs_the_module_that_was_left_out_finds_it(tmp_path: Path, use: str) -> None:
    code = (
        "from __future__ import annotations\n"
        "from todowright.cli.light import start_light; start_light()\n"
        "import inspect\nfrom dataclasses import dataclass\nfrom pathlib import Path\n"
        "class Named: name: str\n"
        "def function(a: int): pass\n"
        "@dataclass\nclass Undocumented: a: int\n"
        f"assert {use}\n"
        f"import inspect\nassert {use}\n"
    )
    assert ran(tmp_path, code) == ""
