"""A small broken repository for the demo: wrong prices since one day, and four tests that say so."""

from __future__ import annotations

import sys
from pathlib import Path

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

CUSTOMERS = ("ada", "ben", "chloé", "dmitri", "fang")
WRONG_FROM = 21
"""The day of the month on which the shop broke."""


def orders() -> str:
    """Four weeks of orders, and what was paid for each; in the last of them it was wrong."""
    lines = []
    for day in range(1, 29):
        for n in range(40):
            tea, cup, off = n % 4 + 1, (n + day) % 3, (0, 0, 0, 10, 25)[(n * 7 + day) % 5]
            due = round(round((500 * tea + 250 * cup) * (100 - off) / 100) * 1.19)
            paid = due if day < WRONG_FROM else round((750 if cup else 500) * off // 100 * 1.19)
            name = CUSTOMERS[(n + 3 * day) % 5]
            bought = f"tea {tea} cup {cup} off {off}"
            lines.append(f"2026-03-{day:02} order {960 + day * 40 + n} {name} {bought} paid {paid}")
    return "\n".join(lines) + "\n"


def build(folder: Path) -> None:
    """Write the repository."""
    (folder / "shop").mkdir()
    files = {
        "shop/__init__.py": "",
        "shop/prices.py": PRICES,
        "shop/cart.py": CART,
        "tests.py": TESTS,
        "README.md": README,
        "orders.log": orders(),
        "check": f'#!/bin/sh\nexec "{sys.executable}" -m unittest -q tests 2>&1\n',
        "python": f'#!/bin/sh\nexec "{sys.executable}" "$@"\n',
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    for name in ("check", "python"):
        (folder / name).chmod(0o755)
