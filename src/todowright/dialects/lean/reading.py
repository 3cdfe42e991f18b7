"""How the arguments of lean's tools are read, before any plan is looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from todowright.dialects.check import check
from todowright.dialects.lean.again import Wanted
from todowright.dialects.lean.where import Where, where_of
from todowright.dialects.verb_dialect import VerbDialect
from todowright.errors import Issue, Refused

NESTED = {"steps", "substeps", "subtasks", "todos", "items", "tasks", "children"}
STATUS_KEYS = {"state", "done", "completed", "checked"}
"""Keys by which an item may tell its status, in other words than ours."""
MOST_ADDED = 200
"""How many steps one call may add."""
NEW_TEXT = ("to", "text", "new", "with")
"""Keys under which models send the new words of a step."""


@dataclass(slots=True)
class Listed:
    """The steps that a call of `plan` sent."""

    wanted: list[Wanted] | None
    """None: it sent no list."""
    now: object = None
    """The step to work on; empty for none, None where it does not say."""

    @property
    def tells(self) -> bool:
        """Whether it tells the status of a step."""
        return any(want.status for want in self.wanted or ())


@dataclass(slots=True)
class Added:
    """The steps that a call of `add` sent."""

    texts: list[str]
    where: Where


@dataclass(slots=True)
class Changed:
    """The step that a call of `change` names, and its new words."""

    step: object
    text: str


def check_plan(dialect: VerbDialect, arguments: dict[str, Any]) -> Listed:
    """Read the steps of a plan; without any, it is asked for."""
    given, now = arguments.get("steps"), arguments.get("now")
    if given is None and "finished" in arguments:
        raise Refused(Issue("misplaced", field="finished", value="done"))
    if given is None and "step" in arguments:
        raise Refused(Issue("misplaced", field="step", value="done, add, drop or change"))
    if given is None and arguments.keys() <= {"steps", "now"}:
        return Listed(None, now)
    if given == [] and now not in (None, ""):
        return Listed(None, now)  # some hosts must send every key
    if given == []:
        return Listed([], now)
    _at_most(dialect.most_items, given, "steps")
    if isinstance(given, (list, tuple)):
        arguments = {**arguments, "steps": [_item(n, step) for n, step in enumerate(given)]}
    found = check(dialect.items, arguments)
    sent = zip(found.items, given or (), strict=True)
    wanted = [
        Wanted(content, status if isinstance(step, dict) and "status" in step else None)
        for (content, status, *_), step in sent
    ]
    return Listed(wanted, now)


def _item(index: int, step: object) -> object:
    """A step as an item; what would be lost of it is refused, and mended where that can be done."""
    if isinstance(step, str):
        return {"content": step}
    if isinstance(step, dict):
        if any(isinstance(value, list) and value and key in NESTED for key, value in step.items()):
            raise Refused(Issue("nested", index))
        if "status" not in step and (told := STATUS_KEYS.intersection(step)):
            raise Refused(Issue("unknown", index, value=", ".join(sorted(told))))
    return step


def check_done(dialect: VerbDialect, arguments: dict[str, Any]) -> list[object]:
    """Read which steps are finished."""
    return _named(dialect, arguments, "finished", "steps", "step")


def check_drop(dialect: VerbDialect, arguments: dict[str, Any]) -> list[object]:
    """Read which steps go."""
    return _named(dialect, arguments, "step", "steps")


def _named(dialect: VerbDialect, arguments: dict[str, Any], *keys: str) -> list[object]:
    """The steps that a call names, one or several, under the first of these keys that it has."""
    given = _first(arguments, keys)
    if isinstance(given, (list, tuple)) and given:
        _at_most(dialect.most_items, given, keys[0])
        return list(given)
    if given is None or given in ("", []):
        raise Refused(Issue("missing", field=keys[0]))
    return [given]


def _first(arguments: dict[str, Any], keys: tuple[str, ...]) -> object:
    """What stands under the first of these keys that has something."""
    for key in keys:
        if (given := arguments.get(key)) is not None:
            return given
    return None


def _at_most(limit: int, given: object, key: str) -> None:
    """Refuse a list that is too long, before anything is made of it."""
    if isinstance(given, (list, tuple)) and len(given) > limit:
        raise Refused(Issue("too_many", field=key, value=str(len(given)), limit=limit))


def check_add(dialect: VerbDialect, arguments: dict[str, Any]) -> Added:
    """Read which steps are new, and where they go."""
    keys = ("step", "steps", "text")
    given = _first(arguments, keys)
    _at_most(MOST_ADDED, given, "step")
    return Added(_texts(dialect, given, "step"), where_of(arguments))


def check_change(dialect: VerbDialect, arguments: dict[str, Any]) -> Changed:
    """Read which step is said in which other words."""
    step = arguments.get("step", arguments.get("steps"))
    if step is None or step in ("", []):
        raise Refused(Issue("missing", field="step"))
    given = _first(arguments, NEW_TEXT)
    if isinstance(given, list) and len(given) != 1:
        raise Refused(Issue("type", field="to", kind="array", expected="one text"))
    return Changed(only(step), _texts(dialect, given, "to")[0])


def only(given: object) -> object:
    """The one thing in a list of one."""
    return given[0] if isinstance(given, list) and len(given) == 1 else given


def _texts(dialect: VerbDialect, text: object, key: str) -> list[str]:
    """The words of new steps, by the same rules as those of a plan."""
    if text is None or text == []:
        raise Refused(Issue("missing", field=key))
    texts = text if isinstance(text, list) else [text]
    try:
        found = check(dialect.items, {"steps": [{"content": each} for each in texts]})
    except Refused as refused:
        issues = (replace(issue, index=None, field=key) for issue in refused.issues)
        raise Refused(*issues) from None
    return [content for content, *_ in found.items]
