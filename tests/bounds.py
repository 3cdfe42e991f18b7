"""What hostile input may take of a process: processor time for each piece of it, and memory in all.

Processor time does not grow when the machine is busy. Where the system does not tell, nothing is judged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import process_time

SECONDS = 2.0
MEGABYTES = 300


def most_memory(process: int | str = "self") -> float:
    """The most megabytes that a process ever had."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def processor_seconds(process: int) -> float:
    """The processor time that a process has taken."""
    try:
        behind_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(behind_name[11]) + int(behind_name[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def bounded(seconds: float = SECONDS, megabytes: float = MEGABYTES) -> Iterator[None]:
    """Fail if what is done here takes more than that of this process."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # forget the peaks of before
    memory, start = most_memory(), process_time()
    yield
    assert process_time() - start < seconds
    assert most_memory() - memory < megabytes
