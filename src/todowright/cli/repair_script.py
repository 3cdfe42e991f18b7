"""What the demo's model says, line by line: a script. The calls it makes and their results are real."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from todowright.agent import Agent
    from todowright.agent.events import Event
    from todowright.plan.model import Plan
    from todowright.stores import Store

TASK = (
    "The tests of this shop fail. Repair it, find out what the bug has cost, and update the README."
)

STEPS = [
    "See what fails",
    "Fix the discount",
    "Fix the total of the cart",
    "Find out what it has cost",
    "Update the README",
    "Run all the tests",
]
HELP = ["Price every order again", "Find the first wrong day"]
WISH = "Write LOSSES.md for the owner"
"""The step that a person adds meanwhile."""

SUMMARY = (
    "Four tests failed at first. shop/prices.py kept the discount instead of the rest; shop/cart.py forgot the counts. "
    "Both are mended and all tests pass. The old orders in orders.log were being read."
)

AUDIT = '''"""What every order should have cost, against what was paid."""

from shop.cart import Cart

wrong, lost = [], 0
for line in open("orders.log", encoding="utf-8"):
    day, _, number, who, _, tea, _, cup, _, off, _, paid = line.split()
    cart = Cart()
    cart.add("tea", 500, int(tea))
    cart.add("cup", 250, int(cup))
    if (missing := cart.total(int(off)) - int(paid)):
        wrong.append(day)
        lost += missing
print(f"{len(wrong)} orders were charged wrong: {lost / 100:,.2f} lost")
print(f"the first on {min(wrong)}")
'''

LOSSES = """# What the bug has cost

From 21 to 28 March, 320 orders were charged wrong. 5,132.57 are missing.
The repaired code prices them right; audit.py proves it.
"""

Line = dict[str, Any]
Call = tuple[str, dict[str, Any]]


def say(text: str, *calls: Call) -> Line:
    return {"text": text, "calls": [list(call) for call in calls]}


def done(step: str) -> Call:
    return "done", {"finished": [step]}


def read(path: str, **lines: int) -> Call:
    return "read_file", {"path": path, **lines}


def edit(path: str, old: str, new: str) -> Call:
    return "edit_file", {"path": path, "old": old, "new": new}


def bash(command: str) -> Call:
    return "bash", {"command": command}


CHECK = bash("./check")


def script() -> list[Line]:
    """The whole of it."""
    return [*_repair(), *_search(), *_helper(), *_end()]


def _repair() -> list[Line]:
    """Four tests fail, two mistakes are mended."""
    right = "round(price * (100 - percent) / 100)"
    return [
        say("I will plan this first.", ("plan", {"steps": STEPS})),
        say("", CHECK, read("orders.log", line=1041, lines=80)),
        say(
            "All four tests fail, and people paid next to nothing.",
            done(STEPS[0]),
            read("shop/prices.py"),
        ),
        say(
            "It keeps the discount and throws the rest away.",
            edit("shop/prices.py", "price * percent // 100", right),
        ),
        say("", CHECK),
        say("Half of it. The prices are right now.", done(STEPS[1]), read("shop/cart.py")),
        say(
            "It forgets how many of each there are.",
            edit("shop/cart.py", "sum(price for name", "sum(price * count for name"),
        ),
        say("", CHECK),
    ]


def _search() -> list[Line]:
    """The orders are too many for the context: it is made smaller, twice."""
    return [
        say(
            "All green. Since when was it wrong?",
            done(STEPS[2]),
            read("orders.log", line=1, lines=115),
        ),
        say("The first days are fine.", read("orders.log", line=561, lines=115)),
        say(
            "So is the middle. A helper prices all 1,120 orders again.",
            ("task", {"prompt": "What did the wrong prices in orders.log cost, and since when?"}),
        ),
    ]


def _helper() -> list[Line]:
    """The helper has a plan of its own."""
    return [
        say("", ("plan", {"steps": HELP})),
        say("", ("write_file", {"path": "audit.py", "content": AUDIT}), bash("./python audit.py")),
        say("", done(HELP[0]), done(HELP[1])),
        say("320 orders were charged wrong since 21 March: 5,132.57 are missing."),
    ]


def _end() -> list[Line]:
    """A person's wish is heard, and the guard lets nobody go who has not finished."""
    return [
        say("So much for the cost.", done(STEPS[3])),
        say(
            "The owner wants it in writing.",
            ("write_file", {"path": "LOSSES.md", "content": LOSSES}),
            done(WISH),
        ),
        say("The shop works again."),
        say("Right, the README is still wrong.", read("README.md")),
        say(
            "",
            edit("README.md", 'cart.add("tea", 500)', 'cart.add("tea", 500, count=3)'),
            edit("README.md", "# without tax", "# with tax"),
            done(STEPS[4]),
        ),
        say("", CHECK, done(STEPS[5])),
        say("The shop works again, the README says how, and LOSSES.md says what it cost."),
    ]


def played(agent: Agent, store: Store) -> Iterator[Event | Plan]:
    """The events of the run; and, once, the plan as a person changed it meanwhile."""
    from todowright.agent import events

    wished = False
    for event in agent.run(TASK):
        yield event
        if not wished and isinstance(event, events.Observation) and "charged wrong" in event.text:
            wished = True
            yield from _wish(store)


def _wish(store: Store) -> Iterator[Plan]:
    """A person adds a step, as on the board; nothing happens where the plan does not let them."""
    from contextlib import suppress

    from todowright.errors import TodowrightError
    from todowright.plan.editing import Edit
    from todowright.plan.model import PERSON
    from todowright.tool.person import edit_plan

    with suppress(TodowrightError):
        plan = store.load("demo", "main")
        yield edit_plan(store, plan, [Edit("add", text=WISH, after=STEPS[3])], by=PERSON).plan
