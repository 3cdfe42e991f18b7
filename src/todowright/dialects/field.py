"""One key of an item, and the part of a todo that it fills."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Role = Literal["content", "status", "active_form", "id"]
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, eq=False)
class Field:
    """One key of an item: the part of a `Todo` it fills, and how the dialect spells it."""

    role: Role
    key: str = ""
    description: str = ""
    required: bool = True

    def __post_init__(self) -> None:
        if not self.key:
            object.__setattr__(self, "key", self.role)
