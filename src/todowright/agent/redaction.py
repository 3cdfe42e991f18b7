"""Keys and passwords, kept out of what is written down, printed, or handed to commands."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache

PASSED = "TODOWRIGHT_PASS_KEYS"
"""Names the variables that commands are given all the same, with commas between them."""
MODEL_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY")
"""The keys of our models' providers."""
_BASE_URLS = ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL")
"""They may have a password in them."""
STAND_IN = "[redacted]"
_SHORTEST = 6
"""Characters of a key that is looked for as it is: a shorter one may be a word."""
_PASSWORD = re.compile(r"(://[^\s/@:\"\\]{0,200}):[^\s/@\"\\]{1,500}@")


@cache
def _looks_like_a_key() -> re.Pattern[str]:
    """Keys by the marks of those who issue them. Each part has a limit, so that a long text takes no longer than it must."""
    begin = (
        r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))"  # also behind the end of a line, as JSON writes it
    )
    letters = "[A-Za-z0-9_-]"
    marked = (
        rf"sk-{letters}{{16,300}}",
        rf"[rs]k_(?:live|test)_{letters}{{16,300}}",
        rf"(?:gh[opsur]|glpat|npm|hf|pypi)[_-]{letters}{{20,300}}",
        rf"github_pat_{letters}{{20,300}}",
        rf"(?:xox[abeprs]|xapp)-{letters}{{10,300}}",
        r"A[KS]IA[0-9A-Z]{16}",
        rf"ya29\.{letters}{{20,1000}}",
        rf"AIza{letters}{{30,100}}",
        rf"eyJ{letters}{{8,4000}}\.eyJ{letters}{{8,4000}}\.{letters}{{8,4000}}",
    )
    others = (
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:\\n|[A-Za-z0-9+/=:,\s]|-(?!-)){0,20000}(?:-----END [A-Z ]{0,40}KEY-----)?",
        r"(?<=Bearer )[A-Za-z0-9._~+/=-]{16,4000}",
    )
    return re.compile("|".join([f"{begin}(?:{'|'.join(marked)})", *others]))


def redacted(text: str, environ: Mapping[str, str] | None = None) -> str:
    """A text without what looks like a key, without the model's own keys, and without passwords in addresses."""
    environ = os.environ if environ is None else environ
    own = [environ.get(name, "") for name in MODEL_KEYS]
    own += [_password(environ.get(name, "")) for name in _BASE_URLS]
    for value in own:
        if len(value) >= _SHORTEST:
            text = text.replace(value, STAND_IN)
    text = _looks_like_a_key().sub(STAND_IN, text)
    return _PASSWORD.sub(rf"\1:{STAND_IN}@", text) if "@" in text else text


def without_password(url: str) -> str:
    """An address without its user and password."""
    scheme, mark, rest = url.rpartition("://")
    _, at, host = rest.rpartition("@")
    return f"{scheme}{mark}{STAND_IN}@{host}" if at else url


def _password(url: str) -> str:
    return url.rpartition("://")[2].rpartition("@")[0].partition(":")[2]


def for_commands(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a command: without the model's keys, unless a setting names them."""
    environ = os.environ if environ is None else environ
    passed = {name.strip() for name in environ.get(PASSED, "").split(",")}
    hidden = {*MODEL_KEYS, *(name for name in _BASE_URLS if "@" in environ.get(name, ""))} - passed
    return {name: value for name, value in environ.items() if name not in hidden}
