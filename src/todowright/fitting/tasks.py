"""Tasks to plan, of several trades, made by chance from a seed: the same seed makes the same tasks."""

from __future__ import annotations

import random
from dataclasses import dataclass

Phrases = dict[tuple[str, str], tuple[str, ...]]
"""Under a verb and its active form: what can be done so."""

TRADES: dict[str, Phrases] = {
    "coding": {
        ("Add", "Adding"): ("a --quiet flag to the CLI", "rate limits to the upload route"),
        ("Fix", "Fixing"): ("the off-by-one in the pager", "the leaking file handle"),
        ("Rename", "Renaming"): ("the User model to Account", "the queue module to jobs"),
        ("Document", "Documenting"): ("the retry policy", "the environment variables"),
        ("Cache", "Caching"): ("the currency lookup", "the rendered sidebar"),
        ("Remove", "Removing"): ("the dead feature switches", "the legacy XML importer"),
        ("Validate", "Validating"): ("the webhook signature", "the email field on signup"),
        ("Profile", "Profiling"): ("the nightly report job", "the search under load"),
    },
    "kitchen": {
        ("Peel", "Peeling"): ("six potatoes", "the ginger root"),
        ("Chop", "Chopping"): ("two onions and the celery", "a bunch of parsley"),
        ("Soak", "Soaking"): ("the white beans overnight", "the dried mushrooms"),
        ("Knead", "Kneading"): ("the bread dough for ten minutes", "the pasta dough"),
        ("Roast", "Roasting"): ("the peppers until black", "a tray of walnuts"),
        ("Whisk", "Whisking"): ("egg whites with sugar", "oil into the mustard"),
        ("Bake", "Baking"): ("the lemon tart", "three trays of biscuits"),
        ("Chill", "Chilling"): ("the vanilla custard", "the cucumber soup"),
    },
    "office": {
        ("Book", "Booking"): ("the large meeting room", "train tickets to Lyon"),
        ("Invite", "Inviting"): ("the new suppliers", "both auditors to lunch"),
        ("Print", "Printing"): ("forty name badges", "the visitor brochure"),
        ("Order", "Ordering"): ("toner and envelopes", "chairs for the canteen"),
        ("Sign", "Signing"): ("the cleaning contract", "the holiday requests"),
        ("File", "Filing"): ("last month's invoices", "the insurance papers"),
        ("Call", "Calling"): ("the landlord about the lift", "the tax adviser"),
        ("Draft", "Drafting"): ("the agenda for Monday", "a letter to the bank"),
    },
    "garden": {
        ("Prune", "Pruning"): ("the old apple trees", "the roses by the gate"),
        ("Sow", "Sowing"): ("two rows of carrots", "wildflowers on the slope"),
        ("Water", "Watering"): ("the seedlings in the greenhouse", "the young hedge"),
        ("Weed", "Weeding"): ("the strawberry bed", "the gravel path"),
        ("Mend", "Mending"): ("the fence at the back", "the rain barrel"),
        ("Turn", "Turning"): ("the compost heap", "the soil in the lower plot"),
        ("Plant", "Planting"): ("twelve tulip bulbs", "the pear sapling"),
        ("Harvest", "Harvesting"): ("the early beetroot", "the lavender for drying"),
    },
    "research": {
        ("Read", "Reading"): ("the survey by Okafor", "four papers on peat bogs"),
        ("Collect", "Collecting"): ("samples from the estuary", "rainfall data since 1990"),
        ("Clean", "Cleaning"): ("the interview transcripts", "the sensor readings"),
        ("Plot", "Plotting"): ("growth against temperature", "the residuals by year"),
        ("Interview", "Interviewing"): ("the lighthouse keeper", "five retired miners"),
        ("Compare", "Comparing"): ("both dating methods", "the two census tables"),
        ("Summarize", "Summarizing"): ("the field notes", "the findings for the board"),
        ("Calibrate", "Calibrating"): ("the mass spectrometer", "the pH meter"),
    },
}
_ACTIVE = {verb: active for phrases in TRADES.values() for verb, active in phrases}


@dataclass(frozen=True, slots=True)
class Task:
    """What a user wants done, step by step, and two things that they may want later."""

    trade: str
    steps: tuple[str, ...]
    spare: tuple[str, str]


def make_tasks(count: int, seed: int) -> list[Task]:
    """So many tasks of four to six steps, the trades by turns."""
    chance = random.Random(seed)  # noqa: S311
    trades = list(TRADES)
    chance.shuffle(trades)
    return [_task(chance, trades[number % len(trades)]) for number in range(count)]


def _task(chance: random.Random, trade: str) -> Task:
    size, phrases = chance.choice((4, 5, 6)), TRADES[trade]
    verbs = chance.sample(list(phrases), size + 2)
    steps = [f"{verb[0]} {chance.choice(phrases[verb])}" for verb in verbs]
    return Task(trade, tuple(steps[:size]), (steps[size], steps[size + 1]))


def active_form(step: str) -> str:
    """A step as something that is being done: `Fixing the pager`."""
    verb, _, rest = step.partition(" ")
    return f"{_ACTIVE.get(verb, 'Doing')} {rest}".strip()
