"""A dialect: one variant of the tool, written as a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

from todowright.dialects import schema
from todowright.plan.model import (
    LONGEST_TEXT,
    MOST_ITEMS,
    STATUSES,
    Call,
    Issue,
    Plan,
    Reply,
    Status,
    Todo,
)
from todowright.text import shown
from todowright.dialects.phrases import PHRASES, ROLES, Field, Stage, Tool, Verb

__all__ = ["Dialect", "Field", "Tool", "Verb"]

Judgement = Literal["allow", "warn", "refuse"]
TRANSITIONS = ("skipped", "reopened", "rushed")

Accept = Callable[["Dialect", Plan, Call], Reply]
Reject = Callable[["Dialect", tuple[Issue, ...], Call], Reply]
Annotate = Callable[["Dialect", Reply, str], Reply]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Dialect:
    """Names, fields, statuses, limits, order of checks, words and marks of one variant."""

    name: str
    tool_name: str = "TodoWrite"
    description: str = "Keep a todo list for multi-step work: send the whole list on every change."

    # What the model sends.
    list_key: str = "todos"
    list_description: str = ""
    summary: Field | None = None
    """A text about the whole plan beside the list."""
    fields: tuple[Field, ...] = (Field("content"), Field("status"))
    """In the order of the schema, which is the order of the checks."""
    statuses: tuple[str, ...] = ("pending", "in_progress", "completed")
    """As the model spells them, in the order of the schema."""
    meanings: Mapping[str, Status] = field(default_factory=dict)
    """What a status means where the dialect spells it its own way: `{"done": "completed"}`."""
    default_status: str | None = None
    """For an item that names none, where it need not; by default the first status."""
    extra_arguments: Literal["refuse", "ignore"] = "refuse"
    extra_fields: Literal["refuse", "ignore"] = "refuse"
    lenient: bool = False
    """Texts by str() and strip(), statuses by lower(), null counts as missing."""
    trim: bool = False
    """Texts lose their outer white space before they are measured and kept."""
    json_text: bool = False
    """The arguments may come as JSON text, as from a command line."""

    # What it may send.
    max_items: int | None = None
    max_length: int | None = None
    max_in_progress: int | None = 1
    """None: as many as the model likes."""
    order: tuple[Stage, ...] = ("count", "items", "focus")
    """Observable where only the first fault is reported, therefore declared."""
    report: Literal["first", "all"] = "first"
    transitions: Mapping[str, Judgement] = field(default_factory=dict)
    """What to think of `skipped` (pending, then completed), `reopened` and `rushed` (the last ones
    completed together, by one call) items; what is not named is allowed."""
    repair: bool = False
    """Whether a call that is refused is mended, where only one thing can be meant, and tried again."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Limits a person may set: `{"max_items": "TODO_MAX_ITEMS"}`, read at each call."""
    publish_limits: bool = True
    """Whether the limits stand in the published schema; False where a document prescribes it."""

    # What it answers.
    phrases: Mapping[str, str] = field(default_factory=dict)
    """The words for each fault, before the house's own. `missing.list` goes before `missing`; the
    places are `root`, `list`, `item` (as a whole) and `field` (of an item)."""
    marks: Mapping[str, str] = field(
        default_factory=lambda: {
            "pending": "[ ]",
            "in_progress": "[>]",
            "completed": "[x]",
            "cancelled": "[-]",
        }
    )
    accept: Accept | None = None
    reject: Reject | None = None
    annotate: Annotate | None = None
    """How a note joins a reply; by default on a line of its own."""

    # How an agent's loop treats it.
    recap: Callable[[Plan], str] | None = None
    """Where the plan stands, for the end of the context; by default `Plan.tail`."""
    reminders: Literal["work", "rounds"] = "work"
    """By work done on a step, or as document 003 has them, by rounds without a write."""
    lives: Literal["session", "run"] = "session"
    """How long a plan lives: `run` clears it when an agent takes up a new task."""

    # Whether it has small tools that change single steps, in place of the one for the whole list.
    verbs: tuple[Verb, ...] = ()

    # What it keeps.
    keep_unchanged: bool = True
    """Whether a call that changes nothing makes a revision all the same."""
    ids: Literal["kept", "fresh"] = "kept"
    """Whether an item keeps its id over a rewrite of the list, or each revision counts on."""
    log_folder: str = ""
    """Where finished plans are logged, under the project's root; empty: nowhere."""
    log_block: Callable[[Plan, str], str] | None = None
    """The text that is logged for a finished plan under a title."""

    prompt_text: str = ""
    prompt_file: str = ""
    """A file among the package's dialects that holds the prompt, read when it is asked for."""

    def __post_init__(self) -> None:
        """Refuse what could only fail later, when a model would be told of it."""
        for status in self.statuses:
            if self.meanings.get(status, status) not in STATUSES:
                raise self._wrong(f"meanings must map '{status}' to one of {', '.join(STATUSES)}")
        roles = [part.role for part in self.fields]
        if len(set(roles)) < len(roles) or not {"content", "status"} <= set(roles) <= set(ROLES):
            raise self._wrong(f"fields must have content and status, each role of {ROLES} once")
        if self.default_status is not None and self.default_status not in self.statuses:
            raise self._wrong(f"default_status must be one of {', '.join(self.statuses)}")
        for name in self.phrases:
            if name.partition(".")[0] not in PHRASES:
                raise self._wrong(f"phrases knows no '{name}'; it has {', '.join(PHRASES)}")
        for name, judgement in self.transitions.items():
            if name not in TRANSITIONS or judgement not in get_args(Judgement):
                raise self._wrong(
                    f"transitions must map {', '.join(TRANSITIONS)} to allow, warn or refuse"
                )
        if {*self.order} != {"count", "items", "focus"}:
            raise self._wrong("order must hold count, items and focus")

    def __repr__(self) -> str:
        return f"<Dialect {self.name}>"

    def _wrong(self, what: str) -> ValueError:
        return ValueError(f"dialect {self.name}: {what}")

    @property
    def prompt(self) -> str:
        """The text for a system prompt, as the dialect's document prescribes it."""
        if not self.prompt_file:
            return self.prompt_text
        from importlib.resources import files

        text = files("todowright.dialects").joinpath(self.prompt_file).read_text("utf-8")
        return text.removesuffix("\n")

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What the model is offered."""
        if self.verbs:
            return tuple(verb.tool for verb in self.verbs)
        return (Tool(self.tool_name, self.description, self.input_schema()),)

    def verb(self, tool: str | None, arguments: object) -> Verb | None:
        """The verb that is called: by its name, or by what only it is given."""
        if tool is not None:
            return next((verb for verb in self.verbs if verb.tool.name == tool), None)
        given = arguments if isinstance(arguments, dict) else {}
        meant = [verb for verb in self.verbs if verb.key in given] or [self.verbs[0]]
        if len(meant) > 1 and meant[0] is self.verbs[0]:
            return None  # a whole plan, and something else
        return meant[-1]  # the later ones may take a key of the earlier, too

    def offered(self, *, plan_mode: bool) -> tuple[Tool, ...]:
        """The tools to offer in or out of plan mode."""
        return tuple(tool for tool in self.tools if tool.in_plan_mode or not plan_mode)

    def input_schema(self, *, complete: bool = False) -> dict[str, Any]:
        """The published schema; `complete` adds every rule the checker knows."""
        if self.verbs:
            return self.verbs[0].tool.input_schema
        return schema.input_schema(self, complete=complete)

    def arguments(self, plan: Plan) -> dict[str, Any]:
        """The call that would make this plan."""
        arguments: dict[str, Any] = {} if self.summary is None else {self.summary.key: plan.summary}
        arguments[self.list_key] = [self.wire(todo) for todo in plan.todos]
        return arguments

    def wire(self, todo: Todo) -> dict[str, str]:
        """One todo as the model would send it."""
        item: dict[str, str] = {}
        for part in self.fields:
            if part.role == "status":
                item[part.key] = self.wire_status(todo.status) or todo.status
            elif part.role != "id":
                item[part.key] = getattr(todo, part.role)
        return item

    def spellings(self, meaning: str) -> list[str]:
        """How this dialect spells a status."""
        return [status for status in self.statuses if self.meanings.get(status, status) == meaning]

    def wire_status(self, meaning: str) -> str | None:
        """The first way in which this dialect spells a status; None if it has none for it."""
        return next(iter(self.spellings(meaning)), None)

    @cached_property
    def most_items(self) -> int:
        """The limit in force, the house's where the dialect names none."""
        return MOST_ITEMS if self.max_items is None else self.max_items

    @cached_property
    def longest(self) -> int:
        """A text's limit in force, the house's where the dialect names none."""
        return LONGEST_TEXT if self.max_length is None else self.max_length

    @cached_property
    def status_key(self) -> str:
        """The key of an item's status."""
        return next(part.key for part in self.fields if part.role == "status")

    @cached_property
    def text_keys(self) -> tuple[str, str, str] | None:
        """The keys of content, status and active form ("" for none) of a dialect with just these.

        None for one with more to read: a summary, ids, or statuses spelt its own way.
        """
        keys = {part.role: part.key for part in self.fields}
        if self.summary or self.meanings or "id" in keys:
            return None
        return keys["content"], keys["status"], keys.get("active_form", "")

    @cached_property
    def known_keys(self) -> frozenset[str]:
        """The keys of an item."""
        return frozenset(part.key for part in self.fields)

    @cached_property
    def trims(self) -> bool:
        """Whether texts lose their outer white space."""
        return self.trim or self.lenient

    def say(self, issue: Issue) -> str:
        """The dialect's words for a fault."""
        phrases = self.phrases
        template = phrases.get(f"{issue.code}.{self._place(issue)}") or phrases.get(issue.code)
        return (template or PHRASES[issue.code]).format(
            i=issue.index,
            field=issue.field,
            path=self._path(issue),
            got=issue.value,
            kind=issue.kind,
            received=f"'{issue.value}'" if issue.kind == "string" else issue.kind,
            limit=issue.limit,
            expected=issue.expected,
            allowed=", ".join(self.statuses),
            list=self.list_key,
            tool=", ".join(tool.name for tool in self.tools) if self.verbs else self.tool_name,
        )

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

    def configured(self, environ: Mapping[str, str]) -> tuple[Dialect, Issue | None]:
        """The dialect with the limits that the environment sets, and what is wrong with them."""
        limits: dict[str, Any] = {}
        for name, variable in self.environment.items():
            if (value := environ.get(variable)) is None:
                continue
            if not (value.isascii() and value.isdigit() and len(value) < 10 and int(value) > 0):
                return self, Issue("environment", field=variable, value=shown(value))
            limits[name] = int(value)
        return (replace(self, **limits) if limits else self), None
