"""Who needs a person now: the state of each agent and session, by the same rules on the board and in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from todowright.plan.model import Todo
from todowright.plan.record import AgentRecord
from todowright.plan.stuck import AGENT_STATES, AgentView, Usual, agent_view

SessionState = Literal["needs_you", "working", "abandoned", "done_today", "earlier"]
SESSION_STATES: tuple[SessionState, ...] = get_args(SessionState)
NeedKind = Literal["stuck", "waiting", "dropped", "not_kept"]
NEED_KINDS: tuple[NeedKind, ...] = get_args(NeedKind)
"""Why a session needs somebody, the worst first. `waiting`: the step in hand is a person's to do."""

QUIET = 3_600.0
BETWEEN = 600.0
"""Seconds without a step in progress, from which on it is told that an agent is between steps."""
OLD = 7 * 86_400.0
SPARK, SPARK_SECONDS = 12, 300.0
_PERSONS = frozenset({"user", "you", "person", "human"})


@dataclass(frozen=True, slots=True)
class Need:
    """One reason why a session needs a person."""

    kind: NeedKind
    agent: str
    text: str
    """The words of the step it is about."""
    at: float
    """Since when."""
    number: int = 0
    """The number of that step."""


@dataclass(frozen=True, slots=True)
class SessionView:
    """One session at a moment. `state` is `needs_you` while any of `needs` was not looked at."""

    session: str
    state: SessionState
    otherwise: SessionState
    """Its state if nobody had to look at anything."""
    since: float
    """When it came into this state."""
    needs: tuple[Need, ...]
    """The worst first."""
    agents: tuple[AgentView, ...]
    """Stuck first, then working, idle, done; who has ended is not among them."""
    now: AgentView | None
    """Whose step is shown: the stuck one's, else that of the last who moved."""
    began: float
    ended: float | None
    """When the last plan was finished; None while one is open."""
    moved: float
    """When anybody last wrote."""
    activity: tuple[int, ...] = field(default=())
    """Revisions in each of the last twelve times five minutes."""

    @property
    def steps(self) -> str:
        """The letters of all agents' steps: done, stuck, in progress, open."""
        return "".join(sorted("".join(each.steps for each in self.agents), key="dsnp".index))

    @property
    def silent(self) -> float:
        """Seconds since any agent wrote."""
        return min((each.silent for each in self.agents), default=0.0)


def session_view(
    session: str, records: Sequence[AgentRecord], usual: Usual, now: float, midnight: float
) -> SessionView:
    """A session now; `midnight` is when the day began for who asks."""
    alive = [each for each in records if not each.plan.ended]
    spoke = _last_words(alive)
    views = [
        agent_view(each, spoke[each.plan.agent], usual(each.plan.agent), now) for each in alive
    ]
    views.sort(key=lambda each: (AGENT_STATES.index(each.state), -each.record.spoke_at))
    needs = tuple(
        sorted(_needs(views, now), key=lambda each: (NEED_KINDS.index(each.kind), each.at))
    )
    moved = max((each.moves[-1] for each in records), default=0.0)
    is_open = any(each.is_open for each in views)
    otherwise, since = _state(views, is_open=is_open, moved=moved, now=now, midnight=midnight)
    if not any(
        each.plan.issued or each.plan.todos for each in records
    ):  # nothing was ever to be done
        otherwise = "earlier"
    began = min((each.since for each in alive), default=moved)
    recent = now - moved < OLD
    state: SessionState = "needs_you" if needs and recent else otherwise
    return SessionView(
        session=session,
        state=state,
        otherwise=otherwise,
        since=needs[0].at if state == "needs_you" else since if since else began,
        needs=needs if recent else (),
        agents=tuple(views),
        now=_shown(views),
        began=began,
        ended=None if is_open else moved,
        moved=moved,
        activity=_activity(records, now),
    )


def unseen(view: SessionView, seen: Mapping[str, float]) -> tuple[Need, ...]:
    """What still needs a person who looked at sessions at these moments; who is stuck needs one all the same."""
    at = seen.get(view.session, 0.0)
    return tuple(each for each in view.needs if each.kind in ("stuck", "waiting") or each.at > at)


def in_order(
    views: Iterable[SessionView], seen: Mapping[str, float] | None = None
) -> dict[SessionState, list[SessionView]]:
    """The sessions of each state, in the order in which a list shows them."""
    groups: dict[SessionState, list[SessionView]] = {state: [] for state in SESSION_STATES}
    kinds: dict[str, tuple[int, float]] = {}
    for view in views:
        left = unseen(view, seen or {})
        state = view.state if view.state != "needs_you" or left else view.otherwise
        groups[state].append(view)
        if left:
            kinds[view.session] = (NEED_KINDS.index(left[0].kind), left[0].at)
    groups["needs_you"].sort(key=lambda each: kinds[each.session])
    groups["working"].sort(key=lambda each: -each.began)
    for state in SESSION_STATES[2:]:
        groups[state].sort(key=lambda each: -each.moved)
    return groups


def _last_words(alive: Sequence[AgentRecord]) -> dict[str, float]:
    """When each agent, or one that works for it, last wrote."""
    spoke = {each.plan.agent: each.spoke_at for each in alive}
    for agent, at in list(spoke.items()):
        parent = agent.rpartition("/")[0]
        while parent:
            if parent in spoke:
                spoke[parent] = max(spoke[parent], at)
            parent = parent.rpartition("/")[0]
    return spoke


def _needs(views: Sequence[AgentView], now: float) -> Iterable[Need]:
    for view in views:
        todo, record = view.now, view.record
        if todo is not None and _is_persons(todo):
            yield Need(
                "waiting", view.agent, todo.content, view.on_since or record.spoke_at, todo.number
            )
        elif view.state == "stuck" and todo is not None:
            yield Need("stuck", view.agent, todo.content, now - view.silent, todo.number)
        for drop in record.dropped:
            yield Need("dropped", view.agent, drop.content, drop.at, drop.number)
        for edit in record.edits:
            if edit.state == "changed":
                yield Need("not_kept", view.agent, edit.content, edit.judged_at, edit.number)


def _is_persons(todo: Todo) -> bool:
    """Whether a step is given to a person: `owner: user`."""
    return any(key == "owner" and text.casefold() in _PERSONS for key, text in todo.extras)


def _state(
    views: Sequence[AgentView], *, is_open: bool, moved: float, now: float, midnight: float
) -> tuple[SessionState, float]:
    """The state without what needs a person, and since when; 0 for since the plan began."""
    if not is_open:
        return ("done_today" if moved >= midnight else "earlier"), moved
    silent = min((each.silent for each in views if each.is_open), default=0.0)
    if silent < QUIET:
        return "working", 0.0
    return ("abandoned" if silent < OLD else "earlier"), now - silent


def _shown(views: Sequence[AgentView]) -> AgentView | None:
    stuck = [each for each in views if each.state == "stuck"]
    if stuck:
        return max(stuck, key=lambda each: each.silent)
    working = [each for each in views if each.now is not None]
    return max(working, key=lambda each: each.record.spoke_at, default=None)


def _activity(records: Sequence[AgentRecord], now: float) -> tuple[int, ...]:
    """Revisions in twelve times five minutes, the last time last; empty for a silent hour."""
    start = now - SPARK * SPARK_SECONDS
    counts = [0] * SPARK
    for record in records:
        for at in reversed(record.moves):
            if at <= start:
                break
            counts[min(SPARK - 1, int((at - start) // SPARK_SECONDS))] += 1
    return tuple(counts) if any(counts) else ()
