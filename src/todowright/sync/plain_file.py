"""Reading a file of a person, and replacing it in one step."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from typing import Self

from todowright.errors import StoreError
from todowright.private_files import plain_file
from todowright.project_files import named_file

LARGEST = 5_000_000


class Changed(Exception):
    """The file was changed while it was merged."""


def text_of(path: str) -> str:
    """The text of a file; none where it is not there yet."""
    target = named_file(path)
    try:
        with open(target, "rb", opener=plain_file) as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise StoreError(
            f"{path} cannot be read: {error.strerror}: name a file with a checklist"
        ) from None
    if len(data) > LARGEST:
        raise StoreError(f"{path} is larger than {LARGEST // 1_000_000} MB: name a file with a checklist")  # fmt: skip
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise StoreError(f"{path} is not in UTF-8: save it as UTF-8 first") from None


class Replacement:
    """What is to replace a file, written beside it first; it goes unless it is put in its place."""

    def __init__(self, path: str, before: str) -> None:
        self._path = path
        self._before = before
        self._target = named_file(path)
        self._draft = ""
        self._text: str | None = None

    def __enter__(self) -> Self:
        folder = os.path.dirname(self._target)
        try:
            handle, self._draft = tempfile.mkstemp(prefix=".todowright-", dir=folder)
        except OSError as error:
            raise StoreError(f"{folder} cannot be written to: {error.strerror}") from None
        os.close(handle)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            os.unlink(self._draft)

    def write(self, text: str) -> None:
        """Write the new text, if it is not written yet."""
        if text == self._text:
            return
        try:
            with open(self._draft, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            there = os.path.exists(self._target)
            os.chmod(self._draft, os.stat(self._target).st_mode & 0o777 if there else 0o644)
        except OSError as error:
            raise self._not_written(error) from None
        self._text = text

    def put(self) -> None:
        """Put it in the place of the file, if that still is what it was; raises `Changed` if not."""
        if text_of(self._path) != self._before:
            raise Changed
        try:
            os.replace(self._draft, self._target)
        except OSError as error:
            raise self._not_written(error) from None

    def _not_written(self, error: OSError) -> StoreError:
        return StoreError(f"{self._path} cannot be written: {error.strerror}")
