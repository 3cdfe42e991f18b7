"""What a person, or a program, sees of an agent at work."""

from __future__ import annotations

import sys
from time import monotonic
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.text import Text

from todowright.agent import Agent, as_json, events
from todowright.agent.events import Event
from todowright.agent.providers import Usage
from todowright.agent.work.permissions import EACH_TIME
from todowright.cli.agent_words import in_full, result, said, told
from todowright.cli.box import box, console
from todowright.plan.model import MAIN, Plan
from todowright.stores.prices import Price
from todowright.text import clip, harmless, json_text, shown


class View:
    """The events of a run for a pipe: a line or a few for each, the box for every change."""

    def __init__(self) -> None:
        self.screen = console()
        self.price: Price | None = None
        """What the model's tokens cost, where the user says it."""
        self._usage, self._since = Usage(), monotonic()
        self.plan = Plan()
        self.others: dict[str, Plan] = {}
        """The plans of sub-agents that work now, by their names."""
        self._always: set[str] = set()
        self._rounds = 0
        self._thought = False
        self._shown = 0
        """The revision of the last box that stays on the screen."""

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def hear(self, text: str) -> None:
        """A piece of what the model says, as it comes."""

    def begin(self, plan: Plan, lines: list[str]) -> None:
        """What is known before the first event: a plan that goes on, and what to tell."""
        self.plan = plan
        for line in lines:
            for part in said(clip(line, 2000), "dim"):
                self._print(part)
        if plan.todos:
            self._drawn()

    def ask(self, tool: str, arguments: dict[str, Any], why: str) -> bool:
        """Ask the person whether a call may be made, and show all of it."""
        if tool in self._always and "not undone" not in why and EACH_TIME not in why:
            return True
        self._print(Text(f"  {tool} wants to run ({why}):", style="bold yellow"))
        for line in in_full(tool, arguments):
            self._print(Text(f"    {line}"))
        forget_typed()
        try:
            answer = input(f"  run it? [y/N, a: always {tool}] ").strip().lower()
        except EOFError:
            return False
        if answer in ("a", "always"):
            self._always.add(tool)
        return answer in ("y", "yes", "a", "always")

    def show(self, event: Event) -> None:
        """Show an event."""
        indent = "" if event.agent == MAIN else "  │ "
        for line in self._lines(event):
            self._print(Text(indent, style="dim").append_text(line))
        if isinstance(event, events.TodoUpdate):
            self._take(event)
            self._drawn()
        elif isinstance(event, events.Ended) and event.agent != MAIN:
            self.others.pop(event.agent, None)

    def _take(self, event: events.TodoUpdate) -> None:
        if event.agent == MAIN:
            self.plan = event.plan
        else:
            self.others[event.agent] = event.plan

    def _drawn(self) -> None:
        self._shown = self.plan.revision
        self._print(box(self.plan, others=self.others.values()))

    def _lines(self, event: Event) -> list[Text]:
        match event:
            case events.Started():
                again = "goes on" if event.resumed else "begins"
                head = (
                    f"session {event.session} {again}"
                    if event.agent == MAIN
                    else f"┌ {event.agent}"
                )
                return [Text(head, style="dim"), *said(event.task, "bold")]
            case events.Thought():
                self._usage += event.usage
                return said(event.text, "")
            case events.CallsInText():
                calls = "a call" if event.count == 1 else f"{event.count} calls"
                return [Text(f"◆ written as text, taken as {calls}", style="magenta")]
            case events.Action():
                line = Text("→ ", style="cyan").append(shown(event.tool), style="bold cyan")
                return [line.append(" " + told(event.tool, event.arguments, 120), style="default")]
            case events.Observation():
                return result(event, self.screen.width if self.screen.is_terminal else 160)
            case events.Reminder():
                bare = event.text.removeprefix("<reminder>").removesuffix("</reminder>")
                return [Text(f"◆ reminder: {clip(harmless(bare), 200)}", style="magenta")]
            case events.Compaction():
                self._usage += event.usage
                how = {"cleared": "old results cleared", "summarised": "the past summed up"}[
                    event.kind
                ]
                text = f"◆ context full: {how}, {event.before:,} → {event.after:,} tokens; the plan stays"
                return [Text(text, style="bold magenta")]
            case events.Waiting():
                text = f"… {clip(harmless(event.why), 150)}; again in {event.seconds:g} s"
                return [Text(text, style="yellow")]
            case events.Ended() if event.agent == MAIN:
                self._usage = event.usage
                if event.reason != "answer":
                    return [Text(f"■ {harmless(event.text)}", style="bold red")]
                left = sum(not todo.closed for todo in event.plan.todos)
                steps = "1 step" if left == 1 else f"{left} steps"
                return [Text(f"■ ended with {steps} open", style="bold yellow")] if left else []
        return []

    def status(self) -> str:
        """What the run has used so far."""
        usage = self._usage
        seconds = int(monotonic() - self._since)
        parts = [f"{seconds // 60}:{seconds % 60:02}", f"{usage.read:,} tokens read"]
        if usage.cached:
            parts[1] += f" ({usage.cached / max(usage.read, 1):.0%} cached)"
        parts.append(f"{usage.written:,} written")
        if self.price is not None:
            cost = self.price.of(usage.read, usage.written, usage.cached)
            parts.append(f"${cost:.3f}")
        return " · ".join(parts)

    def interrupted(self, agent: Agent) -> None:
        """The run was stopped."""
        self.plan = agent.todo.plan
        self.finish()

    def finish(self) -> None:
        """The plan as it is at the end, where it is not on the screen any more."""
        if self.plan.todos and self.plan.revision != self._shown:
            self._print(box(self.plan, most=self.screen.width if self.screen.is_terminal else None))

    def farewell(self, agent: Agent, again: str) -> None:
        """The plan at the end, what it cost, and what one can do next."""
        plan = self.plan = agent.todo.plan
        self.finish()
        self._print(Text(self.status(), style="dim"))
        if plan.log:
            self._print(
                Text(f"completion log: {agent.todo.dialect.log_folder}/{plan.log}", style="dim")
            )
        self._print(Text(f"to go on: {again}", style="dim"))

    def _print(self, line: Text) -> None:
        self.screen.print(line, soft_wrap=not self.screen.is_terminal)


