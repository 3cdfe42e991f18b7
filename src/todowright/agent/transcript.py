"""The conversation on disk: appended to, never rewritten, readable after a crash."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows: there two processes in one session are not kept apart
    fcntl = None  # type: ignore[assignment]

from todowright.agent.events import Observation
from todowright.agent.providers import Message, ToolCall
from todowright.agent.redaction import redacted
from todowright.errors import StoreError
from todowright.text import sound

Seen = tuple[int, int]
"""The bytes of a request, and its tokens by the provider's count."""
GO_ON = "Go on."
INTERRUPTED = (
    "interrupted: it may have run, or not, or be running still. Look before you do it again"
)


class Transcript:
    """What was said in a session, and what of it is in the context.

    A line is `{"message": …}`, with `"asked"` where a person said it, `"idle_rounds"` where calls were answered and
    `"written"` where calls came as this text, or `{"context": […]}` where the context was made smaller. Without a path nothing is kept.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.messages: list[Message] = []
        self.asked: list[str] = []
        """What the user wanted, in their own words."""
        self.seen: Seen = (1, 0)
        self.idle_rounds = 0
        """Rounds in a row without a plan call, where the last results came back."""
        self.written: list[str] = []
        """The answers whose calls the model wrote as text."""
        self._file: FileIO | None = None
        if path is not None:
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            self._file = _opened(path)
            try:
                _lock(self._file, path.stem)
                self._read(self._file)
            except StoreError:
                self._file.close()
                raise

    def add(
        self,
        role: str,
        content: list[Message],
        *,
        asked: str = "",
        seen: Seen | None = None,
        idle_rounds: int | None = None,
        written: str | None = None,
    ) -> None:
        """Add a message, and what is known with it of the request or of the rounds so far."""
        message = {"role": role, "content": content}
        self.messages.append(message)
        self.written += [written] if written is not None else []
        known = {"seen": seen, "idle_rounds": idle_rounds, "written": written}
        kept = {name: value for name, value in known.items() if value is not None}
        self._write({"message": message, **kept}, asked)

    def replace(self, messages: list[Message], *, asked: str = "") -> None:
        """Go on with these messages as the context; the others stay on disk."""
        self.messages = messages
        self._write({"context": messages}, asked)

    def ask(self, task: str, before: list[Message]) -> None:
        """Add what the user wants, or that it is to go on, behind the answers that calls wait for."""
        task = sound(task)
        content = [*unanswered(self.messages), *before, {"type": "text", "text": task or GO_ON}]
        if self.messages and self.messages[-1]["role"] == "user":  # nobody answered it
            content = [*self.messages[-1]["content"], *content]
            self.replace([*self.messages[:-1], {"role": "user", "content": content}], asked=task)
        else:
            self.add("user", content, asked=task)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _read(self, file: FileIO) -> None:
        """Read what is there. Only a last line that a crash cut off is dropped, nothing else."""
        file.seek(0)
        lines = file.read().splitlines(keepends=True)
        whole = 0
        for number, line in enumerate(lines, 1):
            entry = _entry(line)
            if entry is None and number == len(lines) and not line.endswith(b"\n"):
                file.truncate(whole)
                return
            if entry is None:
                name = Path(str(file.name)).name
                raise StoreError(
                    f"{name} is no transcript, or damaged, at line {number}: it is left as it is"
                )
            if "context" in entry:
                self.messages = list(entry["context"])
            else:
                self.messages.append(entry["message"])
            self.asked += [entry["asked"]] if "asked" in entry else []
            self.written += [entry["written"]] if "written" in entry else []
            self.seen = tuple(entry.get("seen", self.seen))
            self.idle_rounds = entry.get("idle_rounds", self.idle_rounds)
            whole += len(line)

    def _write(self, entry: dict[str, Any], asked: str) -> None:
        if asked:
            self.asked.append(asked)
            entry["asked"] = asked
        if self._file is None:
            return
        text = redacted(json.dumps(entry, ensure_ascii=False))
        line = text.encode("utf-8", "replace") + b"\n"
        end = os.fstat(self._file.fileno()).st_size
        try:
            while line:
                line = line[self._file.write(line) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(end)  # half a line would be taken for damage
            raise StoreError(f"the transcript could not be written: {error.strerror}") from None


def _opened(path: Path) -> FileIO:
    """The file, which only its owner may read: also where it was made otherwise."""

    def private(name: str, flags: int) -> int:
        descriptor = os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)
        if os.name == "posix" and os.fstat(descriptor).st_mode & 0o077:
            os.fchmod(descriptor, 0o600)
        return descriptor

    return FileIO(path, "a+", opener=private)


def _lock(file: FileIO, session: str) -> None:
    """Keep other processes out of the session."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise StoreError(f"session {session} is being run by another process") from None


def _entry(line: bytes) -> dict[str, Any] | None:
    """A line of a transcript, if it is one."""
    try:
        entry = json.loads(line) if line.endswith(b"\n") else None
        messages = entry["context"] if "context" in entry else [entry["message"]]  # type: ignore[index, operator]
        seen = entry.get("seen", [1, 0])  # type: ignore[union-attr]
        good = len(seen) == 2 and all(isinstance(each, int) for each in seen)
        good = good and isinstance(entry.get("idle_rounds", 0), int)  # type: ignore[union-attr]
        good = good and isinstance(entry.get("written", ""), str)  # type: ignore[union-attr]
        for message in messages:
            good = good and message["role"] in ("user", "assistant")
            good = good and all(isinstance(block["type"], str) for block in message["content"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return entry if good else None


def answers(calls: Sequence[ToolCall], outcomes: Sequence[Observation]) -> list[Message]:
    """The answers to the calls of one turn, in their order; the last of them may have none yet."""
    done = [result(each.id, each.text, is_error=each.is_error) for each in outcomes]
    return done + [result(call.id, INTERRUPTED, is_error=True) for call in calls[len(done) :]]


def unanswered(messages: list[Message]) -> list[Message]:
    """Answers to the calls of a last message that nobody answered."""
    last = messages[-1] if messages and messages[-1]["role"] == "assistant" else {"content": ()}
    return [
        result(block["id"], INTERRUPTED, is_error=True)
        for block in last["content"]
        if block["type"] == "tool_use"
    ]


def result(identity: str, text: str, *, is_error: bool) -> Message:
    """The answer to a call."""
    block = {"type": "tool_result", "tool_use_id": identity, "content": sound(text)}
    return block | {"is_error": True} if is_error else block
