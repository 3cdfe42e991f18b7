"""What a model wishes to change about a plan, however it spells it."""

from __future__ import annotations

import re
from typing import Any

from todowright.errors import Issue, Refused
from todowright.text import harmless, shown

WISHES = ("add", "drop", "reword", "start", "add after")
"""As they are offered."""
MEANT = {
    "remove": "drop",
    "delete": "drop",
    "cancel": "drop",
    "rename": "reword",
    "rewrite": "reword",
    "edit": "reword",
    "begin": "start",
    "reopen": "start",
    "insert after": "add after",
    "append": "add",
    "finish": "done",
    "finished": "done",
    "complete": "done",
    "completed": "done",
}


def wish_of(arguments: dict[str, Any]) -> dict[str, Any]:
    """The wish, also where a model spells it `{"drop": 3}`; what nobody knows is refused."""
    unknown = arguments.keys() - {"do", "step", "text", "note", *WISHES}
    if unknown:
        names = ", ".join(f"'{harmless(str(key))[:20]}'" for key in sorted(map(str, unknown))[:5])
        raise Refused(Issue("unknown", value=names))
    said = [do for do in WISHES if do in arguments]
    if "do" not in arguments and len(said) == 1:
        key = "text" if said[0] == "add" else "step"
        return {key: arguments[said[0]], **arguments, "do": said[0]}
    if "do" not in arguments and "note" in arguments:
        return {**arguments, "do": "note"}
    given = arguments.get("do")
    do = re.sub(r"[\s_-]+", " ", given).strip().lower() if isinstance(given, str) else None
    do = MEANT.get(do or "", do)
    if do not in (*WISHES, "done", "pause", "note"):
        got = f"'{shown(given)}'" if isinstance(given, str) else shown(given)
        got = "null" if given is None else got
        expected = f"one of {', '.join(WISHES)}"
        raise Refused(Issue("type", field="do", kind=got, expected=expected))
    return {**arguments, "do": do}
