"""A store as on a busy afternoon, for a look at the board: somebody is stuck, work was dropped, others go on or are done.

All of it is scripted.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from todowright import TodoWrite

DEADLOCK = (
    "Reproduce the deadlock",
    "Read the order of locks",
    "Write a test that fails",
    "Prove the retry path with property tests",
    "Describe 409 and Retry-After in the schema",
    "Ask for a review",
)


class Afternoon:
    """Writes plans of the last hours; `at` says how many minutes ago."""

    def __init__(self, store: str) -> None:
        self._store = store
        self._now = self._at = datetime.now(UTC)

    def at(self, minutes: float) -> None:
        self._at = self._now - timedelta(minutes=minutes)

    def tool(self, session: str, dialect: str = "lean") -> TodoWrite:
        return TodoWrite(dialect, store=self._store, session=session, clock=lambda: self._at)

    def plan(self, minutes: float, todo: TodoWrite, *steps: str) -> TodoWrite:
        self.at(minutes)
        todo({"steps": list(steps)}, tool="plan")
        return todo

    def done(self, todo: TodoWrite, *ended: tuple[float, str]) -> None:
        for minutes, step in ended:
            self.at(minutes)
            todo({"finished": [step]}, tool="done")

    def write(self) -> None:
        """All of it."""
        self._usual()
        self._stuck()
        self._dropped()
        self._working()
        self._ended()

    def _usual(self) -> None:
        """A session from which is known how long a step takes."""
        steps = [f"Port test {n} to the new client" for n in range(1, 9)]
        todo = self.plan(240, self.tool("port-tests"), *steps)
        self.done(todo, *((240 - 4 * n, step) for n, step in enumerate(steps, 1)))

    def _stuck(self) -> None:
        main = self.plan(49, self.tool("checkout-deadlock"), *DEADLOCK)
        self.done(main, (45, DEADLOCK[0]), (41, DEADLOCK[1]), (37, DEADLOCK[2]))
        steps = ("Find a generator", "Generate schedules that interleave", "Shrink those that fail")
        writer = self.plan(36, main.subagent("test-writer"), *steps)
        self.done(writer, (33, steps[0]))
        parts = ("Read the diff", "Benchmark the hot path before and after")
        review = self.plan(15, main.subagent("reviewer"), *parts)
        self.done(review, (11, parts[0]))
        measures = ("Warm up", "Measure 10,000 checkouts each")
        bench = self.plan(6, review.subagent("bench"), *measures)
        self.done(bench, (3, measures[0]))

    def _dropped(self) -> None:
        todo = self.tool("auth-refactor", "checklist")
        texts = ["Read the module", "Move tokens", "Add refresh tokens", "Delete cookies", "Docs"]
        for minutes, shown in ((20, texts), (5, [*texts[:2], texts[4]])):
            self.at(minutes)
            rows = [{"content": t, "activeForm": t, "status": "pending"} for t in shown]
            rows[0]["status"] = "completed"
            rows[1]["status"] = "in_progress"
            todo({"items": rows})

    def _working(self) -> None:
        pay = self.plan(
            14, self.tool("支付回调重构"), "读旧代码", "给解析器补充性质测试", "更新文档", "发布"
        )
        self.done(pay, (2, "读旧代码"))
        steps = ("Read the failing log", "Pin the broken dependency", "Push the branch")
        self.done(self.plan(8, self.tool("fix-ci"), *steps), (1, steps[0]))

    def _ended(self) -> None:
        old = self.plan(600, self.tool("migrate-db"), "Back up", "Write the migration", "Run it")
        self.done(old, (590, "Back up"))
        steps = ("Bump the version", "Write the changelog", "Tag it")
        ready = self.plan(60, self.tool("release-1.4"), *steps)
        self.done(ready, (58, steps[0]), (50, steps[1]), (48, steps[2]))
