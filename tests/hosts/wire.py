"""What definitions and replies cost in each host: counted of what the real hosts sent to a model.

    python -m tests.hosts.wire [FOLDER]    take in what `make hosts` recorded, and write the tables anew

The records are kept in docs/hosts/wire.json, so that the tables can be made again without the hosts.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from bench.tokens import compact, tokens
from todowright.hosts.description import HOSTS

DOCS = Path(__file__).parents[2] / "docs"
KEPT = DOCS / "hosts" / "wire.json"
PAGES = {
    DOCS / "hosts" / "index.md": "| host | five definitions | what the server says of itself "
    "| the reply to `plan` | the reply to `done` |",
    DOCS / "zh" / "hosts" / "index.md": "| 宿主 | 五个工具的定义 | 服务器的说明 "
    "| `plan` 的答复 | `done` 的答复 |",
}
BEGIN, END = "<!-- wire: begin -->", "<!-- wire: end -->"
_SAYS = re.compile(r"[^\n]*Keeps your plan: [^\n]*")


def record(definitions: list[dict[str, Any]], text: str, replies: list[str]) -> dict[str, Any]:
    """What is kept of a conversation: our tools as they were sent, what was said of the server, the replies."""
    ours = [each for each in definitions if "todowright" in json.dumps(each)]
    said = _SAYS.search(text)
    return {"definitions": ours, "instructions": said[0] if said else "", "replies": replies}


def table(records: dict[str, Any], head: str) -> str:
    """The table for a page, in tokens of cl100k."""
    lines = [head, "|---|---|---|---|---|"]
    for host, found in records.items():
        numbers = [tokens(compact(found["definitions"])), tokens(found["instructions"])]
        numbers += [tokens(reply) for reply in found["replies"][:2]]
        lines.append(f"| {HOSTS[host].title} | " + " | ".join(map(str, numbers)) + " |")
    return "\n".join(lines)


def page(text: str, records: dict[str, Any], head: str) -> str:
    """A page with its table made anew."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n{table(records, head)}\n{END}{after}"


def main(folder: str | None = None) -> None:
    records = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    for host in HOSTS if folder else ():
        path = Path(folder or "") / f"{host}.json"
        if path.exists():
            records[host] = json.loads(path.read_text("utf-8"))
    KEPT.write_text(json.dumps(records, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for path, head in PAGES.items():
        path.write_text(page(path.read_text("utf-8"), records, head), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:2])
