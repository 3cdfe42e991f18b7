"""lean: the plan is sent once as plain strings, then only what changes."""

from todowright.dialects.lean.dialect import DIALECT

__all__ = ["DIALECT"]
