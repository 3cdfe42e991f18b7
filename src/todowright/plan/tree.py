"""The plans of a session as trees: each sub-agent's under the one it works for, to any depth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from todowright.plan.model import Plan, Todo


@dataclass(frozen=True, slots=True)
class Tree:
    """A plan, and those of its sub-agents in the order in which they came."""

    plan: Plan
    children: tuple[Tree, ...] = ()

    @property
    def label(self) -> str:
        """The agent's own name, without those it works for."""
        return self.plan.agent.rpartition("/")[2]

    def under(self, todo: Todo) -> tuple[Tree, ...]:
        """The sub-agents that work on this step."""
        return tuple(each for each in self.children if each.plan.serves == todo.number)

    @property
    def loose(self) -> tuple[Tree, ...]:
        """The sub-agents that work on no step of the plan as it is now."""
        numbers = {todo.number for todo in self.plan.todos}
        return tuple(each for each in self.children if each.plan.serves not in numbers)


def trees(plans: Iterable[Plan]) -> tuple[Tree, ...]:
    """The plans of a session, nested; one whose parents have no plan stands on its own."""
    by_name = {plan.agent: plan for plan in plans}
    children: dict[str, list[Plan]] = {}
    for plan in by_name.values():
        parent = plan.parent
        while parent and parent not in by_name:
            parent = parent.rpartition("/")[0]
        children.setdefault(parent, []).append(plan)

    grown: dict[str, Tree] = {}
    for plan in sorted(by_name.values(), key=lambda each: -each.agent.count("/")):
        below = tuple(grown[each.agent] for each in children.get(plan.agent, ()))
        grown[plan.agent] = Tree(plan, below)
    return tuple(grown[plan.agent] for plan in children.get("", ()))


def tree_of(plan: Plan, others: Iterable[Plan]) -> Tree:
    """One plan with those of its sub-agents, whatever else the session has."""
    below = [each for each in others if each.agent.startswith(f"{plan.agent}/")]
    return trees([plan, *below])[0]
