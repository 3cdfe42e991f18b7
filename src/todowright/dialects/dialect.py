"""What every dialect has: statuses, limits, words and marks. A dialect is one variant of the tool, written as a value.

A `ListDialect` takes the whole list in one call, a `VerbDialect` has small tools that change single steps.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Literal, Self, get_args

from todowright.dialects.call import Call, Draft, Reply
from todowright.dialects.default_phrases import PHRASES, phrase_fault
from todowright.dialects.extras import Extra, Sent, faults
from todowright.errors import Issue, Refused
from todowright.plan.model import LONGEST_TEXT, MOST_ITEMS, STATUSES, Plan, Status
from todowright.text import a_kind, likely, shown, told
from todowright.values import settings, value

MARKS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]", "cancelled": "[-]"}
Judgement = Literal["allow", "warn", "refuse"]
TRANSITIONS = ("skipped", "reopened", "rushed", "blocked")

Accept = Callable[["Any", Plan, Call], Reply]
Reject = Callable[["Any", tuple[Issue, ...], Call], Reply]
Annotate = Callable[["Any", Reply, str], Reply]
Settle = Callable[["Any", Plan, Plan, Draft], Plan]


@value
class Tool:
    """A tool as a host offers it to a model, and what the host should know of it."""

    name: str
    description: str
    input_schema: dict[str, Any]
    read_only: bool = False
    """False: a batch that holds this tool runs one by one, in call order."""
    needs_permission: bool = False
    in_plan_mode: bool = False
    idempotent: bool = False
    """True: the same call again leaves the same plan."""


@settings
class Dialect:
    """Names, statuses, limits, words and marks of one variant; make a `ListDialect` or a `VerbDialect`."""

    name: str

    # Each kind says how it comes by these.
    tool_name: str = field(init=False)
    """The name of its tool, or of the first of several."""
    description: str = field(init=False)
    """What the model reads of that tool."""
    list_key: str = field(init=False)
    """The key under which a list of todos is sent."""

    # What a plan may hold.
    statuses: tuple[str, ...] = ("pending", "in_progress", "completed")
    """As the model spells them, in the order of the schema."""
    meanings: Mapping[str, Status] = field(default_factory=dict)
    """What a status means where the dialect spells it its own way: `{"done": "completed"}`."""
    max_items: int | None = None
    max_length: int | None = None
    max_in_progress: int | None = 1
    """None: as many as the model likes."""
    switches: bool = False
    """Whether a step that is started puts back the one that was on, also where several may be on."""
    trim: bool = False
    """Texts lose their outer white space before they are measured and kept."""
    json_text: bool = False
    """The arguments may come as JSON text, as from a command line."""
    report: Literal["first", "all"] = "first"
    """Which faults of a call are told."""
    transitions: Mapping[str, Judgement] = field(default_factory=dict)
    """What to think of `skipped` (pending, then completed), `reopened` and `rushed` (the last ones
    completed together, by one call) items; what is not named is allowed. Tasks that start while others block them
    are `blocked`: that is refused, unless it is named."""
    repair: bool = False
    """Whether a call that is refused is mended, where only one thing can be meant, and tried again."""
    extras: tuple[Extra, ...] = ()
    """Texts of its own that it keeps with each todo: a priority, an owner, notes."""
    settle: Settle | None = None
    """Rules of its own for a revision, whoever makes it: of the dialect, the plan before, the next one and its draft
    it makes the plan that is kept, or raises `Refused`."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Limits a person may set: `{"max_items": "TODO_MAX_ITEMS"}`, read at each call."""

    # What it answers.
    phrases: Mapping[str, str] = field(default_factory=dict)
    """The words for each fault, before the house's own. `missing.list` goes before `missing`; the
    places are `root`, `list`, `item` (as a whole) and `field` (of an item)."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """How a status is shown; the house's own for those not named."""
    accept: Accept | None = None
    reject: Reject | None = None
    annotate: Annotate | None = None
    """How a note joins a reply; by default on a line of its own."""
    news: bool = False
    """Whether the model is told, unless somebody says otherwise, what others did to its plan."""

    # How an agent's loop treats it.
    recap: Callable[[Plan], str] | None = None
    """Where the plan stands, for the end of the context; by default `Plan.tail`."""
    reminders: Literal["work", "rounds"] = "work"
    """By work done on a step, or as document 003 has them, by rounds without a write."""
    lifetime: Literal["session", "run"] = "session"
    """How long a plan lives: `run` clears it when an agent takes up a new task."""

    # What it keeps.
    keep_unchanged: bool = True
    """Whether a call that changes nothing makes a revision all the same."""
    labels: Literal["kept", "fresh"] = "kept"
    """Whether a todo keeps its `id` over a rewrite of the list, or gets a new one with each revision."""
    log_folder: str = ""
    """Where finished plans are logged, under the project's root; empty: nowhere."""
    log_block: Callable[[Plan, str], str] | None = None
    """The text that is logged for a finished plan under a title."""

    prompt_text: str = ""
    prompt_file: str = ""
    """A file among the package's dialects that holds the prompt, read when it is asked for."""

    def __init__(self, **_: Any) -> None:
        """Refuse to be made: the two kinds of dialects have a method of their own for that."""
        raise TypeError("make a ListDialect or a VerbDialect")

    def __post_init__(self) -> None:
        """Refuse what could only fail later, when a model would be told of it."""
        for status in self.statuses:
            if self.meanings.get(status, status) not in STATUSES:
                raise self._wrong(f"meanings must map '{status}' to one of {', '.join(STATUSES)}")
        for name, phrase in self.phrases.items():
            if name.partition(".")[0] not in PHRASES:
                told = f"{likely(name, PHRASES)}they are in todowright.dialects.default_phrases"
                raise self._wrong(f"phrases knows no '{shown(name)}': {told}")
            if fault := phrase_fault(name, phrase):
                raise self._wrong(f"the phrase '{name}' {fault}")
        for name in ("accept", "reject", "annotate", "settle", "recap", "log_block"):
            if not ((own := getattr(self, name)) is None or callable(own)):
                raise self._wrong(f"{name} must be a function, not {a_kind(own)}")
        for name in ("accept", "reject", "annotate"):
            if getattr(getattr(self, name), "__annotations__", {}).get("return") in ("str", str):
                raise self._wrong(f"{name} gives a str: return a Reply")
        for name, judgement in self.transitions.items():
            if name not in TRANSITIONS or judgement not in get_args(Judgement):
                raise self._wrong(
                    f"transitions must map {', '.join(TRANSITIONS)} to allow, warn or refuse"
                )
        keys = [extra.key for extra in self.extras]
        if not all(extra.sound for extra in self.extras) or len({*keys}) < len(keys):
            raise self._wrong(
                "each extra has a short key (not id, text, after, by, self), no blank choice, and a limit above 0"
            )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def _wrong(self, what: str) -> ValueError:
        return ValueError(f"dialect {self.name}: {what}")

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What the model is offered."""
        raise NotImplementedError

    def arguments(self, plan: Plan) -> dict[str, Any]:
        """The plan as the model would send it."""
        raise NotImplementedError

    @cached_property
    def active_forms(self) -> bool:
        """Whether each todo must have an active form."""
        return False

    def input_schema(self) -> dict[str, Any]:
        """The published schema of its first tool."""
        return self.tools[0].input_schema

    @property
    def prompt(self) -> str:
        """The text for a system prompt: as the dialect's document prescribes it, or when to plan."""
        if not self.prompt_file:
            return self.prompt_text
        from importlib.resources import files

        text = files("todowright.dialects").joinpath(self.prompt_file).read_text("utf-8")
        return text.removesuffix("\n")

    def offered(self, *, plan_mode: bool) -> tuple[Tool, ...]:
        """The tools to offer in or out of plan mode."""
        return tuple(tool for tool in self.tools if tool.in_plan_mode or not plan_mode)

    def spellings(self, meaning: str) -> list[str]:
        """How this dialect spells a status."""
        return [status for status in self.statuses if self.meanings.get(status, status) == meaning]

    def wire_status(self, meaning: str) -> str | None:
        """The first way in which this dialect spells a status; None if it has none for it."""
        return self._first_spellings.get(meaning)

    @cached_property
    def _first_spellings(self) -> dict[str, str]:
        spelt = [(self.meanings.get(status, status), status) for status in self.statuses]
        return dict(reversed(spelt))

    @cached_property
    def deeds(self) -> tuple[str, ...]:
        """What a person or a program may do to a single todo of such a plan."""
        from todowright.plan.deeds import DEEDS, STATUS_OF

        return tuple(
            deed
            for deed in DEEDS
            if deed not in STATUS_OF or self.wire_status(STATUS_OF[deed]) is not None
        )

    @cached_property
    def all_marks(self) -> dict[str, str]:
        """How each status is shown: the dialect's marks, before the house's own."""
        return MARKS | dict(self.marks)

    @cached_property
    def most_items(self) -> int:
        """The limit in force, the house's where the dialect names none."""
        return MOST_ITEMS if self.max_items is None else self.max_items

    @cached_property
    def longest(self) -> int:
        """A text's limit in force, the house's where the dialect names none."""
        return LONGEST_TEXT if self.max_length is None else self.max_length

    @cached_property
    def trims(self) -> bool:
        """Whether texts lose their outer white space."""
        return self.trim

    def extra_faults(
        self, item: Mapping[Any, object], sent: Sent, index: int | None
    ) -> Iterator[Issue]:
        """What is wrong with the extras of an item; those that are right are put into `sent`."""
        return faults(self.extras, item, sent, index, self.longest, trim=self.trims)

    def say(self, issue: Issue) -> str:
        """The dialect's words for a fault."""
        phrases = self.phrases
        template = phrases.get(f"{issue.code}.{self._place(issue)}") or phrases.get(issue.code)
        if template is None or (issue.index is None and "{i}" in template):  # no item is meant
            template = PHRASES[issue.code]
        return template.format(
            i=issue.index,
            field=issue.field,
            path=self._path(issue),
            got=issue.value,
            kind=issue.kind,
            received=f"'{issue.value}'" if issue.kind == "string" else issue.value,
            limit=issue.limit,
            expected=issue.expected,
            allowed=", ".join(self.statuses),
            list=self.list_key,
            tool=", ".join(tool.name for tool in self.tools),
        )

    def worded(self, refused: Refused) -> Refused:
        """A refusal for a program, in the dialect's words."""
        _, words = told("\n".join(map(self.say, refused.issues)).split("\n"))
        return Refused(*refused.issues, words=words)

    def note(self, name: str, got: str) -> str:
        """The dialect's words for something the model should know beside the reply."""
        return (self.phrases.get(name) or PHRASES[name]).format(got=got)

    def _place(self, issue: Issue) -> str:
        if issue.index is not None:
            return "item" if issue.field is None else "field"
        return "list" if issue.field == self.list_key else "root"

    def _path(self, issue: Issue) -> str:
        if issue.index is None:
            return issue.field or "input"
        item = f"{self.list_key}[{issue.index}]"
        return f"{item}.{issue.field}" if issue.field else item

    def configured(self, environ: Mapping[str, str]) -> Self:
        """The dialect with the limits that the environment sets; raises `Refused` where one is wrong."""
        limits: dict[str, Any] = {}
        for name, variable in self.environment.items():
            if (value := environ.get(variable)) is None:
                continue
            digits = value.lstrip("0")
            if not (value.isascii() and value.isdigit() and digits):
                raise Refused(Issue("environment", field=variable, value=shown(value)))
            limits[name] = min(int(digits[:20]), sys.maxsize)  # nothing in memory is longer
        return replace(self, **limits) if limits else self
