"""What went wrong at a provider, in one line, and whether another try may help.

The two official clients name their errors alike, so one reading serves both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from time import monotonic
from types import ModuleType
from typing import Any

from todowright.agent.providers import ModelError, ToolCall
from todowright.agent.redaction import redacted, without_password
from todowright.text import clip, encodable, harmless

_PASSING = {"overloaded_error", "api_error", "rate_limit_error", "timeout_error", "server_error"}
_PASSING |= {"rate_limit_exceeded", "internal_error", "429", "500", "502", "503", "504", "529"}
_TOO_LONG = (
    "prompt is too long",
    "context_length_exceeded",
    "context length",
    "context window",
    "exceed context limit",
)


@contextmanager
def told(sdk: ModuleType, place: str) -> Iterator[None]:
    """What the client raises becomes a `ModelError`; `place` names the server in it."""
    try:
        yield
    except ModelError:
        raise
    except sdk.APIStatusError as error:
        raise _status(error, place) from None
    except sdk.APIConnectionError as error:
        why = error.__cause__ or error
        raise ModelError(f"no answer from {place}: {_line(why)}", transient=True) from None
    except sdk.APIError as error:
        raise _in_stream(error, place) from None
    except Exception as error:  # the transport's own, in mid-stream; or a stream that is no JSON
        text = f"the answer of {place} broke off: {_line(error)}"
        raise ModelError(text, transient=True) from None


@contextmanager
def addressed(variable: str, base: str | None) -> Iterator[None]:
    """An address that a client cannot read becomes a `ModelError`, without the password in it."""
    try:
        yield
    except Exception:  # what it says may hold a part of the password
        if not base:
            raise
        told = f"{variable} is no address: {harmless(without_password(base))}"
        raise ModelError(told) from None


def broken(*, began: bool) -> ModelError:
    """An answer without an end: worth another try, unless it was none from the start."""
    if began:
        return ModelError("the answer broke off", transient=True)
    return ModelError("the server did not answer with a stream: is its address right (…/v1)?")


def in_time(stream: Iterable[Any], seconds: float | None) -> Iterator[Any]:
    """The pieces of a stream; an answer that takes longer than so many seconds is given up."""
    end = None if seconds is None else monotonic() + seconds
    for piece in stream:
        if end is not None and monotonic() > end:
            raise ModelError(f"the answer took longer than {seconds:g} s", transient=True)
        yield piece


def tried(sdk: ModuleType, client: Any, place: str, key: str) -> None:
    """Look whether a server answers and takes the key; `key` names its variable."""
    with told(sdk, place):
        try:
            client.models.list(timeout=10)
        except sdk.AuthenticationError:
            raise ModelError(f"{place} refuses the key in {key}") from None
        except sdk.APIStatusError:
            pass  # there, but without a list of models that we may see


def _status(error: Any, place: str) -> ModelError:
    inner = _body(error)
    kinds, code = _kinds(inner), error.status_code
    passing = code in (408, 409, 429) or code >= 500 or (code < 400 and bool(kinds & _PASSING))
    passing = passing and "insufficient_quota" not in kinds
    text = _line(inner.get("message") or error)
    too_long = code in (400, 413) and any(words in str(error).lower() for words in _TOO_LONG)
    wait = None
    with suppress(ValueError):
        wait = max(0.0, float(error.response.headers.get("retry-after", "")))
    return ModelError(f"{place} answered {code}: {text}", passing, wait, too_long)


def _in_stream(error: Any, place: str) -> ModelError:
    """An error that came when the answer had begun, without a status of its own."""
    inner = _body(error)
    kinds, text = _kinds(inner), _line(inner.get("message") or error)
    too_long = any(words in f"{text} {' '.join(kinds)}".lower() for words in _TOO_LONG)
    passing = (not kinds or bool(kinds & _PASSING)) and not too_long
    return ModelError(f"{place}: {text}", passing, None, too_long)


def _body(error: Any) -> Mapping[str, Any]:
    """What the server says of an error."""
    body = error.body if isinstance(error.body, Mapping) else {}
    inner = body.get("error", body)
    return inner if isinstance(inner, Mapping) else {}


def _kinds(body: Mapping[str, Any]) -> set[str]:
    """What kind of error it says it is; some servers put that into `type`, some into `code`."""
    return {str(body[key]) for key in ("type", "code") if body.get(key)}


def _line(error: object) -> str:
    return clip(harmless(redacted(str(error)) or type(error).__name__), 200)


def read_call(identity: str, name: str, text: str, *, cut: bool) -> ToolCall:
    """A call from the JSON text that the model wrote for it."""
    arguments: Any = None
    try:
        arguments = json.loads(text) if text.strip() else {}
        sound = encodable(json.dumps(arguments, ensure_ascii=False, allow_nan=False))
    except (ValueError, RecursionError):
        sound = False
    fault = "" if sound else "invalid JSON: send the call again, with a JSON object"
    if sound and not isinstance(arguments, dict):
        fault = "the arguments must be a JSON object: send the call again"
    if cut:
        fault = "the call was cut off, it was too long: send it again, shorter or in parts"
    return ToolCall(identity, harmless(name), {} if fault else arguments, fault)
