"""One key of an item, and the part of a todo that it fills."""

from __future__ import annotations

from typing import Literal, get_args

Role = Literal["content", "status", "active_form", "id"]
ROLES: tuple[Role, ...] = get_args(Role)


class Field:
    """One key of an item: the part of a `Todo` it fills, and how the dialect spells it."""

    __slots__ = ("description", "key", "required", "role")

    def __init__(
        self, role: Role, key: str = "", description: str = "", required: bool = True
    ) -> None:
        self.role = role
        self.key = key or role
        self.description = description
        self.required = required

    def __repr__(self) -> str:
        return f"Field({self.role!r}, {self.key!r})"
