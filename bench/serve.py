"""The server under load: many sessions, writers and viewers, on one machine.

    python -m bench.serve [--seconds 60] [--sessions 1000] [--writers 50] [--viewers 200]

Writers are threads of four processes that move plans in the store; viewers hold a stream each and
check that no number is missing. At the end every acknowledged write must be a revision.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from todowright import TodoWrite
from todowright.stores import open_store

PROCESSES = 4
HELLO, NUMBERS = re.compile(rb"id: (\d+)\nevent: hello"), re.compile(rb"id: (\d+)\nevent: plan\n")
TIMES = re.compile(rb'"updated_at": "([^"]+)"')
STEPS = [f"Step {n}" for n in range(1, 9)]


def write(
    url: str, sessions: list[str], writers: int, seconds: float, pause: float, out: Any
) -> None:
    """Move the plans of these sessions from several threads; how many writes each plan acknowledged."""
    store = open_store(url)
    counts: dict[str, int] = {}
    lock = threading.Lock()
    end = time.monotonic() + seconds

    def work(seed: int) -> None:
        chance = random.Random(f"{os.getpid()} {seed}")
        while time.monotonic() < end:
            session = chance.choice(sessions)
            todo = TodoWrite("lean", store=store, session=session)
            number = chance.randrange(1, 9)
            reply = todo({"now": number}, tool="plan")
            if not reply.is_error and not reply.text.startswith("No change."):
                with lock:
                    counts[session] = counts.get(session, 0) + 1
            time.sleep(pause)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    out.put(counts)


async def view(port: int, token: str, seconds: float, seen: dict[str, Any]) -> None:
    """Hold a stream; note gaps, a connection that was closed, and how late events come."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**22)
    head = f"GET /api/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\r\n"
    writer.write(head.encode())
    count, data, first = 0, b"", None
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            part = await asyncio.wait_for(reader.read(2**20), max(0.1, end - time.monotonic()))
            if not part:
                seen["dropped"] += 1
                return
            data += part
            if first is None and (hello := HELLO.search(data)):
                first = int(hello[1])
            count += data.count(b"event: plan\n")
            if random.random() < 0.02 and (times := TIMES.findall(data)):
                moment = datetime.fromisoformat(times[-1].decode())
                seen["late"].append((time.time() - moment.timestamp()) * 1000)
            numbers = NUMBERS.findall(data)
            seen["last"] = int(numbers[-1]) if numbers else seen["last"]
            cut = data.rfind(b"\n\n")
            if cut >= 0:  # a record that is not whole yet is looked at again
                count -= data[cut:].count(b"event: plan\n")
                data = data[cut:]
    except TimeoutError:
        pass
    finally:
        writer.close()
    seen["events"] += count
    seen["gaps"] += first is not None and seen["last"] - first != count


def views(port: int, token: str, viewers: int, seconds: float, out: Any) -> None:
    seen: dict[str, Any] = {"gaps": 0, "dropped": 0, "events": 0, "late": [], "last": 0}

    async def main() -> None:
        await asyncio.gather(*[view(port, token, seconds, seen) for _ in range(viewers)])

    asyncio.run(main())
    out.put(seen)


def memory(pid: int) -> int:
    """Resident memory, in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) // 1024 if found else 0


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.serve", description="The server under load"
    )
    for name, default in (("seconds", 60), ("sessions", 1000), ("writers", 50), ("viewers", 200)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument(
        "--pause", type=float, default=0.5, help="seconds between two writes of a writer"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(options, folder)


def run(options: Any, folder: str) -> None:
    url = f"sqlite:///{folder}/plans.db"
    names = [f"session-{n:04}" for n in range(options.sessions)]
    store = open_store(url)
    for name in names:
        TodoWrite("lean", store=store, session=name)({"steps": STEPS}, tool="plan")
    command = [sys.executable, "-m", "todowright", "serve", "--port", "0", "--store", url]
    environ = {**os.environ, "XDG_DATA_HOME": folder}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder, env=environ)
    assert server.stdout is not None
    found = re.search(r":(\d+)/", server.stdout.readline())
    assert found
    port = int(found[1])
    made = [sys.executable, "-m", "todowright", "token", "new", "bench", "--scope", "read"]
    token = subprocess.check_output(made, text=True, env=environ).strip()
    time.sleep(1)
    wrote: Any = multiprocessing.Queue()
    saw: Any = multiprocessing.Queue()
    viewing = multiprocessing.Process(
        target=views, args=(port, token, options.viewers, options.seconds + 4, saw)
    )
    viewing.start()
    time.sleep(2)
    each = options.writers // PROCESSES + (options.writers % PROCESSES > 0)
    jobs = [
        multiprocessing.Process(
            target=write, args=(url, names, each, options.seconds, options.pause, wrote)
        )
        for _ in range(PROCESSES)
    ]
    for job in jobs:
        job.start()
    sizes = []
    for _ in range(max(2, options.seconds // 5)):
        sizes.append(memory(server.pid))
        time.sleep(5)
    counts: dict[str, int] = {}
    for _ in jobs:
        for name, count in wrote.get().items():
            counts[name] = counts.get(name, 0) + count
    seen = saw.get()
    for job in [*jobs, viewing]:
        job.join()
    lost = sum(abs(store.load(name, "main").revision - 1 - counts.get(name, 0)) for name in names)
    server.terminate()
    server.communicate()
    report(options, counts, seen, lost, sizes)


def report(
    options: Any, counts: dict[str, int], seen: dict[str, Any], lost: int, sizes: list[int]
) -> None:
    writes = sum(counts.values())
    late = sorted(seen["late"]) or [0.0]
    print(f"{options.sessions:,} sessions, {each_of(options)} for {options.seconds} s")
    print(f"writes acknowledged {writes:,} ({writes / options.seconds:,.0f} a second), lost {lost}")
    print(f"events seen {seen['events']:,}, gaps {seen['gaps']}, viewers dropped {seen['dropped']}")
    print(
        f"from a write to a viewer: median {statistics.median(late):.0f} ms, 95 % {late[int(len(late) * 0.95)]:.0f} ms"
    )
    print(f"memory of the server, MB: {json.dumps(sizes)}")


def each_of(options: Any) -> str:
    return f"{options.writers} writers, {options.viewers} viewers"


if __name__ == "__main__":
    main()
