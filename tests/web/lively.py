"""A store full of life, as of now: agents that work, are stuck, were left, finished; dropped steps, edits of people.

The tests of the board and the pictures of the docs are made from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from todowright.plan.model import AGENT, MAIN, PERSON, Plan, Status, Todo
from todowright.stores import Store

STATUSES: dict[str, Status] = {
    "p": "pending", "n": "in_progress", "d": "completed", "c": "cancelled",
}  # fmt: skip
Move = tuple[float, str]
"""How many minutes ago, and the state of each step: "ddnp", with a blank for one that is not there."""


class Scene:
    """Writes revisions into a store as if they had been made minutes ago."""

    def __init__(self, store: Store, now: datetime | None = None) -> None:
        self._store = store
        self._now = now or datetime.now(UTC)

    def agent(
        self,
        session: str,
        words: Sequence[str],
        moves: Sequence[Move],
        *,
        agent: str = MAIN,
        serves: int = 0,
        summary: str = "",
    ) -> None:
        """An agent whose steps had these states; `*` in front: a person made them so, `2=Words` reworded."""
        words = list(words)
        last = self._store.load(session, agent)
        base, revision = last.issued, last.revision
        for at, (ago, states) in enumerate(moves, 1):
            states, *reworded = states.split("|")
            for each in reworded:
                number, _, text = each.partition("=")
                words[int(number) - 1] = text
            by = PERSON if states.startswith("*") else AGENT
            todos = tuple(
                Todo(words[n], STATUSES[state], "", f"t{base + n + 1}", base + n + 1)
                for n, state in enumerate(states.lstrip("*"))
                if state != " "
            )
            moment = self._now - timedelta(minutes=ago)
            told = summary if at == len(moves) else ""
            self._store.save(
                Plan(
                    session, agent, revision + at, todos, told, moment, base + len(words),
                    by=by, dialect="smart", serves=serves,
                )
            )  # fmt: skip

    def run(
        self, session: str, words: Sequence[str], start: float, every: float, done: int, **more: str
    ) -> None:
        """An agent that finishes a step every so many minutes, the first `done` of them."""
        moves = []
        for count in range(done + 1):
            left = len(words) - count
            now = "n" + "p" * (left - 1) if left else ""
            moves.append((start - every * count, "d" * count + now))
        self.agent(session, words, moves, **more)  # type: ignore[arg-type]


def deadlock(scene: Scene, session: str = "checkout-deadlock") -> None:
    """The session in depth: two earlier plans, a stuck sub-agent, a dropped step, an edit that was kept."""
    scene.run(
        session,
        ["Read the traces of the last week", "Count the hangs by endpoint", "Compare with the deploys",
         "Ask the database for its lock waits", "Name the two transactions", "Write down the finding"],
        206, 14 / 6, 6, summary="Find where checkouts hang",
    )  # fmt: skip
    scene.run(
        session,
        ["Start two workers on one database", "Replay the slow checkout", "Make the replay deterministic",
         "Commit the failing test"],
        80, 9 / 4, 4, summary="Make it fail on demand",
    )  # fmt: skip
    scene.agent(
        session,
        ["Read the failing tests", "Reproduce the deadlock with two workers", "Take the row locks in one fixed order",
         "Add a lock timeout to the orders table", "Prove the retry path with property tests",
         "Describe 409 in the schema", "Fix the flaky retry logic in the queue consumer", "更新接口文档和示例代码",
         "Document the new configuration options"],
        [(49, "npppppp p"), (46, "dnppppp p"), (41, "ddnpppp p"), (37, "dddpnpp p"), (27, "ddd nppp p"[:9]),
         (4, "*ddd npppp|6=Describe 409 and Retry-After in the schema"), (0.6, "ddd npppp")],
    )  # fmt: skip
    tester, reviewer = f"{MAIN}/test-writer", f"{MAIN}/reviewer"
    scene.agent(
        session,
        ["Collect the branches of the retry path", "Generate schedules that interleave two workers",
         "Shrink the schedules that fail", "Assert that no lock is held across a retry"],
        [(37, "nppp"), (33, "dnpp")], agent=tester, serves=15,
    )  # fmt: skip
    scene.agent(
        session, ["Find every caller of retry()", "Summarise what they expect"],
        [(36, "np"), (34.6, "dn"), (33.2, "dd")], agent=f"{tester}/search", serves=1,
    )  # fmt: skip
    scene.agent(
        session,
        ["Review the order of the locks", "Check that the migration rewrites no table",
         "Benchmark the hot path before and after"],
        [(26, "npp"), (20, "dnp"), (11, "ddn")], agent=reviewer, serves=15,
    )  # fmt: skip
    scene.agent(
        session, ["Build both revisions", "Measure 10 000 checkouts for each"], [(11, "np"), (7, "dn")],
        agent=f"{reviewer}/bench", serves=3,
    )  # fmt: skip


def lively(store: Store, now: datetime | None = None) -> None:
    """Some twenty sessions in every state there is."""
    scene = Scene(store, now)
    deadlock(scene)
    scene.run("数据迁移-订单", ["盘点旧表", "建立新表", "双写", "回填历史数据", "对比两侧", "切换读路径",
                           "清理废弃的旧版接口", "更新监控", "删除旧表", "写复盘"], 60, 34 / 6, 6)  # fmt: skip
    for n in range(1, 10):
        words = ["Search the archive", "Read the best hits", "Take notes", "Write the summary"]
        agent = f"{MAIN}/researcher-{n}"
        if n == 1:
            scene.agent("swarm-research", ["Split the question", "Read in parallel", "Merge the findings"],
                        [(55, "npp"), (50, "dnp")])  # fmt: skip
        if n == 6:
            scene.agent(
                "swarm-research", words, [(40, "nppp"), (21, "dnpp")], agent=agent, serves=2
            )
        elif n < 4:
            scene.agent(
                "swarm-research", words, [(9, "nppp"), (5 - n, "dnpp")], agent=agent, serves=2
            )
        else:
            scene.run("swarm-research", words, 45, 5, 4, agent=agent)
    scene.agent("auth-refactor",
                ["Read the login flow", "Move sessions to tokens", "Rotate the keys", "Add refresh tokens",
                 "Delete the cookie path", "Test the logout", "Announce it"],
                [(31, "npppppp"), (22, "dnppppp"), (15, "ddnpppp"), (5, "ddn  pp"), (4, "ddd  np")])  # fmt: skip
    scene.agent("ledger-reconciliation",
                ["Export both ledgers", "Match by reference", "Write down the rounding rule", "List what is left",
                 "Explain the three largest", "Fix the importer", "Close the month"],
                [(12, "npppppp"), (8, "dnppppp"), (6, "*dnppppp|3=Write down the rounding rule on both sides"),
                 (2, "dnppppp|3=Write down the rounding rule")])  # fmt: skip
    _working(scene)
    _quiet(scene)


def _working(scene: Scene) -> None:
    shop = ["Read what is there", "Find who calls it", "Change the schema", "Write the migration",
            "Move the callers", "Test it", "Measure it", "Write it down", "Ship it"]  # fmt: skip
    scene.agent(
        "flaky-tests", ["Add a migration for the orders table", *shop[1:7]], [(0.4, "npppppp")]
    )
    scene.run(
        "支付回调重构",
        ["梳理回调", "画出状态机", "给解析器补充性质测试", "替换旧解析器", "灰度", "收尾"],
        14,
        6,
        2,
    )
    scene.run("i18n-sweep", [f"Extract the strings of the {page}" for page in (
        "cart", "login", "search", "account", "invoice", "footer", "order history", "help", "mails")], 36, 5, 6)  # fmt: skip
    scene.run("cve-2025-1187", ["Read the advisory", "List our versions",
                                "Audit every call to eval() and subprocess", "Patch", "Tell the users"], 9, 4, 2)  # fmt: skip
    scene.run("migrate-30-steps", [f"{n}. Move {what}" for n, what in enumerate(
        ["the queue", "the cache", "the session store off Redis 5"] * 10, 1)], 71, 4, 17)  # fmt: skip
    scene.run("perf-budget", ["Measure the bundle", "Find the largest parts",
                              "Trim the checkout bundle below 90 kB", "Guard it in CI"], 26, 9, 2)  # fmt: skip
    scene.run(
        "glossary-draft",
        [f"Reconcile the terms of chapter {n} with the style guide" for n in range(1, 11)],
        22,
        4,
        5,
    )
    scene.run("onboarding-copy", ["Read the five mails", "Rewrite the second mail in plain words",
                                  "Ask for a native reader", "Translate", "Send a test"], 4, 3, 1)  # fmt: skip


def _quiet(scene: Scene) -> None:
    scene.agent("api-rate-limits", ["Read the limits", "Count the callers", "Write the counter", "Answer 429",
                                    "Document it", "Tell the partners"], [(140, "nppppp"), (89, "dddppp")])  # fmt: skip
    scene.agent(
        "风控规则灰度",
        ["整理规则", "在灰度环境验证支付回调的幂等性", "放量", "复盘"],
        [(500, "nppp"), (430, "dnpp")],
    )
    scene.agent("paused-experiment", ["Write the question", "Choose the metric", "Build both arms", "Run a week",
                                      "Read the numbers"], [(600, "npppp"), (431, "dddpp")])  # fmt: skip
    scene.agent("nightly-deps", ["List what is old", "Reproduce the deadlock with two workers", "Bump", "Run the tests"],
                [(1600, "nppp"), (1571, "dnpp")])  # fmt: skip
    for minutes, (name, summary, count, took) in enumerate(
        [("docs-site", "The docs use the new theme", 6, 23), ("发票模板更新", "发票换成了新版抬头", 9, 12),
         ("literature-scan", "41 papers read, 9 kept", 21, 47), ("data-export", "Exports stream now", 5, 31),
         ("release-2.4", "2.4 is out", 5, 18)]):  # fmt: skip
        words = [f"Part {n} of {count}" for n in range(1, count + 1)]
        scene.run(name, words, 6 + took + 6 * minutes, took / count, count, summary=summary)
    for n in range(6):
        scene.run(f"last-week-{n}", ["Look", "Do", "Tell"], 15_000 + n, 4, 3)
