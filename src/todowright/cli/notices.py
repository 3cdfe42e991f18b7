"""What is worth telling somebody who does not look: who is stuck, what is finished, dropped, or waits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

from todowright.cli.ages import lasting
from todowright.cli.states import progress, reason
from todowright.plan.attention import Need, SessionView
from todowright.plan.stuck import GIVEN_UP, AgentView
from todowright.text import clip, harmless

NoticeKind = Literal["stuck", "waiting", "finished", "dropped", "not_kept"]
KINDS: tuple[NoticeKind, ...] = get_args(NoticeKind)
LONGEST = 500
"""Characters of the sentence, and of a step's words."""
MOST_STEPS = 20
URGENT = ("stuck", "waiting")
"""What is told also if it was so before anybody asked to be told."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that happened. What has the same `id` is the same, also after a restart."""

    id: str
    kind: NoticeKind
    session: str
    agent: str
    at: float
    text: str
    """One sentence, safe to show."""
    steps: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    """An id for each of several steps: if some come back, the others were told all the same."""

    def to_dict(self) -> dict[str, object]:
        """The notice as plain values, for JSON."""
        return {
            "id": self.id,
            "event": self.kind,
            "session": self.session,
            "agent": self.agent,
            "at": datetime.fromtimestamp(self.at, UTC).isoformat(timespec="milliseconds"),
            "text": self.text,
            "steps": list(self.steps),
        }


@dataclass(frozen=True, slots=True)
class Rules:
    """What is told, and from when on."""

    kinds: frozenset[str] = frozenset(KINDS)
    stuck_after: float | None = None
    """Seconds of silence; None for the board's rule, three times the usual."""

    def notices(self, views: Iterable[SessionView], now: float) -> list[Notice]:
        """All that holds now, the oldest first."""
        found = [each for view in views for each in self._of(view, now) if each.kind in self.kinds]
        return sorted(found, key=lambda each: (each.at, each.id))

    def _of(self, view: SessionView, now: float) -> Iterator[Notice]:
        needs: dict[tuple[str, str, float], list[Need]] = {}
        for need in self._needs(view):
            needs.setdefault((need.kind, need.agent, need.at), []).append(need)
        for same in needs.values():
            yield _needed(view, same, now)
        if done := finished(view):
            yield done

    def _needs(self, view: SessionView) -> Iterator[Need]:
        """Why somebody is needed; of agents that are silent together, only the one that the others wait for."""
        yield from (need for need in view.needs if need.kind != "stuck")
        waiting = {need.agent for need in view.needs if need.kind == "waiting"}
        stuck = {need.agent for need in view.needs if need.kind == "stuck"}
        if (mine := self.stuck_after) is not None:
            late = [each for each in view.agents if mine < each.silent < GIVEN_UP]
            stuck = {each.agent for each in late if each.now and each.agent not in waiting}
        for agent in view.agents:
            below = f"{agent.agent}/"
            if agent.agent in stuck and agent.now and not any(s.startswith(below) for s in stuck):
                at = _last_word(view, agent.agent)
                yield Need("stuck", agent.agent, agent.now.content, at, agent.now.number)


def _last_word(view: SessionView, agent: str) -> float:
    """When an agent or one that works for it last wrote: exactly, so that it makes the same name again."""
    below = f"{agent}/"
    mine = [each for each in view.agents if each.agent == agent or each.agent.startswith(below)]
    return max(each.record.spoke_at for each in mine)


def _needed(view: SessionView, needs: Sequence[Need], now: float) -> Notice:
    """Why a session needs somebody; what was dropped at once is told at once."""
    first = needs[0]
    told = reason(needs)
    if first.kind == "stuck":
        silence = lasting(timedelta(seconds=now - first.at))
        told = told.replace(" is stuck: ", f" is stuck, silent for {silence}: ", 1)
    numbers = [str(need.number) for need in needs]
    parts = [f"{first.kind}:{view.session}:{first.agent}:{each}:{first.at!r}" for each in numbers]
    name = f"{first.kind}:{view.session}:{first.agent}:{','.join(numbers)}:{first.at!r}"
    steps = tuple(clip(harmless(need.text), LONGEST) for need in needs[:MOST_STEPS])
    text = clip(f"{harmless(view.session)}: {told}", LONGEST)
    return Notice(name, first.kind, view.session, first.agent, first.at, text, steps, tuple(parts))


def finished(view: SessionView) -> Notice | None:
    """That a session is finished; once for every set of steps, although it may be tidied later."""
    own = [each for each in view.agents if "/" not in each.agent] or list(view.agents)
    if view.ended is None or not any(each.done for each in view.agents):
        return None
    issued = ",".join(f"{each.agent}={each.record.plan.issued}" for each in sorted(own, key=_name))
    took = lasting(timedelta(seconds=view.ended - view.began))
    text = f"{harmless(view.session)} is finished: {progress(view.agents)} steps in {took}"
    said = next((each.record.plan.summary for each in own if each.record.plan.summary), "")
    text = clip(f"{text}. {harmless(said)}" if said else text, LONGEST)
    name = f"finished:{view.session}:{issued}"
    return Notice(name, "finished", view.session, own[0].agent, view.ended, text)


def _name(view: AgentView) -> str:
    return view.agent
