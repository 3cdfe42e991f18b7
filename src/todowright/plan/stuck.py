"""Which agents are stuck: those that are silent for much longer than a step usually takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import Literal, get_args

from todowright.plan.model import Todo
from todowright.plan.record import AgentRecord, label

AgentState = Literal["stuck", "working", "idle", "done"]
AGENT_STATES: tuple[AgentState, ...] = get_args(AgentState)
STUCK_TIMES, STUCK_LEAST, STUCK_MOST = 3.0, 600.0, 3_600.0
"""An agent is stuck that is silent for so many times its usual, within these seconds."""
GIVEN_UP = 6 * 3_600.0
"""Who is silent for so long is not waited for any more: its session is abandoned, unless others move."""
FEWEST_TIMES = 5


@dataclass(frozen=True, slots=True)
class AgentView:
    """One agent at a moment."""

    agent: str
    state: AgentState
    steps: str
    """One letter for each step that counts: d done, s stuck, n in progress, p open."""
    now: Todo | None
    on_since: float | None
    """When the step in hand was started."""
    usual: float | None
    """Seconds that a step usually takes; None while too few are known."""
    silent: float
    """Seconds since it last wrote itself, or one that works for it."""
    stuck_at: float | None
    """From when on it is stuck if it stays silent; None without a step in progress."""
    record: AgentRecord

    @property
    def done(self) -> int:
        return self.steps.count("d")

    @property
    def total(self) -> int:
        return len(self.steps)

    @property
    def is_open(self) -> bool:
        """Whether a step is left."""
        return bool(self.steps.strip("d"))


Usual = Callable[[str], float | None]


class UsualTimes:
    """How long a step usually takes: for each name of an agent, else for all."""

    def __init__(self, records: Iterable[AgentRecord]) -> None:
        self._times: dict[str, list[tuple[float, float]]] = {}
        self._known: dict[str, float | None] = {}
        for record in records:
            if record.times:
                self._times.setdefault(label(record.plan.agent), []).extend(record.times)

    def __call__(self, agent: str) -> float | None:
        """Seconds that an agent of this name takes for a step; None where too few are known."""
        name = label(agent)
        if name not in self._known:
            own = self._median(self._times.get(name, []))
            self._known[name] = self._of_all() if own is None else own
        return self._known[name]

    def _of_all(self) -> float | None:
        if "" not in self._known:
            self._known[""] = self._median([time for all_ in self._times.values() for time in all_])
        return self._known[""]

    def _median(self, times: list[tuple[float, float]]) -> float | None:
        last = sorted(times)[-200:]
        return median(seconds for _, seconds in last) if len(last) >= FEWEST_TIMES else None


def patience(usual: float | None) -> float:
    """Seconds of silence after which an agent with a step in progress counts as stuck."""
    return max(STUCK_LEAST, min(STUCK_MOST, STUCK_TIMES * (usual or 0.0)))


def agent_view(record: AgentRecord, spoke: float, usual: float | None, now: float) -> AgentView:
    """One agent now; `spoke` is when it or one that works for it last wrote."""
    plan = record.plan
    current = plan.current
    silent = max(0.0, now - spoke)
    stuck_at = spoke + patience(usual) if current else None
    left = silent >= GIVEN_UP
    stuck = stuck_at is not None and now > stuck_at and not left
    state: AgentState = "done" if plan.finished else "idle"
    if current and not left:
        state = "stuck" if stuck else "working"
    on = "s" if stuck else "p" if left else "n"
    letters = {"completed": "d", "in_progress": on, "pending": "p"}
    steps = "".join(letters.get(todo.status, "") for todo in plan.todos)
    on_since = record.began.get(current.number) if current else None
    return AgentView(plan.agent, state, steps, current, on_since, usual, silent, stuck_at, record)
