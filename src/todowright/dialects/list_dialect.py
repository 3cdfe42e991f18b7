"""A dialect that takes the whole list in one call, as the five documents have it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

from todowright.dialects import schema_parts as schema
from todowright.dialects.dialect import Dialect, Tool
from todowright.dialects.extras import Extra
from todowright.dialects.field import ROLES, Field, Role
from todowright.plan.model import Plan, Todo
from todowright.values import settings

Stage = Literal["count", "items", "focus"]


class Plain:
    """What the checker looks up for every call of a dialect with plain items."""

    __slots__ = ("active_key", "content_key", "longest", "most_items", "status_key", "trims")

    def __init__(self, keys: Mapping[Role, str], dialect: Dialect) -> None:
        self.content_key, self.status_key = keys["content"], keys["status"]
        self.active_key = keys.get("active_form", "")
        """Empty for a dialect without active forms."""
        self.trims = dialect.trims
        self.most_items = dialect.most_items
        self.longest = dialect.longest


@settings
class ListDialect(Dialect):
    """One tool for the whole list: its keys, its fields, and the order of its checks."""

    tool_name: str = "TodoWrite"
    description: str = "Keep a todo list for multi-step work: send the whole list on every change."
    list_key: str = "todos"
    list_description: str = ""
    summary: Field | None = None
    """A text about the whole plan beside the list."""
    fields: tuple[Field, ...] = (Field("content"), Field("status"))
    """In the order of the schema, which is the order of the checks."""
    default_status: str | None = None
    """For an item that names none, where it need not; by default the first status."""
    extra_arguments: Literal["refuse", "ignore"] = "refuse"
    extra_fields: Literal["refuse", "ignore"] = "refuse"
    lenient: bool = False
    """Texts by str() and strip(), statuses by lower(), null counts as missing."""
    order: tuple[Stage, ...] = ("count", "items", "focus")
    """Observable where only the first fault is reported, therefore declared."""
    publish_limits: bool = True
    """Whether the limits stand in the published schema; False where a document prescribes it."""

    def __post_init__(self) -> None:
        """Refuse what could only fail later, when a model would be told of it."""
        super().__post_init__()
        roles = [part.role for part in self.fields]
        if len(set(roles)) < len(roles) or not {"content", "status"} <= set(roles) <= set(ROLES):
            raise self._wrong(f"fields must have content and status, each role of {ROLES} once")
        if self.known_keys & {extra.key for extra in self.extras}:
            raise self._wrong("an extra must have a key that no field has")
        if self.default_status is not None and self.default_status not in self.statuses:
            raise self._wrong(f"default_status must be one of {', '.join(self.statuses)}")
        if {*self.order} != {"count", "items", "focus"}:
            raise self._wrong("order must hold count, items and focus")

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The one tool."""
        return (Tool(self.tool_name, self.description, self.input_schema(), idempotent=True),)

    def input_schema(self, *, complete: bool = False) -> dict[str, Any]:
        """The published schema; `complete` adds every rule the checker knows."""
        texts: dict[str, Any] = {}
        if self.summary is not None:
            texts[self.summary.key] = self._text_schema(self.summary, None, complete)
        properties = texts | {self.list_key: self._list_schema(complete)}
        closed = self.extra_arguments == "refuse"
        return schema.an_object(properties, list(properties), closed=closed)

    def _list_schema(self, complete: bool) -> dict[str, Any]:
        found: dict[str, Any] = schema.described({"type": "array"}, self.list_description)
        found["items"] = self._item_schema(complete)
        if complete:
            found["maxItems"] = self.most_items
        elif self.publish_limits and self.max_items is not None:
            found["maxItems"] = self.max_items
        focus, limit = self.spellings("in_progress"), self.max_in_progress
        if focus and limit is not None and (complete or self.publish_limits):
            found |= schema.at_most(self.status_key, focus, limit)
        return found

    def _item_schema(self, complete: bool) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        for part in self.fields:
            match part.role:
                case "status":
                    found: dict[str, Any] = {"type": "string", "enum": list(self.statuses)}
                case "id":  # taken, whatever it is, and ignored
                    found = {} if complete else {"type": "string"}
                case _:
                    properties[part.key] = self._text_schema(part, self.max_length, complete)
                    continue
            properties[part.key] = schema.described(found, part.description)
        for extra in self.extras:
            properties[extra.key] = self._extra_schema(extra, complete)
        parts: tuple[Field | Extra, ...] = (*self.fields, *self.extras)
        required = [part.key for part in parts if part.required]
        return schema.an_object(properties, required, closed=self.extra_fields == "refuse")

    def _extra_schema(self, extra: Extra, complete: bool) -> dict[str, Any]:
        found: dict[str, Any] = schema.described({"type": "string"}, extra.description)
        if extra.choices:
            return found | {"enum": extra.allowed}
        limit = extra.max_length or self.max_length
        if extra.required:
            return self._text_schema(extra, limit, complete)
        if complete:
            return found | schema.complete_text(limit, trimmed=self.trims, optional=True)
        return found | {"maxLength": limit} if limit and self.publish_limits else found

    def _text_schema(
        self, part: Field | Extra, limit: int | None, complete: bool
    ) -> dict[str, Any]:
        found: dict[str, Any] = schema.described({"type": "string"}, part.description)
        if complete:
            return found | schema.complete_text(limit, trimmed=self.trims)
        return found | schema.published_text(limit) if self.publish_limits else found

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
        if self.extras:
            kept = dict(todo.extras)
            item |= {extra.key: kept[extra.key] for extra in self.extras if extra.key in kept}
        return item

    @cached_property
    def active_forms(self) -> bool:
        """Whether each todo must have an active form."""
        return any(part.role == "active_form" and part.required for part in self.fields)

    @cached_property
    def status_key(self) -> str:
        """The key of an item's status."""
        return next(part.key for part in self.fields if part.role == "status")

    @cached_property
    def plain(self) -> Plain | None:
        """How to read an item of a dialect with content, status and active form only.

        None for one with more to read: a summary, ids, extras, or statuses spelt its own way.
        """
        keys = {part.role: part.key for part in self.fields}
        if self.summary or self.meanings or self.extras or "id" in keys:
            return None
        return Plain(keys, self)  # pyright: ignore[reportArgumentType]

    @cached_property
    def known_keys(self) -> frozenset[str]:
        """The keys of an item that fill a part of a todo which every dialect knows."""
        return frozenset(part.key for part in self.fields)

    @cached_property
    def trims(self) -> bool:
        """Whether texts lose their outer white space."""
        return self.trim or self.lenient
