"""The bytes of a file: opened without trust, in lines of bounded length."""

from __future__ import annotations

import codecs
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from io import BufferedIOBase, RawIOBase
from typing import Any

from todowright.importers.found import Damage
from todowright.private_files import plain_file

LONGEST_LINE = 32_000_000
"""Bytes of one line; a longer one is told and left out."""
_DEAREST = 96_000_000
"""Bytes of memory that one line may come to, by a careful guess, when it is read."""
_BLOCK = 1 << 20
_WIDE = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_WIDE_JSON = {b"{\0": "utf-16-le", b"[\0": "utf-16-le", b"\0{": "utf-16-be", b"\0[": "utf-16-be"}
"""How wide JSON begins that does not say so."""
Unreadable = (OSError, EOFError, zlib.error)
"""What a file may raise while it is read."""


class _Unpacked(RawIOBase):
    """A packed file, read as far as it goes; one that is cut off raises `EOFError` only at its end."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._unpack = zlib.decompressobj(31)
        self._waiting = b""
        self._ended = False

    def read(self, size: int = -1) -> bytes:
        """At most so many bytes; nothing at the end."""
        while True:
            if not self._waiting:
                self._waiting = self._file.read(1 << 16)
            if not self._waiting:
                if self._ended or self._unpack.eof:
                    return b""
                self._ended = True
                raise EOFError("the packed file is cut off")
            found = self._unpack.decompress(self._waiting, max(size, 1) if size > 0 else _BLOCK)
            self._waiting = self._unpack.unconsumed_tail
            if self._unpack.eof:
                self._waiting = self._unpack.unused_data
                if self._waiting:  # several packed files in one
                    self._unpack = zlib.decompressobj(31)
            if found:
                return found

    def close(self) -> None:
        """Close the file below."""
        self._file.close()
        super().close()


class _Narrowed(RawIOBase):
    """A file in UTF-16, as some shells write it, read as UTF-8."""

    def __init__(self, file: Any, encoding: str) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def read(self, size: int = -1) -> bytes:
        """As of any file; it may give a little more or less than was asked for."""
        while True:
            raw = self._file.read(size)
            text = self._decoder.decode(raw, final=not raw)
            if text or not raw:
                return text.encode("utf-8", "replace")

    def close(self) -> None:
        """Close the file below."""
        self._file.close()
        super().close()


def opened(path: str) -> Any:
    """A file to read as bytes in UTF-8, also if it is packed or wide; raises `OSError` if it is no file.

    A pipe or a device is never opened, since reading one may wait for ever or do something.
    """
    file: Any = open(path, "rb", opener=plain_file)  # noqa: SIM115
    if path.endswith(".gz"):
        return _Unpacked(file)
    try:
        start = file.read(3)
        if start[:2] in _WIDE:
            file.seek(2)
            return _Narrowed(file, _WIDE[start[:2]])
        if start[:2] in _WIDE_JSON:
            file.seek(0)
            return _Narrowed(file, _WIDE_JSON[start[:2]])
        file.seek(3 if start == codecs.BOM_UTF8 else 0)
        return file
    except BaseException:
        file.close()
        raise


def state_of(path: str) -> tuple[int, int]:
    """The size of a file and when it was changed, in nanoseconds; a database is changed with the log beside it."""
    about = os.stat(path)
    size, changed = about.st_size, about.st_mtime_ns
    if path.endswith(".db"):
        with suppress(OSError):
            wal = os.stat(f"{path}-wal")
            size, changed = size + wal.st_size, max(changed, wal.st_mtime_ns)
    return size, changed


def head_of(path: str, size: int = 1 << 16) -> bytes:
    """How a file begins; nothing where it cannot be read."""
    try:
        with opened(path) as file:
            return bytes(file.read(size))
    except Unreadable:
        return b""


class Lines:
    """The lines of a growing file, each with its number, bounded in length.

    `tell` is where the next unread line begins. A last line without its end is given only when
    `whole` says that nothing more will come.
    """

    def __init__(self, file: BufferedIOBase, number: int = 0, tell: int = 0) -> None:
        self._file = file
        self.number = number
        self.tell = tell

    def __call__(self, *, whole: bool = True) -> Iterator[tuple[int, bytes | Damage]]:
        """Every line up to the end that the file has now."""
        kept: list[bytes] = []
        size, skipping = 0, False
        while block := self._file.read(_BLOCK):
            first, *lines = block.split(b"\n")
            size += len(first)
            skipping = skipping or size > LONGEST_LINE
            kept = [] if skipping else [*kept, first]
            if not lines:
                continue
            last = lines.pop()
            self._pass(size + 1)
            yield self.number, _too_long() if skipping else b"".join(kept)
            for line in lines:
                self._pass(len(line) + 1)
                yield self.number, line
            kept, size, skipping = [last], len(last), False
        if whole and (size or skipping):
            self._pass(size)
            yield self.number, _too_long() if skipping else b"".join(kept)

    def _pass(self, size: int) -> None:
        self.tell += size
        self.number += 1


def _too_long() -> Damage:
    return Damage(0, f"longer than {LONGEST_LINE // 1_000_000} MB")


def parsed(line: bytes) -> object:
    """A line of JSON as values; a `Damage` says why it is none."""
    parts = line.count(b",") + line.count(b"[") + line.count(b"{")
    if (3 if line.isascii() else 10) * len(line) + 90 * parts > _DEAREST:
        return Damage(0, "too large to read")
    try:
        return json.loads(line)
    except RecursionError:
        return Damage(0, "nested too deeply")
    except ValueError:
        pass
    try:  # a character that is none, or a raw control character: the rest is worth reading
        return json.loads(line.decode("utf-8", "replace").strip("\ufeff\0 \r\n"), strict=False)
    except (ValueError, RecursionError):
        return Damage(0, "no whole JSON object")