class LiveView(View):
    """The same for a terminal: the plan stays at the bottom, and words come as they are said."""

    def __init__(self) -> None:
        super().__init__()
        self._heard = ""
        self._live = self._fresh()

    def _fresh(self) -> Live:
        return Live(
            console=self.screen, get_renderable=self._bottom, refresh_per_second=4, transient=True
        )

    def __enter__(self) -> View:
        self._live.start(refresh=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def hear(self, text: str) -> None:
        self._heard += text
        self._drawn()

    def ask(self, tool: str, arguments: dict[str, Any], why: str) -> bool:
        self._live.stop()
        try:
            return super().ask(tool, arguments, why)
        finally:
            self._live = self._fresh()  # the old one would wipe what was asked
            self._live.start(refresh=True)

    def show(self, event: Event) -> None:
        if isinstance(event, events.Thought | events.Waiting):
            self._heard = ""
        super().show(event)
        self._drawn()

    def _drawn(self) -> None:
        if self._live.is_started:
            self._live.refresh()

    def _bottom(self) -> Group:
        """What stays below all else; drawn anew now and then, so that its clock goes on."""
        width, height = self.screen.size
        heard = harmless(self._heard)[-width:]
        rows = max(3, height // 2)
        parts = [Text(heard, no_wrap=True, overflow="crop")] if heard else []
        if self.plan.todos:
            drawn = box(self.plan, most=width, rows=rows, others=self.others.values())
            drawn.end = "\n"
            parts.append(drawn)
        parts.append(Text(self.status(), style="dim", no_wrap=True, overflow="ellipsis"))
        return Group(*parts)


class JsonView(View):
    """Each event as a line of JSON."""

    def begin(self, plan: Plan, lines: list[str]) -> None:
        """Nothing: programs read events."""

    def show(self, event: Event) -> None:
        if isinstance(event, events.Thought | events.Compaction):
            self._usage += event.usage
        if event.agent == MAIN:
            self._rounds += self._thought and isinstance(event, events.Action)
            self._thought = isinstance(event, events.Thought)
        print(json_text(as_json(event)), flush=True)

    def interrupted(self, agent: Agent) -> None:
        text, plan = "stopped by the user", agent.todo.plan
        self.show(
            events.Ended(agent.todo.agent, "interrupted", text, plan, self._usage, self._rounds)
        )

    def farewell(self, agent: Agent, again: str) -> None:
        """Nothing: the last event said it."""


def forget_typed() -> None:
    """Throw away what was typed before a question was there to be read."""
    try:
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)
    except (ImportError, OSError, ValueError):  # no terminal
        pass


def view(*, json: bool) -> View:
    """How to show a run, by where its output goes."""
    if json:
        return JsonView()
    live = sys.stdout.isatty() and not console().is_dumb_terminal
    return LiveView() if live else View()
