"""What is said of a URL that names no store."""

from __future__ import annotations

import re

from todowright.errors import UnknownName
from todowright.text import shown

URLS = "use memory:, sqlite:///path/to/plans.db or postgresql://host/database"
_LOGIN = r"//.*@|(?<=[?&]password=)[^&]*"


def safe_url(url: str) -> str:
    """A URL as it may be shown: without a name and a password."""
    return re.sub(_LOGIN, lambda found: "//…@" if found[0].startswith("//") else "…", url)


def unknown_url(url: str) -> UnknownName:
    """No store is known for a URL: what may have been meant. A password in it is not repeated."""
    told = shown(safe_url(url), 60)
    name = url.removeprefix("sqlite:").removeprefix("//")
    if url.partition(":")[0] == "memory" or name.strip(":/") == "memory" or url == "sqlite://":
        return UnknownName(f"no store is known for '{told}': did you mean memory:? {URLS}")
    guess = url.startswith("sqlite:") or name.endswith((".db", ".sqlite", ".sqlite3"))
    meant = f"did you mean sqlite:///{name}? " if guess and name and len(name) < 40 else ""
    return UnknownName(f"no store is known for '{told}': {meant}{URLS}")
