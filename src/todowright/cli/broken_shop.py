"""A small broken repository, and the script by which the demo's model repairs it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

TASK = "The tests of this shop fail. Repair it, check the old orders, and update the README."

PRICES = '''"""Prices in cents."""


def discounted(price, percent):
    """The price less a discount, to the nearest cent."""
    return price * percent // 100


def taxed(price, percent=19):
    return round(price * (100 + percent) / 100)
'''

CART = '''"""A cart: what is in it, and what it costs."""

from shop.prices import discounted, taxed


class Cart:
    def __init__(self):
        self.lines = []

    def add(self, name, price, count=1):
        self.lines.append((name, price, count))

    def total(self, discount=0):
        whole = sum(price for name, price, count in self.lines)
        return taxed(discounted(whole, discount))
'''

TESTS = """import unittest

from shop.cart import Cart
from shop.prices import discounted


class Prices(unittest.TestCase):
    def test_a_discount_is_taken_off(self):
        self.assertEqual(discounted(1000, 10), 900)

    def test_no_discount_leaves_the_price(self):
        self.assertEqual(discounted(1000, 0), 1000)


class Carts(unittest.TestCase):
    def test_each_line_counts_as_often_as_it_was_bought(self):
        cart = Cart()
        cart.add("tea", 500, 3)
        cart.add("cup", 250)
        self.assertEqual(cart.total(), 2082)

    def test_a_discount_is_for_the_whole_cart(self):
        cart = Cart()
        cart.add("tea", 500, 2)
        self.assertEqual(cart.total(discount=10), 1071)
"""

README = """# Shop

    cart.add("tea", 500)
    cart.total()          # without tax
"""

SUMMARY = (
    "Four tests failed at first. shop/prices.py kept the discount instead of the rest; shop/cart.py forgot the counts. "
    "Both are mended and all tests pass. The old orders in orders.log were being read."
)

STEPS = [
    "See what fails",
    "Fix the discount",
    "Fix the total of the cart",
    "Check the old orders",
    "Update the README",
    "Run all the tests",
]


def build(folder: Path) -> None:
    """Write the repository."""
    (folder / "shop").mkdir()
    orders = "".join(
        f"2026-03-{day:02} order {1000 + day * 40 + n} tea {n % 4 + 1} cup {n % 3} total {n * 137 % 9000}\n"
        for day in range(1, 29)
        for n in range(40)
    )
    files = {
        "shop/__init__.py": "",
        "shop/prices.py": PRICES,
        "shop/cart.py": CART,
        "tests.py": TESTS,
        "README.md": README,
        "orders.log": orders,
        "check": f'#!/bin/sh\nexec "{sys.executable}" -m unittest -q tests 2>&1\n',
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "check").chmod(0o755)


def script() -> list[dict[str, Any]]:
    """What the model says, line by line. It is written down; the calls and their results are real."""

    def say(text: str, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
        return {"text": text, "calls": [list(call) for call in calls]}

    def done(step: str) -> tuple[str, dict[str, Any]]:
        return "done", {"finished": [step]}

    check = ("bash", {"command": "./check"})

    def read(path: str, line: int = 1) -> tuple[str, dict[str, Any]]:
        return "read_file", {"path": path} | ({"line": line, "lines": 60} if "log" in path else {})

    def edit(path: str, old: str, new: str) -> tuple[str, dict[str, Any]]:
        return "edit_file", {"path": path, "old": old, "new": new}

    pages = [say("", read("orders.log", line)) for line in range(61, 900, 60)]
    return [
        say("I will plan this first.", ("plan", {"steps": STEPS})),
        say("", check, read("tests.py")),
        say(
            "All four tests fail. The discount and the total look wrong.",
            done(STEPS[0]),
            read("shop/prices.py"),
        ),
        say(
            "It keeps the discount and throws the rest away.",
            edit(
                "shop/prices.py", "price * percent // 100", "round(price * (100 - percent) / 100)"
            ),
        ),
        say("", check),
        say("The prices are right now.", done(STEPS[1]), read("shop/cart.py")),
        say(
            "It forgets how many of each there are.",
            edit("shop/cart.py", "sum(price for name", "sum(price * count for name"),
        ),
        say("", check),
        say("All green.", done(STEPS[2])),
        say("I read the old orders, page by page.", read("orders.log", 1)),
        *pages,
        say(
            "Too much to read myself. A helper adds them up.",
            ("task", {"prompt": "How many orders are in orders.log, and on how many days?"}),
        ),
        say("", ("plan", {"steps": ["Count the orders", "Count the days"]})),
        say("", ("bash", {"command": "wc -l < orders.log"}), done("Count the orders")),
        say(
            "",
            ("bash", {"command": "cut -d' ' -f1 orders.log | sort -u | wc -l"}),
            done("Count the days"),
        ),
        say("1120 orders on 28 days."),
        say("The old orders are fine.", done(STEPS[3]), read("README.md")),
        say(
            "The README knows neither counts nor tax.",
            edit("README.md", 'cart.add("tea", 500)', 'cart.add("tea", 500, count=3)'),
            edit("README.md", "# without tax", "# with tax"),
        ),
        say("", done(STEPS[4]), check),
        say("", done(STEPS[5])),
        say("The shop works again: discounts are taken off, counts count, and the README says so."),
    ]
